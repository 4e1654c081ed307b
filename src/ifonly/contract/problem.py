"""What is wrong with a request: RFC 9457's object, for REST, page, agents and client alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ifonly.errors import (
    DataError,
    IfonlyError,
    MissingExtra,
    ModelError,
    OptionError,
    RuleError,
    ServiceError,
    TargetError,
    close,
    nearest,
)

MISSING, EXTRA = "missing", "extra_forbidden"
"""What pydantic calls a field that is absent, and one that there is not."""
LONGEST = 2000
"""The most characters of a message: it may quote what was sent."""
KINDS: dict[str, tuple[int, str]] = {
    "json": (400, "The body is not JSON that can be used"),
    "token": (401, "A token is needed"),
    "origin": (403, "A page of another site may not ask"),
    "route": (404, "There is no such route"),
    "job": (404, "There is no such job"),
    "method": (405, "The route has no such method"),
    "slow": (408, "The request did not arrive in time"),
    "conflict": (409, "The same request is being answered"),
    "not-ready": (409, "The job has no result yet"),
    "gone": (410, "The result was fetched or deleted"),
    "limit": (413, "The request is too large"),
    "media": (415, "The body is of a type that is not read here"),
    "host": (421, "The server does not have this name"),
    "request": (422, "The request does not fit its schema"),
    "data": (422, "The rows do not fit the model"),
    "option": (422, "An option cannot be used"),
    "target": (422, "The wanted outcome cannot be used"),
    "rule": (422, "A rule cannot be used"),
    "quota": (429, "The quota is used up"),
    "missing-extra": (501, "A package is not installed"),
    "service": (503, "The model cannot be reached"),
    "busy": (503, "The server has no time for this now"),
    "store": (503, "The record cannot be written"),
    "timeout": (504, "The model did not answer in time"),
    "model": (500, "The model failed"),
    "internal": (500, "The request could not be answered"),
    "disk": (507, "The disk of the server is full"),
}
"""The status and the title of each kind of problem."""
ERRORS: list[tuple[type[Exception], str]] = [
    (DataError, "data"),
    (OptionError, "option"),
    (TargetError, "target"),
    (RuleError, "rule"),
    (ServiceError, "service"),
    (ModelError, "model"),
    (MissingExtra, "missing-extra"),
]


class Problem(BaseModel):
    """A problem in the sense of RFC 9457."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    type: str
    """Which kind of problem it is: 'urn:ifonly:problem:data'."""
    title: str
    status: int
    """The HTTP status."""
    detail: str
    """What is wrong with the value that was given."""
    field: str = ""
    """Where it stands in the request: 'rows[0].income'."""
    hint: str = ""
    """What to do about it."""
    place: int | None = None
    """For a rule in text: the position of the character where it cannot be understood."""
    errors: list[FieldError] = []
    """Every error, where there are several: all cells of rows that cannot be read."""


@dataclass(frozen=True)
class FieldError:
    """One thing that is wrong with a request."""

    field: str
    detail: str
    hint: str = ""


class Refused(IfonlyError):
    """A request that is not answered; `problem` says why."""

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        field: str = "",
        kind: str = "request",
        place: int | None = None,
        errors: Iterable[FieldError] = (),
    ) -> None:
        super().__init__(message, hint)
        status, title = KINDS[kind]
        self.problem = Problem(
            type=f"urn:ifonly:problem:{kind}",
            title=title,
            status=status,
            detail=_shown(message),
            field=_shown(field),
            hint=_shown(hint),
            place=place,
            errors=list(errors),
        )

    @classmethod
    def of(cls, error: IfonlyError, field: str = "") -> Refused:
        """The problem of one of ifonly's own errors."""
        kind = next((kind for base, kind in ERRORS if isinstance(error, base)), "internal")
        place = getattr(error, "place", None)
        return cls(error.message, error.hint, field=field, kind=kind, place=place)

    @classmethod
    def of_all(cls, errors: Sequence[FieldError]) -> Refused:
        """The problem of rows with several errors; the detail is that of the first."""
        first, count = errors[0], len(errors) - 1
        more = f" {count} more value{'s' * (count > 1)} cannot be read." if count else ""
        shown = [FieldError(_shown(e.field), _shown(e.detail), _shown(e.hint)) for e in errors]
        return cls(
            first.detail + more,
            first.hint,
            field=first.field,
            kind="data",
            errors=shown if count else (),
        )

    @classmethod
    def invalid(cls, error: ValidationError, given: Any, known: Iterable[str]) -> Refused:
        """The problem of a request that is not of its schema."""
        errors = error.errors(include_url=False, include_context=False)
        fields = [field_of(one["loc"], given) for one in errors]
        # A value of several possible types has an error for each; the deepest knows the most.
        own = [one for one in fields if re.match(rf"{re.escape(fields[0])}(?![^.\[])", one)]
        field = max(own, key=len)
        same = [one for one, place in zip(errors, fields, strict=True) if place == field]
        name = str(same[0]["loc"][-1])
        if same[0]["type"] == EXTRA:
            hint = nearest(name, known) if field == name else ""
            return cls(f"There is no field {name!r:.60}.", hint, field=field)
        if same[0]["type"] == MISSING:
            return cls._absent(errors, same[0]["loc"][:-1], field)
        wanted = " ".join(dict.fromkeys(f"{one['msg']}." for one in same))
        return cls(f"{same[0]['input']!r:.60} cannot be used here.", wanted, field=field)

    @classmethod
    def _absent(cls, errors: Iterable[Any], parent: Sequence[Any], field: str) -> Refused:
        """The problem of a field that is absent; another one there may be meant for it."""
        start = f"{field}." if field else ""
        here = [(one["type"], str(one["loc"][-1])) for one in errors if one["loc"][:-1] == parent]
        absent, other = ([name for kind, name in here if kind == one] for one in (MISSING, EXTRA))
        for name in other:
            if hint := close(name, absent):
                return cls(f"There is no field {name!r:.60}.", hint, field=f"{start}{name}")
        unknown = f"; there is no field {other[0]!r:.60}" if other else ""
        hint = f"Give {absent[0]!r}{unknown}."
        return cls("This field is absent.", hint, field=f"{start}{absent[0]}")


@contextmanager
def at(field: str) -> Iterator[None]:
    """Where an error of ifonly's own inside comes from."""
    try:
        yield
    except Refused:
        raise
    except IfonlyError as error:
        raise Refused.of(error, field) from error


def field_of(location: Sequence[Any], given: Any) -> str:
    """A place in a request as text: the parts of a location that the request has.

    >>> field_of(("weights", "age", "float"), {"weights": {"age": "x"}})
    'weights.age'
    """
    field = ""
    for part in location:
        if isinstance(part, int) and isinstance(given, list) and part < len(given):
            field, given = f"{field}[{part}]", given[part]
        elif isinstance(given, dict) and part in given:
            field, given = f"{field}.{part}" if field else str(part), given[part]
    return field


def _shown(text: str) -> str:
    """Text that fits into a reply: not too long, without halves of characters."""
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
