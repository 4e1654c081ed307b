"""The values that a search tries for each feature.

A continuous feature has more values than a search can try. Half of its grid stands at quantiles of
the data, where rows are, and half evenly over the range, where an answer may have to go. A model of
trees says better which values matter: those beside its split points, between which nothing changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ifonly.space import Continuous, Space

FINE, COARSE = 64, 12


@dataclass(frozen=True, eq=False)
class Grid:
    """Sorted codes a feature to try alone, and the places among them of a few to combine."""

    fine: tuple[np.ndarray, ...]
    coarse: tuple[np.ndarray, ...]
    stops: Mapping[int, np.ndarray]
    """All codes beside a tree model's split points, by the feature's position."""

    @classmethod
    def of(
        cls,
        space: Space,
        data: np.ndarray | None = None,
        stops: Mapping[int, np.ndarray] | None = None,
    ) -> Grid:
        """The grid of a space and, where there are any, of training codes [n, d].

        `stops` are the codes beside a model's split points, by the feature's position.
        """
        fine = [_values(space, data, j, FINE) for j in range(len(space))]
        coarse = [_values(space, data, j, COARSE) for j in range(len(space))]
        for j, codes in (stops or {}).items():
            if len(codes) > 1:
                fine[j], coarse[j] = _thinned(codes, FINE), _thinned(codes, COARSE)
        places = list(map(_places, fine, coarse))
        for j, feature in enumerate(space.features):
            if feature.erasable:  # no value is one more to try
                places[j] = np.append(places[j], len(fine[j]))
                fine[j] = np.append(fine[j], np.nan)
        return cls(tuple(fine), tuple(places), dict(stops or {}))


def _thinned(codes: np.ndarray, most: int) -> np.ndarray:
    """At most so many of sorted codes, evenly spread, the ends included."""
    return codes[np.unique(np.linspace(0, len(codes) - 1, min(len(codes), most)).astype(np.intp))]


def _places(fine: np.ndarray, coarse: np.ndarray) -> np.ndarray:
    """The places in a sorted fine grid that are nearest to the values of a coarse one."""
    above = np.clip(np.searchsorted(fine, coarse), 1, max(len(fine) - 1, 1))
    above = np.minimum(above, len(fine) - 1)
    below = np.maximum(above - 1, 0)
    nearer = np.abs(fine[below] - coarse) <= np.abs(fine[above] - coarse)
    return np.unique(np.where(nearer, below, above))


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
