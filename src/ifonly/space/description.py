"""Features and columns as plain dictionaries, which JSON holds if it holds their levels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, asdict, fields
from typing import Any, get_type_hints

import numpy as np

from ifonly.errors import DataError, nearest
from ifonly.space.feature import Categorical, Column, Continuous, Feature, Ordinal

KINDS: dict[str, type[Continuous] | type[Categorical]] = {
    "continuous": Continuous,
    "categorical": Categorical,
    "ordinal": Ordinal,
}


def to_plain(feature: Feature) -> dict[str, Any]:
    """A feature as a plain dictionary, without unseen values: JSON holds it if it holds levels."""
    plain = {"kind": type(feature).__name__.lower(), **asdict(feature)}
    del plain["column"]["unseen"]
    if not plain.get("discrete"):  # as such a feature was written before there were any
        plain.pop("discrete", None)
    return plain


def fingerprint_of(features: Iterable[Feature], carried: Iterable[str]) -> str:
    """Sixteen hexadecimal digits of features, and of the names of carried columns."""
    told = [*map(to_plain, features), *carried]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def from_plain(description: Any) -> Feature:
    """The feature of a plain description, which may leave out whatever has a default."""
    given = dict(description) if isinstance(description, Mapping) else {"description": description}
    name = given.pop("kind", "continuous" if "low" in given else "categorical")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise DataError(f"Unknown kind of feature: {name!r}.", f"Known: {', '.join(KINDS)}.")
    column = from_column(given.pop("column", {}))
    _check_fields(f"a {name} feature", kind, given)
    try:
        return kind(**given, column=column)
    except OverflowError:
        raise DataError(f"The numbers of {given['name']!r} are too large.") from None


def to_column(column: Column) -> dict[str, Any]:
    """A column as a plain dictionary."""
    return asdict(column)


def from_column(description: Any) -> Column:
    """The column of a plain description."""
    _check_fields("a column", Column, description)
    many = {name: tuple(description.get(name, ())) for name in ("categories", "unseen")}
    return Column(**{**description, **many})


def is_text(value: Any) -> bool:
    """Whether a value is text that a file can hold: no half of a surrogate pair."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _number(value: Any) -> bool:
    """Whether a value is a number of a size that float64 has."""
    try:
        return not isinstance(value, bool | str) and isinstance(float(value), float)
    except (OverflowError, TypeError, ValueError):
        return False


def _numbers(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(map(_number, value))


def _whole(value: Any) -> bool:
    return (
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)
        and abs(int(value)) < 300
    )


_FITS: dict[Any, tuple[Callable[[Any], bool], str]] = {
    str: (is_text, "text"),
    bool: (lambda value: isinstance(value, bool), "true or false"),
    int: (_whole, "a whole number"),
    float: (_number, "a number"),
    float | None: (lambda value: value is None or _number(value), "a number or nothing"),
    tuple[Any, ...]: (lambda value: isinstance(value, tuple | list), "a list"),
    tuple[float, ...]: (_numbers, "a list of numbers"),
}
"""By the type of a field: what may stand in it, and what that is called."""


def _check_fields(what: str, kind: Any, given: Any) -> None:
    """Refuse a description that has other fields than its kind, or other things in them."""
    wrong = f"This description is not one of {what}: "
    if not isinstance(given, Mapping):
        raise DataError(f"{wrong}{given!r:.60}.", "Give a dictionary.")
    types = get_type_hints(kind)
    for name, value in given.items():
        if name not in types:
            raise DataError(f"{wrong}it has {name!r}.", nearest(name, types))
        fits, wanted = _FITS[types[name]]
        if not fits(value):
            raise DataError(f"{wrong}its {name!r} is {value!r:.60}.", f"Give {wanted}.")
    for one in fields(kind):
        if one.name not in given and one.default is MISSING and one.name != "column":
            raise DataError(f"{wrong}it lacks {one.name!r}.", f"Given: {', '.join(given)}.")
