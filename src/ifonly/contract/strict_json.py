"""JSON that every reader understands in the same way (RFC 7493), or the place where it is not."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ifonly.contract.problem import Refused
from ifonly.contract.values import EXACT
from ifonly.space.description import is_text

DEEPEST = 20
"""How many lists and objects may lie inside each other."""
DIGITS = 400
"""A number with more is infinite in double precision."""


class _Twice:
    """An object in which a name stands twice."""

    def __init__(self, name: str) -> None:
        self.name = name


def read_json(body: str | bytes | Mapping[str, Any], most: int) -> dict[str, Any]:
    """The object of a body of at most `most` bytes; what was parsed already is checked alone."""
    given: Any = body
    if isinstance(body, str | bytes):
        if len(body) > most:
            raise Refused(
                f"The body has {len(body)} bytes.", f"At most {most} are accepted.", kind="limit"
            )
        try:
            given = json.loads(
                body,
                object_pairs_hook=_object,
                parse_int=lambda text: int(text) if len(text) < DIGITS else math.inf,
            )
        except RecursionError:
            raise Refused("The body is nested too deeply.", "Make it flat.", kind="json") from None
        except ValueError as error:
            hint = "Send one object, in UTF-8."
            raise Refused(f"The body is not JSON: {error}.", hint, kind="json") from None
    given = dict(given) if isinstance(given, Mapping) else given
    _check(given, "", 0)
    if not isinstance(given, dict):
        raise Refused(f"The body is {given!r:.60}.", "Send an object.", kind="json")
    return given


def _object(pairs: list[tuple[str, Any]]) -> Any:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    names = [name for name, _ in pairs]
    return _Twice(next(name for name in names if names.count(name) > 1))


def _check(value: Any, field: str, depth: int) -> None:
    """Refuse what JSON does not have, or what not every reader of JSON reads alike."""
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        if not is_text(value):
            raise Refused("This text has half of a character.", field=field, kind="json")
    elif isinstance(value, int | float):
        if isinstance(value, float) and not math.isfinite(value):
            hint = "A missing value is null."
            raise Refused("This is not a finite number.", hint, field=field, kind="json")
        if isinstance(value, int) and abs(value) >= EXACT:
            hint = "Whole numbers are below 2**53; send an identifier as text."
            raise Refused("This whole number is too large.", hint, field=field, kind="json")
    elif depth >= DEEPEST:
        raise Refused("This is nested too deeply.", "Make it flat.", field=field, kind="json")
    elif isinstance(value, dict):
        for name, one in value.items():
            _check(name, field, depth)
            _check(one, f"{field}.{name}" if field else str(name), depth + 1)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            _check(one, f"{field}[{place}]", depth + 1)
    elif isinstance(value, _Twice):
        field = f"{field}.{value.name}" if field else value.name
        raise Refused("This name stands twice.", "Give it once.", field=field, kind="json")
    else:
        hint = "Give texts, numbers, lists and objects."
        raise Refused(f"JSON has no {type(value).__name__}.", hint, field=field, kind="json")
