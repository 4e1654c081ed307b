"""Wide frames, built a dtype at a time.

A column at a time, a frame of some hundred columns takes longer to build than many models take to
answer. Numbers of one dtype are one array here, and stay one block of memory in pandas.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ifonly.space.feature import Continuous, Feature
from ifonly.space.table.dtypes import number_dtype
from ifonly.space.table.values import pandas_column, pandas_dtype

WIDE = 64
"""The number of features from which it pays."""


def build_blocks(
    features: Sequence[Feature], codes: np.ndarray, arrays: Sequence[Any]
) -> pd.DataFrame:
    """The frame of codes [n, d]: the same as that of `build_columns`."""
    missing, names = np.isnan(codes).any(axis=0), [feature.name for feature in features]
    blocks: dict[np.dtype[Any], list[int]] = {}
    rest = {}
    for j, feature in enumerate(features):
        number = isinstance(feature, Continuous) and number_dtype(feature.column.dtype)
        plain = number and not feature.column.unseen
        dtype = pandas_dtype(feature.column) if plain else None
        if isinstance(dtype, np.dtype) and not (dtype.kind in "iu" and missing[j]):
            blocks.setdefault(dtype, []).append(j)
        else:
            rest[feature.name] = pandas_column(feature, codes[:, j], arrays[j])
    # In the memory order of pandas' own blocks: sums over a row then add up alike.
    parts = [
        pd.DataFrame(
            codes[:, own].astype(dtype, order="F"), columns=[names[j] for j in own], copy=False
        )
        for dtype, own in blocks.items()
    ]
    if rest:
        parts.append(pd.DataFrame(rest, copy=False))
    return parts[0] if len(parts) == 1 else pd.concat(parts, axis=1)[names]
