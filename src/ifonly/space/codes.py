"""From a frame to codes, with every check that a frame must pass."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError, nearest
from ifonly.space.dtypes import held
from ifonly.space.feature import Categorical, Continuous, Feature
from ifonly.space.frame import levels_and_positions, numbers


def read_codes(features: Sequence[Feature], frame: nw.DataFrame[Any], what: str) -> np.ndarray:
    """float64 [n, d] of a frame; `what` is the argument's name, for messages."""
    _check_columns(frame.columns, [feature.name for feature in features], what)
    codes = np.empty((len(frame), len(features)), dtype=np.float64)
    native = frame.to_native()
    for j, feature in enumerate(features):
        # pandas natively: Narwhals' clothes cost more than the column of a single row.
        series = native[feature.name] if isinstance(native, pd.DataFrame) else frame[feature.name]
        if isinstance(feature, Continuous):
            codes[:, j] = held(numbers(series, what), feature, what)
        else:
            levels, positions = levels_and_positions(series, what)
            places = {(type(level), level): float(i) for i, level in enumerate(feature.levels)}
            index = [
                places[type(level), level]
                if (type(level), level) in places
                else _level_index(level, feature, f"row {np.argmax(positions == i)} of `{what}`")
                for i, level in enumerate(levels)
            ]
            codes[:, j] = np.array([*index, np.nan])[positions]
        _check_values(codes[:, j], feature, what)
    return codes


def _check_columns(columns: Sequence[str], names: Sequence[str], what: str) -> None:
    missing = [name for name in names if name not in columns]
    extra = [str(name) for name in columns if name not in names]
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
            f"`{what}` has the column{_list(extra)}, which no feature of the space explains.",
            f"If it is the outcome, or no feature of the model, drop it: "
            f"{what}.drop(columns={extra!r}).",
        )


def _list(names: Sequence[str]) -> str:
    return f"{'s' if len(names) > 1 else ''} {', '.join(map(repr, names[:8]))}"


def _level_index(level: Any, feature: Categorical, where: str) -> float:
    with suppress(ValueError):
        place = feature.levels.index(level)
        # Only objects tell 1 from True and from 1.0; in any other column they are one value.
        if feature.column.dtype != "object" or type(level) is type(feature.levels[place]):
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
        f"The column {feature.name!r} in {where} holds {level!r}, a level never seen.", hint
    )


def _check_values(codes: np.ndarray, feature: Feature, what: str) -> None:
    if not feature.missing and np.isnan(codes).any():
        place = int(np.flatnonzero(np.isnan(codes))[0])
        raise DataError(
            f"The column {feature.name!r} of `{what}` lacks a value in row {place}, and the data "
            "that describe the space lack none.",
            "Fill the value in, or describe the space from data in which it may be missing.",
        )
    if np.isinf(codes).any():
        raise DataError(
            f"The column {feature.name!r} of `{what}` holds an infinite value.",
            "Replace it with a number, or with a missing value where the model takes one.",
        )
    whole = feature.column.dtype.lower().startswith(("int", "uint"))
    odd = codes[~np.isnan(codes) & (codes != np.round(codes))]
    if whole and len(odd):
        raise DataError(
            f"The column {feature.name!r} of `{what}` holds {odd[0]}, and the data have whole "
            "numbers there.",
            "Round it, or give `data` with decimals.",
        )
