"""Points beside the rows they started from: what a rule looks at, and where it may move a point.

A scene is whole, points [q, m, d] of rows x [q, d], or flat: some points [n, d], each with the
position of its row. Rules read one feature at a time and do not care which; only a flat scene has a
box, and only there are points moved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ifonly.rules.box import CLOSE, Box, inward
from ifonly.space import Continuous, Feature, Space
from ifonly.space.distance import differs

STRICT = 1e-3
"""The share of a step that makes 'more than' out of 'at least'."""


def is_flag(feature: Feature) -> bool:
    """Whether the levels of a feature are 0 and 1, or False and True, or one of the two."""
    levels = getattr(feature, "levels", ())
    numbers = all(isinstance(level, bool | int | float | np.generic) for level in levels)
    return bool(levels) and numbers and all(level in (0, 1) for level in levels)


def as_number(feature: Feature) -> tuple[float, float]:
    """What is added and what multiplies a code to make it the number that is compared."""
    if isinstance(feature, Continuous):
        return 0.0, 1.0
    first, *others = map(float, feature.levels)
    return first, others[0] - first if others else 0.0


@dataclass(frozen=True)
class Scene:
    """Rows, points, and in a flat scene the box of the rows and each point's row."""

    space: Space
    x: np.ndarray
    """[q, d]"""
    points: np.ndarray
    """[q, m, d], or [n, d] in a flat scene."""
    box: Box | None = None
    rows: np.ndarray | None = None
    """[n] each point's row; None in a whole scene."""

    def value(self, j: int) -> np.ndarray:
        """[...] the points' values of feature j."""
        return np.asarray(self.points[..., j])

    def amount(self, j: int) -> np.ndarray:
        """[...] the points' values of feature j as numbers: 0 and 1 of a flag."""
        start, times = as_number(self.space.features[j])
        value = self.value(j)
        return value if (start, times) == (0.0, 1.0) else start + times * value

    def own(self, j: int) -> np.ndarray:
        """[...] the rows' own values of feature j, as wide as the points or broadcast to them."""
        return np.asarray(self.x[:, None, j] if self.rows is None else self.x[self.rows, j])

    def changed(self, j: int) -> np.ndarray:
        """bool [...]: whether feature j differs from the row's own; missing equals missing."""
        return differs(self.value(j), self.own(j))

    def step(self, j: int) -> float:
        """The distance between two neighbouring values; 1 for levels."""
        return float(10.0 ** -self.space.decimals[j])

    def gap(self, j: int, values: np.ndarray) -> np.ndarray:
        """[...] how far `values` are from the points': MADs, or 1 for another level."""
        away = np.abs(np.nan_to_num(values - self.value(j), nan=1.0))
        feature = self.space.features[j]
        if isinstance(feature, Continuous):
            return np.asarray(away / feature.mad)
        return np.asarray(np.minimum(away, 1.0))

    def distance(self, points: np.ndarray) -> np.ndarray:
        """[n] how far other `points` [n, d] are from the scene's, over all features."""
        gaps = [self.gap(j, points[..., j]) for j in range(len(self.space))]
        return np.asarray(np.sum(gaps, axis=0))

    def moved(self, points: np.ndarray) -> Scene:
        """The scene with its points elsewhere."""
        return replace(self, points=points)

    def with_value(self, j: int, values: np.ndarray) -> np.ndarray:
        """[n, d] the points with other values of feature j; where those are NaN, as they are."""
        points = self.points.copy()
        points[:, j] = np.where(np.isnan(values), points[:, j], values)
        return points

    def back(self, j: int) -> np.ndarray:
        """[n, d] the points with the row's own value of feature j, or none, where it may stay."""
        assert self.box is not None
        points = self.points.copy()
        points[:, j] = np.where(self.box.keep[self.rows, j], self.own(j), points[:, j])
        return points

    def own_value(self, j: int) -> np.ndarray:
        """[n] the row's own value where it may stay, else NaN."""
        assert self.box is not None
        return np.where(self.box.keep[self.rows, j], self.own(j), np.nan)

    def between(self, j: int, low: Any, high: Any) -> np.ndarray:
        """[n] the value nearest to the point's that is allowed and between low and high, or NaN.

        Bounds are of codes: for an ordered category they are places in its order.
        """
        assert self.box is not None
        slack = CLOSE * self.step(j)
        own = self.own(j)
        stays = self.box.keep[self.rows, j] & (own >= low - slack) & (own <= high + slack)
        if not self.space.continuous[j]:
            places = np.arange(self._levels(j).shape[1])
            wide = (np.asarray(end)[..., None] for end in (low - slack, high + slack))
            bottom, top = wide
            return self.level(j, (places >= bottom) & (places <= top))
        power = 10.0 ** int(self.space.decimals[j])
        least = np.fmax(self.box.low[self.rows, j], inward(low, power, np.ceil))
        most = np.fmin(self.box.high[self.rows, j], inward(high, power, np.floor))
        ended = np.minimum(np.maximum(self.value(j), least), most)
        return np.where(least <= most, ended, np.where(stays, own, np.nan))

    def level(self, j: int, wanted: np.ndarray) -> np.ndarray:
        """[n] an allowed level among those wanted, bool [L] or [n, L]; NaN where there is none.

        The point's own choice if it can stay, then the row's level, then the nearest in order; of
        levels without order, one that depends on the point, so that not all points get the same.
        """
        allowed = self._levels(j) & wanted
        count = allowed.shape[1]
        value, own = self.value(j)[:, None], self.own(j)[:, None]
        places = np.arange(count)
        if type(self.space.features[j]).__name__ == "Ordinal":
            cost = np.abs(places - value)
        else:
            turn = np.nan_to_num(np.abs(self.points)).sum(axis=1, keepdims=True) // 1
            cost = 1.0 + (places - turn) % count
            cost = np.where(places == own, 0.5, cost)
        cost = np.where(places == value, 0.0, np.nan_to_num(cost))
        cost = np.where(allowed, cost, np.inf)
        best = cost.argmin(axis=1)
        found = np.take_along_axis(cost, best[:, None], axis=1)[:, 0] < np.inf
        return np.where(found, best.astype(np.float64), np.nan)

    def _levels(self, j: int) -> np.ndarray:
        """bool [n, L] the levels that each point may have."""
        assert self.box is not None
        columns = slice(self.space.offsets[j], self.space.offsets[j + 1])
        levels = self.box.levels[self.rows, columns].copy()
        own, keep = self.own(j), self.box.keep[self.rows, j]
        here = np.flatnonzero(~np.isnan(own))
        place = own[here].astype(np.intp)
        levels[here, place] = np.where(keep[here], True, levels[here, place])
        return np.asarray(levels)
