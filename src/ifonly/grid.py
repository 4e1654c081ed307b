"""The values that a search tries for each feature.

A continuous feature has more values than a search can try. Half of its grid stands at quantiles of
the data, where rows are, and half evenly over the range, where an answer may have to go.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.space import Continuous, Space

FINE, COARSE = 64, 12


@dataclass(frozen=True, eq=False)
class Grid:
    """Sorted codes a feature to try alone, and the places among them of a few to combine."""

    fine: tuple[np.ndarray, ...]
    coarse: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, space: Space, data: np.ndarray | None = None) -> Grid:
        """The grid of a space and, where there are any, of training codes [n, d]."""
        fine = tuple(_values(space, data, j, FINE) for j in range(len(space)))
        coarse = [_values(space, data, j, COARSE) for j in range(len(space))]
        return cls(fine, tuple(map(_places, fine, coarse)))


def _places(fine: np.ndarray, coarse: np.ndarray) -> np.ndarray:
    """The places in a fine grid that are nearest to the values of a coarse one."""
    return np.unique(np.abs(fine[:, None] - coarse).argmin(axis=0))


def _values(space: Space, data: np.ndarray | None, j: int, most: int) -> np.ndarray:
    feature = space.features[j]
    if not isinstance(feature, Continuous):
        return np.arange(len(feature.levels), dtype=np.float64)
    steps = round((feature.high - feature.low) / feature.step)
    if steps < most:
        values = feature.low + feature.step * np.arange(steps + 1)
    else:
        even = np.linspace(feature.low, feature.high, most if data is None else most // 2)
        known = np.empty(0) if data is None else data[~np.isnan(data[:, j]), j]
        shares = np.linspace(0, 1, most - len(even))
        values = np.concatenate([even, np.quantile(known, shares) if len(known) else known])
    return np.unique(np.clip(np.round(values, feature.decimals), feature.low, feature.high))
