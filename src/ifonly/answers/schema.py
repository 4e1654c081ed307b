"""What a file of saved answers holds: one check for each field, and what must hold between them.

`read_fields` is the only way in. What it lets through, every view of answers can show; anything
else is a `Damage` that names the field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ifonly.errors import IfonlyError
from ifonly.space import Space
from ifonly.space.description import is_text
from ifonly.space.marks import decode
from ifonly.space.table.frame import LIBRARIES
from ifonly.space.table.unseen import unseen_codes
from ifonly.status import Status


class Damage(Exception):
    """What is wrong with a file, as a clause."""


@dataclass(frozen=True)
class Sizes:
    """The lengths of the axes: q rows, k answers, d features."""

    q: int
    k: int
    d: int

    def shape(self, axes: str) -> tuple[int, ...]:
        """The lengths of some axes, given by their letters."""
        return tuple(getattr(self, letter) for letter in axes)


Check: TypeAlias = Callable[[Any, Sizes], Any]
"""From what JSON holds to a field of answers; what does not fit raises."""
Kind: TypeAlias = Callable[[Any], bool]
"""Whether a value is of a kind."""


def read_fields(plain: Any) -> dict[str, Any]:
    """The fields of answers that a file holds, each of its type and shape."""
    if not isinstance(plain, dict):
        raise Damage("it holds no fields")
    for name in plain:
        if name not in FIELDS:
            raise Damage(f"there is no field {name!r:.60}")
    for name in FIELDS:
        if name not in plain and name not in OPTIONAL:
            raise Damage(f"the field {name!r} is absent")
    none = Sizes(0, 0, 0)
    space, record = (_read(name, plain[name], none) for name in ("space", "record"))
    sizes = Sizes(len(plain["x"]) if isinstance(plain["x"], list) else 0, record["k"], len(space))
    rest = [name for name in plain if name not in ("space", "record")]
    fields = {name: _read(name, plain[name], sizes) for name in rest}
    _restore_unseen(space, fields)
    return {"space": space, "record": record, **fields}


def _restore_unseen(space: Space, fields: dict[str, Any]) -> None:
    """Put the codes of values that the data do not have where rows, and answers, keep them."""
    places = fields.pop("unseen", None)
    if places is None:
        return
    most = np.array([len(feature.column.unseen) for feature in space.features])
    x, points = fields["x"], fields["points"]
    there = (places >= 0) & (places <= most) & (places % 1 == 0)
    if not (there & ((places == 0) | np.isnan(x))).all():
        raise Damage("'unseen' names values that the space has not")
    own = unseen_codes(places.astype(np.uint64))
    fields["x"] = np.where(places > 0, own, x)
    kept = np.isnan(points) & (places > 0)[:, None]
    fields["points"] = np.where(kept, own[:, None], points)


def _read(name: str, plain: Any, sizes: Sizes) -> Any:
    """A field of a file."""
    try:
        return FIELDS[name](plain, sizes)
    except Damage as damage:
        raise Damage(f"{name!r} {damage}") from None
    except IfonlyError as error:
        raise Damage(f"{name!r} cannot be read: {error.message.rstrip('.')}") from None
    except (TypeError, ValueError, OverflowError):
        raise Damage(f"{name!r} holds values of another kind than expected") from None


def numbers(axes: str) -> Check:
    """float64 of these axes; a missing number is None, an infinite one 'inf' or '-inf'."""
    return lambda plain, sizes: _shaped(np.array(plain, dtype=np.float64), axes, sizes)


def whole(axes: str) -> Check:
    """Integers of these axes."""

    def check(plain: Any, sizes: Sizes) -> np.ndarray:
        values = numbers(axes)(plain, sizes)
        if (values % 1 != 0).any():
            raise Damage("holds values other than whole numbers")
        return np.asarray(values.astype(np.intp))

    return check


def flags(axes: str) -> Check:
    """bool of these axes."""
    return lambda plain, sizes: _shaped(np.array(plain), axes, sizes, np.dtype(bool))


def _shaped(
    values: np.ndarray, axes: str, sizes: Sizes, dtype: np.dtype[Any] | None = None
) -> np.ndarray:
    if not values.size and not sizes.q:  # of no rows, the other axes do not show
        values = np.empty(sizes.shape(axes), dtype)
    if values.shape != sizes.shape(axes):
        raise Damage(f"has the shape {values.shape}, and not {sizes.shape(axes)}")
    if dtype is not None and values.dtype != dtype:
        raise Damage("holds values other than true and false")
    return values


def each_row(kind: Kind) -> Check:
    """A tuple with one value of a kind for each row."""

    def check(plain: Any, sizes: Sizes) -> tuple[Any, ...]:
        values = decode(plain)
        if not isinstance(values, tuple) or len(values) != sizes.q:
            raise Damage(f"does not have one entry for each of {sizes.q} rows")
        return tuple(_of(kind, value) for value in values)

    return check


def mapping(key: Kind, kind: Kind) -> Check:
    """A dictionary of keys and values of a kind each."""

    def check(plain: Any, _: Sizes) -> dict[Any, Any]:
        values = decode(plain)
        if not isinstance(values, dict):
            raise Damage("is not a dictionary")
        return {_of(key, name): _of(kind, value) for name, value in values.items()}

    return check


def maybe(check: Check) -> Check:
    """Nothing, or what a check makes of it."""
    return lambda plain, sizes: None if plain is None else check(plain, sizes)


def _of(kind: Kind, value: Any) -> Any:
    if not kind(value):
        raise Damage(f"holds {value!r:.60}")
    return value


def is_number(value: Any) -> bool:
    """Whether a value is a number of at most 64 bits."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, float) or (whole and -(2**63) <= value < 2**64)


def is_value(value: Any) -> bool:
    """Whether a value can be a level, a class or the name of a row."""
    if isinstance(value, tuple):
        return all(map(is_value, value))
    plain = bool | date | timedelta | pd.Interval
    nothing = value is None or value is pd.NaT
    return nothing or isinstance(value, plain) or is_number(value) or is_text(value)


def _is_values(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_value, value))


def _is_lines(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


def _library(plain: Any, _: Sizes) -> Any:
    return _of(lambda value: value in LIBRARIES, plain)


def _carried(plain: Any, sizes: Sizes) -> Any:
    """The carried columns, which are made when the library of the rows is known."""
    if not isinstance(plain, dict) or not all(
        isinstance(one, dict)
        and set(one) == {"column", "values"}
        and isinstance(one["values"], list)
        and len(one["values"]) == sizes.q
        for one in plain.values()
    ):
        raise Damage("does not have one value for each row and column")
    return plain


def _record(plain: Any, sizes: Sizes) -> dict[str, Any]:
    """What produced the answers: some of it is read again later, the rest only shown."""
    record: dict[str, Any] = mapping(is_text, lambda value: True)(plain, sizes)
    for name, kind in RECORD.items():
        if name not in record and name not in OPTIONAL:
            raise Damage(f"lacks {name!r}")
        if name in record and not kind(record[name]):
            raise Damage(f"has {record[name]!r:.60} as its {name!r}")
    return record


FIELDS: dict[str, Check] = {
    "space": lambda plain, _: Space.from_plain(plain),
    "record": _record,
    "x": numbers("qd"),
    "unseen": maybe(numbers("qd")),
    "points": numbers("qkd"),
    "filled": flags("qk"),
    "status": each_row(lambda value: value in list(Status)),
    "wanted": each_row(is_value),
    "predicted": each_row(is_value),
    "row_score": numbers("q"),
    "score": numbers("qk"),
    "index": each_row(is_value),
    "library": _library,
    "notes": each_row(is_text),
    "extra": flags("qk"),
    "acted": maybe(flags("qkd")),
    "bound": maybe(numbers("q")),
    "seconds": maybe(numbers("q")),
    "reached": maybe(whole("qk")),
    "usual": maybe(numbers("qk")),
    "odd": maybe(flags("qkd")),
    "agreeing": maybe(numbers("qk")),
    "tolerated": maybe(numbers("qk")),
    "carried": _carried,
}
RECORD: dict[str, Kind] = {
    "k": lambda value: is_number(value) and isinstance(value, int) and value >= 1,
    "regression": lambda value: isinstance(value, bool),
    "rules": _is_lines,
    "row_rules": lambda value: isinstance(value, list) and all(map(_is_lines, value)),
    "threshold": lambda value: value is None or (is_number(value) and 0 < value < 1),
    "finished_by": _is_lines,
    "no_solver": is_text,
    "tolerance": is_number,
    "checked": lambda value: isinstance(value, dict) and all(map(is_number, value.values())),
    "unread": is_text,
    "scores": lambda value: value in ("probability", "margin", "label"),
    "ignored": _is_lines,
    "index_names": lambda value: value is None or (value != [] and _is_values(value)),
    "classes": _is_values,
    "decides_from": lambda value: value is None or is_number(value),
    "interrupted": lambda value: isinstance(value, bool),
    "contradicted": lambda value: isinstance(value, bool),
    "share_rows": lambda value: isinstance(value, bool),
    "examples": lambda value: isinstance(value, list) and all(map(_is_values, value)),
}
OPTIONAL = {
    "unseen",
    "carried",
    "acted",
    "reached",
    "usual",
    "odd",
    "agreeing",
    "tolerated",
    "bound",
    "seconds",
    "row_rules",
    "finished_by",
    "no_solver",
    "classes",
    "decides_from",
    "threshold",
    "tolerance",
    "checked",
    "unread",
    "scores",
    "ignored",
    "index_names",
    "interrupted",
    "contradicted",
    "share_rows",
    "examples",
}
