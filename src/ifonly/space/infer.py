"""The features of a training frame.

Numbers are continuous, text and booleans are categories, an ordered pandas dtype is ordinal; what
the user says goes before all of these. Decimals are read off the data: the fewest that write most
of its values exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError, OptionError, nearest
from ifonly.space.feature import Categorical, Continuous, Feature, Ordinal
from ifonly.space.table.dates import WORDS, dated, is_dates
from ifonly.space.table.dtypes import LEAST_DECIMALS, digits_of, finest, number_dtype
from ifonly.space.table.frame import column_of, levels_and_positions, numbers

MOST_DECIMALS = 10
"""A column that needs more decimals is a measurement in full precision."""
MOST_VALUES = 0.95
"""The share of a column's values that its decimals write exactly: a few odd ones do not count."""
FEWEST_STEPS = 10
"""How many steps the range of a column has at least, as far as its values have decimals."""
CODES, LEFT_OUT = 20, 1.5
"""How many values a column of codes has at the most, and how many times as many its range has."""
CODE_ROWS, CODE_SHARE = 3, 0.005
"""How many rows, and which share of the rows, each of them has at least."""
MEASURED_DIGITS = 6
"""A measurement in full precision is put on a grid of a millionth of its range, about."""


def infer_features(
    frame: nw.DataFrame[Any],
    categorical: Iterable[str],
    ordinal: Mapping[str, Sequence[Any]],
    precision: Mapping[str, int],
) -> tuple[Feature, ...]:
    """One feature a column, in the frame's order."""
    named = {categorical} if isinstance(categorical, str) else set(categorical)
    for name in (*named, *ordinal, *precision):
        if name not in frame.columns:
            raise OptionError(f"`data` has no column {name!r}.", nearest(name, frame.columns))
    _check_precision(precision)
    features = tuple(
        _ordinal(frame[name], ordinal[name])
        if name in ordinal
        else _categorical(frame[name])
        if name in named or not _numeric(frame[name])
        else _continuous(frame[name], precision.get(name))
        for name in frame.columns
    )
    for feature in features:
        if feature.name in precision and not isinstance(feature, Continuous):
            raise OptionError(
                f"precision of {feature.name!r} has no effect: it is a category.",
                "Give the decimals of numbers only.",
            )
    return features


def with_gaps(
    features: tuple[Feature, ...],
    carried: Iterable[str],
    *,
    fillable: Iterable[str],
    erasable: Iterable[str],
) -> tuple[Feature, ...]:
    """The features, some of which an answer may fill in or leave out.

    What no row of the data lacks is fillable anyway: no value is then one that the data lack.
    """
    fill, erase = ({one} if isinstance(one, str) else set(one) for one in (fillable, erasable))
    names = [feature.name for feature in features]
    for name in (*fill, *erase):
        if name in carried:
            raise OptionError(
                f"{name!r} is carried along unchanged, so no answer fills it in or erases it.",
                "Only features change: `space.carry` says why a column is carried.",
            )
        if name not in names:
            raise OptionError(f"`data` has no column {name!r}.", nearest(name, names))
    changed = []
    for feature in features:
        gone = feature.name in erase
        if gone and not feature.missing and isinstance(feature, Categorical):
            _check_holds_none(feature)
        missing = feature.missing or gone
        filled = feature.name in fill and missing
        changed.append(replace(feature, missing=missing, fillable=filled, erasable=gone))
    return tuple(changed)


def _check_holds_none(feature: Categorical) -> None:
    """Refuse to erase from a column that has no missing value: it would be written as a level."""
    if feature.column.dtype.startswith(("bool", "int", "uint")) and "[" not in feature.column.dtype:
        wider = "boolean" if feature.column.dtype == "bool" else "Int64"
        raise OptionError(
            f"{feature.name!r} cannot be erasable: its dtype {feature.column.dtype} has no missing "
            "value.",
            f"If the model takes one, use data.astype({{{feature.name!r}: {wider!r}}}).",
        )


def _check_precision(precision: Mapping[str, Any]) -> None:
    for name, decimals in precision.items():
        whole = isinstance(decimals, int | np.integer) and not isinstance(decimals, bool)
        if not whole or not LEAST_DECIMALS <= decimals <= MOST_DECIMALS:
            raise OptionError(
                f"precision of {name!r} is {decimals!r}.",
                f"It is a number of decimals from {LEAST_DECIMALS} (ten thousands) to "
                f"{MOST_DECIMALS}.",
            )


def _numeric(series: nw.Series[Any]) -> bool:
    if is_dates(series):
        return True
    if series.dtype.is_temporal():
        raise DataError(
            f"The column {series.name!r} of `data` holds times without a date.",
            "Turn it into a number first, such as minutes since midnight, or leave it as it is: "
            f"Space.infer(data, carry=[{series.name!r}]).",
        )
    native = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.SparseDtype):
        return native.dtype.subtype.kind in "iuf"
    if series.dtype != nw.Object:
        return series.dtype.is_numeric()
    values = [value for value in series.to_list() if value is not None]
    numbers = int | float | np.number | Decimal
    return all(isinstance(v, numbers) and not isinstance(v, bool) for v in values)


def _continuous(series: nw.Series[Any], precision: int | None = None) -> Continuous:
    dates = is_dates(series)
    column = column_of(series)
    if dates:
        column, values = dated(column, series)
    else:
        values = numbers(series, "data")
    known = values[~np.isnan(values)]
    if not len(known):
        raise DataError(f"The column {series.name!r} of `data` has no value.", "Drop the column.")
    if np.isinf(known).any():
        raise DataError(f"The column {series.name!r} of `data` holds an infinite value.")
    if dates and precision is not None and precision > 0:
        raise OptionError(
            f"precision of {series.name!r} is {precision}; it is in whole {WORDS[column.unit]}.",
            "Give 0, or -1 for steps of ten.",
        )
    if column.floats and any(isinstance(v, int | np.integer) for v in series.to_list()):
        raise DataError(
            f"The column {series.name!r} of `data` holds whole numbers and floats as objects.",
            f"Give it one type: data.astype({{{series.name!r}: 'float64'}}).",
        )
    dtype = number_dtype(column.dtype)
    stored = known.astype(dtype if dtype is not None and dtype.kind == "f" else np.float64)
    decimals = resolution(stored) if precision is None else min(precision, finest(stored))
    if digits := digits_of(column.dtype):
        decimals = min(decimals, digits.scale)
    if decimals < LEAST_DECIMALS:
        raise DataError(
            f"The column {series.name!r} of `data` holds {known.max():g} as {column.dtype}, which "
            "has too few digits for it.",
            f"Widen it: data.astype({{{series.name!r}: 'float64'}}).",
        )
    step = 10.0**-decimals
    top = np.floor(float(np.finfo(stored.dtype).max) / step) * step if step > 1 else np.inf
    deviations = np.abs(known - np.median(known))
    mad = float(np.median(deviations) or deviations.mean() or step)
    tolerance = min(mad, float(np.quantile(np.unique(deviations), 0.1)))
    return Continuous(
        series.name,
        # Outward, so that full-precision data keep their ends on the grid.
        low=float(np.round(np.floor(np.round(known.min() / step, 3)) * step, decimals)),
        high=min(top, float(np.round(np.ceil(np.round(known.max() / step, 3)) * step, decimals))),
        decimals=decimals,
        mad=mad,
        tolerance=tolerance,
        missing=len(known) < len(values),
        column=column,
        discrete=() if dates or precision is not None else discrete_values(known, decimals),
    )


def discrete_values(values: np.ndarray, decimals: int) -> tuple[float, ...]:
    """The values of a column that has few of them, each often, and leaves out many between them.

    They mean something that no value between them does: 5.5 children stand for more than five.

    >>> discrete_values(np.repeat([9.0, 12, 14, 16], 30), decimals=0)
    (9.0, 12.0, 14.0, 16.0)
    >>> discrete_values(np.repeat([1.0, 2, 3, 4], 30), decimals=0)
    ()
    """
    unique, counts = np.unique(values, return_counts=True)
    written = (np.round(unique, decimals) == unique).all()
    steps = (unique[-1] - unique[0]) * 10.0**decimals + 1
    few = 1 < len(unique) <= CODES and steps >= LEFT_OUT * len(unique)
    often = counts.min() >= max(CODE_ROWS, CODE_SHARE * len(values))
    return tuple(unique.tolist()) if written and few and often else ()


def resolution(values: np.ndarray) -> int:
    """The fewest decimals that write most values exactly, as far as their dtype can tell.

    >>> resolution(np.array([1.0, 2.0, 2.0, 2.25])), resolution(np.array([*range(80), 0.42]))
    (2, 0)
    """
    unique, counts = np.unique(values, return_counts=True)
    most = finest(unique)
    width = float(unique[-1]) - float(unique[0])
    for decimals in range(min(MOST_DECIMALS, most) + 1):
        # In double precision, then back, so that single-precision columns read as written.
        exact = np.round(unique.astype(np.float64), decimals).astype(unique.dtype) == unique
        fine = width * 10.0**decimals >= FEWEST_STEPS
        if exact.all() or (fine and counts[exact].sum() >= MOST_VALUES * counts.sum()):
            return decimals
    width = width or abs(float(unique[0])) or 1.0
    return min(most, max(0, MEASURED_DIGITS - int(np.floor(np.log10(width)))))


def _categorical(series: nw.Series[Any]) -> Categorical:
    levels, positions = _levels(series)
    column = column_of(series)
    missing = bool((positions < 0).any())
    if column.ordered or column.dtype == "Enum":
        seen = tuple(level for level in column.categories if level in levels)
        kind = Ordinal if column.ordered else Categorical
        return kind(series.name, seen, missing=missing, column=column)
    with suppress(TypeError):  # levels of several types have no order: that of appearance stands
        levels = sorted(levels)
    return Categorical(series.name, tuple(levels), missing=missing, column=column)


def _ordinal(series: nw.Series[Any], order: Sequence[Any]) -> Ordinal:
    levels, positions = _levels(series)
    unknown = [level for level in levels if level not in order]
    if unknown:
        raise OptionError(
            f"The order of {series.name!r} leaves out {unknown[0]!r}.",
            f"List every level that the data have: {levels}.",
        )
    seen = tuple(level for level in order if level in levels)
    missing = bool((positions < 0).any())
    return Ordinal(series.name, seen, missing=missing, column=column_of(series))


def _levels(series: nw.Series[Any]) -> tuple[list[Any], np.ndarray]:
    levels, positions = levels_and_positions(series, "data")
    if not levels:
        raise DataError(f"The column {series.name!r} of `data` has no value.", "Drop the column.")
    return levels, positions
