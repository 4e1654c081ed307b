"""Values of single rows that the data do not have: the user's own model says what they are worth.

An unseen level, a missing value where the data lack none, an infinite number, text among numbers:
such a value is coded by a NaN, as a missing one is, and the bits of the NaN say which of the
column's `unseen` values it is. So all that can treat a missing value can treat it, and the model
gets the value as it was given. A number that the column's dtype cannot hold, 46.5 among whole
numbers, is a code like any other, and listed only so that its column is written in a wider dtype.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import DataError, close
from ifonly.space.feature import Categorical, Continuous, Feature
from ifonly.space.table.dates import date_codes
from ifonly.space.table.dtypes import WHOLE, held, number_dtype

_TAG = 0x7FF80DD5
"""The upper half of the bits of an unseen value's code: a quiet NaN that nobody else makes."""


def unseen_codes(places: np.ndarray) -> np.ndarray:
    """float64: the codes of unseen values, by their places from 1 on; 0 is a missing value."""
    bits = np.asarray(places, dtype=np.uint64) | np.uint64(_TAG << 32)
    return np.where(np.asarray(places) > 0, bits.view(np.float64), np.nan)


def unseen_places(codes: np.ndarray) -> np.ndarray:
    """intp [...]: which of its column's unseen values a code is, from 1 on; 0 where it is none.

    >>> unseen_places(np.append(unseen_codes(np.array([2, 0])), 7.0)).tolist()
    [2, 0, 0]
    """
    if codes.dtype != np.float64:
        return np.zeros(codes.shape, dtype=np.intp)
    bits = codes.view(np.uint64)
    return np.where(bits >> np.uint64(32) == _TAG, bits & np.uint64(0xFFFFFFFF), 0).astype(np.intp)


def is_unseen(codes: np.ndarray) -> np.ndarray:
    """bool [...]: the codes of values that the data do not have."""
    return np.asarray(unseen_places(codes) > 0)


def is_unseen_value(feature: Feature, codes: np.ndarray) -> np.ndarray:
    """bool [...]: those of them that are values, and not a missing one."""
    values = [False, *(not _is_gap(value) for value in feature.column.unseen)]
    return np.asarray(np.array(values)[unseen_places(codes)])


def level_place(level: Any, feature: Categorical) -> int | None:
    """The position of a level, or None: only objects tell 1 from True and from 1.0."""
    for place, known in enumerate(feature.levels):
        if known == level and (feature.column.dtype != "object" or type(known) is type(level)):
            return place
    return None


def read_own(
    feature: Feature, values: Iterable[Any], error: DataError, *, mixed: bool
) -> tuple[Feature, np.ndarray]:
    """The feature with the unseen values of its column, and the codes [n] of all values.

    `error` says what is wrong with the column. It is raised where every value is of another type
    than the data's and means the same, so that the column has to be converted, and where the
    library has no columns of `mixed` types.
    """
    read = _level_codes if isinstance(feature, Categorical) else _number_codes
    if feature.column.unit:
        read = _date_codes
    own = [value.item() if isinstance(value, np.generic) else value for value in values]
    own = [None if value is pd.NA or value is pd.NaT else value for value in own]
    known, converted = read(feature, own)
    gaps = [_is_gap(value) for value in own]
    if all(np.array(gaps) | converted) and converted.any():
        raise error
    unseen: dict[Any, tuple[int, Any]] = {}
    places = np.zeros(len(own), dtype=np.uint64)
    for i in np.flatnonzero(np.isnan(known)).tolist():
        if not (gaps[i] and feature.missing):
            value = own[i]
            place, _ = unseen.setdefault((type(value), repr(value)), (len(unseen) + 1, value))
            places[i] = place
            if not (mixed or gaps[i] or _fits(feature, value)):
                raise error
    codes = np.where(np.isnan(known), unseen_codes(places), known)
    odd = () if isinstance(feature, Categorical) else known[~is_held(feature, known)].tolist()
    column = replace(feature.column, unseen=(*(value for _, value in unseen.values()), *odd))
    return replace(feature, column=column), codes


def _level_codes(feature: Any, own: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """The codes [n] of known levels, NaN elsewhere; and which others have the text of a level."""
    found: dict[Any, int | None] = {}
    for value in own:
        key = type(value), repr(value)
        if key not in found:
            found[key] = level_place(value, feature)
    places = [found[type(value), repr(value)] for value in own]
    texts = {str(level) for level in feature.levels}
    other = [
        place is None and str(value) in texts for value, place in zip(own, places, strict=True)
    ]
    return np.array(places, dtype=np.float64), np.array(other, dtype=bool)


def _number_codes(feature: Any, own: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """The codes [n] of finite numbers, NaN elsewhere; and which others are the text of one."""
    values = np.array([_number(value) for value in own], dtype=np.float64)
    dtype = number_dtype(feature.column.dtype)
    if dtype is not None and dtype.kind == "f":
        values[np.abs(values) > float(np.finfo(dtype).max)] = np.nan
        values = held(values, feature, "rows")
    return values, np.array(
        [isinstance(value, str) and _is_text(value) for value in own], dtype=bool
    )


def _date_codes(feature: Any, own: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """The codes [n] of values of a feature of dates, NaN for any other; and which are dates else.

    Those are of another kind or time zone, or text or numbers that mean a date.
    """
    codes, other = np.full(len(own), np.nan), np.zeros(len(own), dtype=bool)
    for i, value in enumerate(own):
        if isinstance(value, date | timedelta):
            try:
                one = pd.Series([value], name=feature.name)
                codes[i : i + 1] = date_codes(one, feature, "rows", rounded=True)
            except DataError:
                other[i] = True
        elif isinstance(value, str):
            other[i] = not pd.isna(pd.to_datetime(value, errors="coerce"))
        else:
            other[i] = isinstance(value, int | float) and value == value
    return codes, other


def _number(value: Any) -> float:
    """A value that codes hold exactly; NaN for any other."""
    if not isinstance(value, int | float) or (isinstance(value, int) and abs(value) >= WHOLE):
        return np.nan
    return float(value) if np.isfinite(value) else np.nan


def _is_text(value: str) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except ValueError:
        return False


def _is_gap(value: Any) -> bool:
    missing = value is None or value is pd.NA or value is pd.NaT
    return missing or (isinstance(value, float) and value != value)


def _fits(feature: Feature, value: Any) -> bool:
    """Whether a column without mixed types can hold a value beside those of the data."""
    if isinstance(feature, Categorical):
        return type(value) in {type(level) for level in feature.levels}
    return isinstance(value, int | float) and not feature.column.unit


def is_held(feature: Continuous, codes: np.ndarray) -> np.ndarray:
    """bool [n]: the codes that are not numbers beyond those of a column of whole numbers."""
    dtype = number_dtype(feature.column.dtype)
    if dtype is None or dtype.kind == "f":
        return np.ones(codes.shape, dtype=bool)
    limits = np.iinfo(dtype)
    whole = (codes == np.round(codes)) & (codes >= limits.min) & (codes <= limits.max)
    return np.asarray(whole | np.isnan(codes))


def fractional(dtype: str) -> str:
    """The name of the dtype of a column of whole numbers with one that is not."""
    if dtype.endswith("[pyarrow]"):
        return "double[pyarrow]"
    return "Float64" if dtype[0] in "IU" else "float64"


def own_notes(
    features: Iterable[Feature], seen: Iterable[Feature], x: np.ndarray
) -> dict[int, str]:
    """A note for each row x [q, d] with values that the features of the data have not `seen`."""
    notes: dict[int, list[str]] = {}
    for j, (feature, known) in enumerate(zip(features, seen, strict=True)):
        if feature is known:
            continue
        places = unseen_places(x[:, j])
        odd = places > 0
        if isinstance(known, Continuous):
            odd |= ~is_held(known, x[:, j])
        for row in np.flatnonzero(odd).tolist():
            value = feature.column.unseen[places[row] - 1] if places[row] else float(x[row, j])
            notes.setdefault(row, []).append(_note(known, value))
    return {row: " ".join(each) for row, each in notes.items()}


def _note(feature: Feature, value: Any) -> str:
    """What is odd about a value."""
    if _is_gap(value):
        return f"{feature.name} is missing, and the data lack no value there."
    if isinstance(feature, Categorical):
        near = close(value, feature.levels)
        return f"{feature.name} is {value!r}, a level that the data do not have. {near}".strip()
    if feature.column.unit:
        return f"{feature.name} is {value}, which the {feature.column.dtype} of the data cannot be."
    if not isinstance(value, int | float) or np.isinf(value):
        return f"{feature.name} is {value!r}, and the data have finite numbers there."
    if value % 1:
        return f"{feature.name} is {value!r}, and the data have whole numbers there."
    return f"{feature.name} is {value:g}, which the dtype {feature.column.dtype} does not hold."


def pandas_unseen(values: pd.Series[Any], dtype: Any, unseen: list[Any]) -> pd.Series[Any]:
    """Objects as the narrowest pandas column that holds them, some of which are `unseen`."""
    if isinstance(dtype, pd.CategoricalDtype):
        more = [v for v in unseen if not pd.isna(v) and v not in dtype.categories]
        return values.astype(pd.CategoricalDtype([*dtype.categories, *more], dtype.ordered))
    if dtype is None:
        return values.infer_objects()
    try:
        again = pd.Series(unseen, dtype=dtype).tolist()
    except (TypeError, ValueError, OverflowError):
        again = []
    if len(again) == len(unseen) and all(map(_same, again, unseen)):
        return values.astype(dtype)
    dates = all(isinstance(v, date | timedelta) for v in unseen)
    if getattr(dtype, "kind", "") in ("m", "M") and dates:  # finer ones
        fine = any(getattr(v, "nanosecond", getattr(v, "nanoseconds", 0)) for v in unseen)
        exact: pd.Series[Any] = values.infer_objects().dt.as_unit("ns" if fine else "us")
        return exact
    if isinstance(dtype, np.dtype) and dtype.kind in "iuf" and all(map(_is_number, unseen)):
        return values.astype(np.float64)
    return values


def _same(a: Any, b: Any) -> bool:
    gaps = [_is_gap(value) for value in (a, b)]
    return all(gaps) or (not any(gaps) and type(a) is type(b) and bool(a == b))


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
