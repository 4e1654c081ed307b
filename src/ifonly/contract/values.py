"""Values as JSON has them, and rows of JSON as codes.

Every cell that cannot be read is an error of its own, with its place (`rows[0].income`). A column
is read as a whole, and only one with an error is looked through for its cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import islice
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.contract.problem import FieldError, Refused
from ifonly.errors import DataError, close, nearest
from ifonly.space import Categorical, Feature, Space
from ifonly.space.marks import EXACT as EXACT
from ifonly.space.marks import plain as plain
from ifonly.space.table.carry import Carried, column_order
from ifonly.space.table.codes import read_codes
from ifonly.space.table.dates import clock_of

LARGEST = 1e100
"""The largest number of a row: beyond it, distances would be infinite."""
MOST_ERRORS = 100
"""How many cells with errors are listed."""
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(?:Z|[+-]\d\d:?\d\d)?"
)
_LENGTH = re.compile(r"-?P(?=.)(?:\d+W)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d{1,9})?S)?)?")


def finite(number: Any) -> float | None:
    """A number as JSON has it: nothing where it is NaN or infinite."""
    return float(number) if math.isfinite(number) else None


def key_of(value: Any) -> tuple[bool, Any]:
    """What two equal values of JSON share: 1 and 1.0 are equal, 1 and true are not."""
    return isinstance(value, bool), value


Rows: TypeAlias = Sequence[Mapping[str, Any]]


def read_rows(space: Space, rows: Rows, field: str) -> np.ndarray:
    """float64 [n, d] the codes of rows of JSON.

    `field` is where they stand in the request, such as 'rows[{}]'. Raises `Refused` with every
    error.
    """
    errors = _wrong_names(space, rows, field)
    codes = np.empty((len(rows), len(space)))
    for j, feature in enumerate(space.features):
        there = [i for i, row in enumerate(rows) if feature.name in row]
        values = [rows[i][feature.name] for i in there]
        places = [f"{field.format(i)}.{feature.name}" for i in there]
        codes[there, j] = column_codes(feature, values, places, errors)
    if errors:
        raise Refused.of_all(errors[:MOST_ERRORS])
    return codes


def frame_of(
    space: Space, codes: np.ndarray, rows: Rows, known: Carried | None = None
) -> pd.DataFrame:
    """Codes [n, d] as a frame with the dtypes of the data, beside the carried columns of rows.

    These get the dtypes that the `known` ones have, where their values fit: a date is a date.
    """
    frame: pd.DataFrame = space.rows(codes, "pandas")
    carried = carried_of(space, rows, known)
    frame = frame.assign(**carried)
    return frame[[n for n in column_order(space) if n in space.names or n in carried]]


def carried_of(space: Space, rows: Rows, known: Carried | None = None) -> dict[str, pd.Series]:
    """The carried columns that all rows have."""
    carried = {}
    for name in (one.name for one in space.carry if all(one.name in row for row in rows)):
        column = pd.Series([row[name] for row in rows], dtype=object).infer_objects()
        native = None if known is None else known.frame[name].to_native()
        if isinstance(native, pd.Series):
            with suppress(Exception):  # whatever pandas says of values that do not fit a dtype
                column = column.astype(native.dtype)
        carried[name] = column
    return carried


def _wrong_names(space: Space, rows: Rows, field: str) -> list[FieldError]:
    """An error for each column that a row lacks, or that the model does not have."""
    wanted = [*space.names, *(one.name for one in space.carry if not one.empty)]
    known = {*space.names, *(one.name for one in space.carry)}
    errors: list[FieldError] = []
    for i, row in enumerate(rows):
        if len(errors) >= MOST_ERRORS:
            break
        for name in (name for name in wanted if name not in row):
            hint = "Give every feature; a missing value is null."
            errors.append(FieldError(f"{field.format(i)}.{name}", f"{name!r} is absent.", hint))
        for name in islice((name for name in row if name not in known), MOST_ERRORS):
            message = f"There is no column {name!r:.60}."
            errors.append(FieldError(f"{field.format(i)}.{name}", message, nearest(name, wanted)))
    return errors


def column_codes(
    feature: Feature,
    values: list[Any],
    places: list[str],
    errors: list[FieldError],
    most: int = MOST_ERRORS,
) -> np.ndarray:
    """float64 [n] the codes of values of JSON; NaN where there is an error, which is listed.

    Values after `most` errors are not looked at.
    """
    if not values or len(errors) >= most:
        return np.full(len(values), np.nan)
    try:
        if not feature.missing and None in values:
            raise DataError("This is null, and the data have no missing values there.")
        return _reader(feature)(feature, values)
    except DataError as error:
        if len(values) == 1:
            errors.append(FieldError(places[0], error.message, error.hint))
            return np.array([np.nan])
    half = len(values) // 2
    parts = slice(None, half), slice(half, None)
    return np.concatenate(
        [column_codes(feature, values[p], places[p], errors, most) for p in parts]
    )


def _reader(feature: Feature) -> Callable[[Any, list[Any]], np.ndarray]:
    """What reads a column of the feature."""
    if isinstance(feature, Categorical):
        return _levels
    return _dates if feature.column.unit else _numbers


def _levels(feature: Categorical, values: list[Any]) -> np.ndarray:
    """The codes of levels; others are refused."""
    known = {key_of(plain(level)): float(i) for i, level in enumerate(feature.levels)}
    known[key_of(None)] = math.nan
    try:
        return np.array([known[key_of(value)] for value in values])
    except (KeyError, TypeError):  # of what cannot be a key
        levels = [plain(level) for level in feature.levels]
        hint = close(values[0], levels) or nearest("", levels)
        raise DataError(f"{values[0]!r:.60} is not a known level.", hint) from None


def _numbers(feature: Feature, values: list[Any]) -> np.ndarray:
    """The codes of numbers, which the column of the data can hold."""
    for value in values:
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise DataError(f"{value!r:.60} is not a number.", "Give a number, without quotes.")
        if value is not None and abs(value) > LARGEST:
            raise DataError(f"{value!r} is too large.", f"Numbers are at most {LARGEST:g}.")
    return _codes(feature, pd.Series(values, dtype=np.float64))


def _dates(feature: Feature, values: list[Any]) -> np.ndarray:
    """The codes of dates, times or durations in ISO 8601."""
    clock = clock_of(feature.column.dtype)
    kind, example = ("duration", "P30D") if clock.length else ("date", "2024-03-01")
    pattern = _LENGTH if clock.length else _MOMENT
    for value in values:
        if value is not None and not (isinstance(value, str) and pattern.fullmatch(value)):
            hint = f"Give it in ISO 8601, such as {example!r}."
            raise DataError(f"{value!r:.60} is not a {kind}.", hint)
    try:
        if clock.length:
            return _codes(feature, pd.Series([pd.Timedelta(one) for one in values]))
        if clock.tick == "D":
            days = [None if one is None else date.fromisoformat(one) for one in values]
            return _codes(feature, pd.Series(days, dtype=object))
        moments: list[Any] = [pd.Timestamp(one) for one in values]
        if clock.zone:
            moments = [one if one is pd.NaT else one.tz_convert(clock.zone) for one in moments]
        return _codes(feature, pd.Series(moments))
    except DataError:
        raise
    except (ValueError, TypeError, OverflowError):
        zone = "with" if clock.zone else "without"
        hint = "" if clock.length else f"The data have dates {zone} a time zone."
        raise DataError(
            f"{values[0]!r:.60} is not a {kind} that the data could have.", hint
        ) from None


def _codes(feature: Feature, series: Any) -> np.ndarray:
    """What ifonly reads of a column: it refuses what the dtype of the data does not hold."""
    frame = nw.from_native(series.rename(feature.name).to_frame(), eager_only=True)
    return read_codes((feature,), frame, "rows")[:, 0]
