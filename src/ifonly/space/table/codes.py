"""From a frame to codes, with every check that a frame must pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError, nearest
from ifonly.space.feature import Categorical, Continuous, Feature
from ifonly.space.table.dates import date_codes
from ifonly.space.table.dtypes import (
    held,
    holds_whole,
)
from ifonly.space.table.frame import levels_and_positions, numbers
from ifonly.space.table.unseen import (
    level_place,
    read_own,
)


def read_codes(
    features: Sequence[Feature], frame: nw.DataFrame[Any], what: str, carry: Sequence[Any] = ()
) -> np.ndarray:
    """float64 [n, d] of a frame, which may `carry` columns; `what` is its name, for messages."""
    _check_columns(features, frame.columns, what, carry)
    codes = np.empty((len(frame), len(features)), dtype=np.float64)
    for j, feature in enumerate(features):
        codes[:, j] = _column_codes(feature, _series(frame, feature.name), what)
    return codes


def read_rows(
    features: Sequence[Feature], frame: nw.DataFrame[Any], what: str, carry: Sequence[Any] = ()
) -> tuple[tuple[Feature, ...], np.ndarray]:
    """float64 [n, d] of rows that are asked, and the features with their unseen values."""
    _check_columns(features, frame.columns, what, carry)
    codes, own = np.empty((len(frame), len(features)), dtype=np.float64), list(features)
    for j, feature in enumerate(features):
        series = _series(frame, feature.name)
        try:
            codes[:, j] = _column_codes(feature, series, what)
        except DataError as error:
            mixed = isinstance(series, pd.Series)
            own[j], codes[:, j] = read_own(feature, series.to_list(), error, mixed=mixed)
    return tuple(own), codes


def _series(frame: nw.DataFrame[Any], name: str) -> Any:
    # pandas natively: Narwhals' clothes cost more than the column of a single row.
    native = frame.to_native()
    return native[name] if isinstance(native, pd.DataFrame) else frame[name]


def _column_codes(feature: Feature, series: Any, what: str) -> np.ndarray:
    """float64 [n] of a column; a value that the data do not have is refused."""
    if isinstance(feature, Continuous) and feature.column.unit:
        codes = date_codes(series, feature, what)
    elif isinstance(feature, Continuous):
        codes = held(numbers(series, what), feature, what)
    else:
        levels, positions = levels_and_positions(series, what)
        known = feature.codes
        index = [
            known[type(level), level]
            if (type(level), level) in known
            else _level_index(level, feature, f"row {np.argmax(positions == i)} of `{what}`")
            for i, level in enumerate(levels)
        ]
        codes = np.array([*index, np.nan])[positions]
    _check_values(codes, feature, what)
    return codes


def _check_columns(
    features: Sequence[Feature], columns: Sequence[str], what: str, carry: Sequence[Any]
) -> None:
    names, carried = [feature.name for feature in features], [one.name for one in carry]
    known = {*names, *carried}
    missing = [name for name in names if name not in columns]
    extra = [str(name) for name in columns if name not in known]
    if missing and extra:
        raise DataError(
            f"`{what}` lacks the column {missing[0]!r} and has an unknown column {extra[0]!r}.",
            nearest(extra[0], missing),
        )
    if missing:
        raise DataError(
            f"`{what}` lacks the column{_list(missing)}.",
            "Give every feature that the model was trained on.",
        )
    if extra:
        raise DataError(
            f"`{what}` has the column{_list(extra)}, which is not a feature of the space.",
            f"If it is the outcome, or no feature of the model, drop it: "
            f"{what}.drop(columns={extra!r}).",
        )


def _list(names: Sequence[str]) -> str:
    return f"{'s' if len(names) > 1 else ''} {', '.join(map(repr, names[:8]))}"


def _level_index(level: Any, feature: Categorical, where: str) -> float:
    place = level_place(level, feature)
    if place is not None:
        return float(place)
    alike = (known for known in feature.levels if known == level or str(known) == str(level))
    twin = next(alike, None)
    hint = nearest(level, feature.levels)
    if twin is not None:
        hint = (
            f"The data has the {type(twin).__name__} {twin!r}, this is the "
            f"{type(level).__name__} {level!r}: convert the column."
        )
    raise DataError(
        f"The column {feature.name!r} in {where} holds {level!r}, which is not a known level.", hint
    )


def _check_values(codes: np.ndarray, feature: Feature, what: str) -> None:
    if not feature.missing and np.isnan(codes).any():
        place = int(np.flatnonzero(np.isnan(codes))[0])
        raise DataError(
            f"The column {feature.name!r} of `{what}` has no value in row {place}, and the data "
            "that describe the space have no missing values there.",
            "Fill the value in, or describe the space from data in which it may be missing.",
        )
    if np.isinf(codes).any():
        raise DataError(
            f"The column {feature.name!r} of `{what}` holds an infinite value.",
            "Replace it with a number, or with a missing value where the model takes one.",
        )
    whole = holds_whole(feature.column.dtype)
    odd = codes[~np.isnan(codes) & (codes != np.round(codes))]
    if whole and len(odd):
        raise DataError(
            f"The column {feature.name!r} of `{what}` holds {odd[0]}, and the data have whole "
            "numbers there.",
            "Round it, or give `data` with decimals.",
        )
