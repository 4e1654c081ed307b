"""What each row may become, feature by feature: the part of the rules that needs no search.

A value is allowed if it lies between `low` and `high`, or is one of the allowed `levels`, or is the
row's own value where that may be kept. The row's own value is a case of its own because it may lie
outside the range of the space, and because a fixed feature may have no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ifonly.arrays.batches import pick
from ifonly.space import Space
from ifonly.space.distance import differs
from ifonly.space.table.unseen import is_unseen, is_unseen_value

FEW = 64
"""Up to so many rows, writing a shared one out is faster than sharing it."""
CLOSE = 1e-6
"""The share of a feature's step within which two values are one; floats do not add up exactly."""


@dataclass(frozen=True)
class Box:
    """The values allowed to each row."""

    space: Space
    x: np.ndarray
    """[q, d] the rows' own codes."""
    low: np.ndarray
    """[q, d] the lowest allowed value of a continuous feature."""
    high: np.ndarray
    """[q, d]"""
    levels: np.ndarray
    """bool [q, w] the allowed levels, in unit columns; True in continuous columns."""
    keep: np.ndarray
    """bool [q, d] whether the row's own value may stay."""
    erase: np.ndarray
    """bool [q, d] whether the value may go missing."""

    @classmethod
    def whole(cls, space: Space, x: np.ndarray) -> Box:
        """All of a space, and each row's own values.

        A missing value stays missing, and none goes missing, unless the feature says otherwise.
        One that the data do not have may always change to a known one.
        """
        low = np.broadcast_to(space.low, x.shape)
        high = np.broadcast_to(space.high, x.shape)
        levels = np.broadcast_to(np.True_, (len(x), space.offsets[-1]))
        erase = np.array([feature.erasable for feature in space.features])
        keep = np.broadcast_to(np.True_, x.shape)
        box = cls(space, x, low, high, levels, keep, np.broadcast_to(erase, x.shape))
        fillable = np.array([feature.fillable for feature in space.features])
        for j in np.flatnonzero(np.isnan(x).any(axis=0) & ~fillable):
            box = box.only_own(int(j), np.isnan(x[:, j]) & ~is_unseen(x[:, j]))
        return box

    @cached_property
    def every_level(self) -> bool:
        """Whether each row may have each level."""
        return bool(self.levels.all())

    @property
    def shared(self) -> bool:
        """Whether one row stands for all: their limits are the same, and they have every level."""
        return self.every_level and not (self.low.strides[0] or self.high.strides[0])

    def within(self, j: int, low: np.ndarray | float, high: np.ndarray | float) -> Box:
        """The box where feature j lies between low and high; its own value too."""
        lows, highs, keep = self.low.copy(), self.high.copy(), self.keep.copy()
        power = 10.0 ** int(self.space.decimals[j])
        lows[:, j] = np.fmax(lows[:, j], inward(low, power, np.ceil))
        highs[:, j] = np.fmin(highs[:, j], inward(high, power, np.floor))
        own = self.x[:, j]
        slack = CLOSE / power
        keep[:, j] &= np.isnan(own) | ((own >= low - slack) & (own <= high + slack))
        return replace(self, low=lows, high=highs, keep=keep, erase=self._kept(j))

    def among(self, j: int, allowed: np.ndarray, *, unseen: bool = True) -> Box:
        """The box where feature j has one of the allowed levels, bool [q, L] or [L].

        `unseen` says whether a row may keep a level that the data do not have.
        """
        levels, keep = self.levels.copy(), self.keep.copy()
        columns = slice(self.space.offsets[j], self.space.offsets[j + 1])
        levels[:, columns] &= allowed
        own = self.x[:, j]
        level = np.nan_to_num(own).astype(np.intp)[:, None]
        spread = np.broadcast_to(allowed, (len(own), np.shape(allowed)[-1]))
        stays = np.isnan(own)
        if not unseen:
            stays &= ~is_unseen_value(self.space.features[j], own)
        keep[:, j] &= stays | (~np.isnan(own) & np.take_along_axis(spread, level, axis=1)[:, 0])
        return replace(self, levels=levels, keep=keep, erase=self._kept(j))

    def only_own(self, j: int, rows: np.ndarray | None = None) -> Box:
        """The box where feature j keeps its own value, in all rows or those of a mask [q]."""
        rows = np.ones(len(self.x), dtype=bool) if rows is None else rows
        low, high, levels = self.low.copy(), self.high.copy(), self.levels.copy()
        low[rows, j], high[rows, j] = np.inf, -np.inf
        if not self.space.continuous[j]:
            levels[rows, self.space.offsets[j] : self.space.offsets[j + 1]] = False
        return replace(self, low=low, high=high, levels=levels, erase=self._kept(j, rows))

    def without_erasing(self, columns: Sequence[int]) -> Box:
        """The box in which the values of some features never go missing."""
        if not self.erase[:, columns].any():
            return self
        erase = self.erase.copy()
        erase[:, columns] = False
        return replace(self, erase=erase)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """bool [q, m, d]: the values of points [q, m, d] that are allowed."""
        inside = points >= self.low[:, None]
        inside &= points <= self.high[:, None]
        if not self.every_level:
            categories = np.flatnonzero(~self.space.continuous)
            levels = points[:, :, categories]
            known = levels == levels
            starts = np.asarray(self.space.offsets)[categories]
            columns = np.where(known, levels, 0.0).astype(np.intp) + starts
            allowed = pick(self.levels, columns.reshape(len(points), -1))
            inside[:, :, categories] = allowed.reshape(known.shape) & known
        if self.erase.any():
            inside |= np.isnan(points) & self.erase[:, None]
        some = np.flatnonzero(~inside.all(axis=(0, 1)))
        if len(some):
            own = ~differs(points[:, :, some], self.x[:, None, some])
            inside[:, :, some] |= own & self.keep[:, None, some]
        return np.asarray(inside)

    def empty(self) -> np.ndarray:
        """bool [q, d]: the features left without any value."""
        none = self.low > self.high
        for j in np.flatnonzero(~self.space.continuous):
            columns = slice(self.space.offsets[j], self.space.offsets[j + 1])
            none[:, j] = not self.every_level and ~self.levels[:, columns].any(axis=1)
        return np.asarray(none & ~self.keep)

    def frozen(self) -> np.ndarray:
        """bool [q, d]: the features that can only keep the row's own value."""
        own, open_end = self.x, self.low <= self.high
        other = open_end & ~((self.low == self.high) & (self.low == own))
        for j in np.flatnonzero(~self.space.continuous):
            allowed = self.levels[:, self.space.offsets[j] : self.space.offsets[j + 1]]
            if self.every_level and allowed.shape[1] > 1:
                other[:, j] = True
                continue
            is_own = np.arange(allowed.shape[1]) == own[:, j : j + 1]
            other[:, j] = (allowed & ~is_own).any(axis=1)
        return np.asarray(~other & ~(self.erase & ~np.isnan(own)))

    def clip(self, points: np.ndarray) -> np.ndarray:
        """[q, m, d] points moved inside: numbers to the nearest end, levels back to the row's own.

        Where the row's own level may not stay either, the first allowed one is taken.
        """
        inside = self.contains(points)
        if inside.all():
            return points
        x = np.broadcast_to(self.x[:, None], points.shape)
        ended = np.clip(points, self.low[:, None], np.maximum(self.high, self.low)[:, None])
        own = np.where(self.keep[:, None], x, self._first_level()[:, None])
        open_end = (self.low <= self.high)[:, None] & self.space.continuous
        moved = np.where(open_end & ~np.isnan(points), ended, own)
        return np.where(inside, points, moved)

    def take(self, rows: np.ndarray) -> Box:
        """The box of some rows."""
        parts = (self.x, self.low, self.high, self.levels, self.keep, self.erase)
        return Box(self.space, *(_taken(part, rows) for part in parts))

    def put(self, rows: np.ndarray, part: Box) -> Box:
        """The box with that of some rows in its place."""
        parts = []
        for name in ("low", "high", "levels", "keep", "erase"):
            whole = np.array(getattr(self, name))
            whole[rows] = getattr(part, name)
            parts.append(whole)
        return Box(self.space, self.x, *parts)

    def _kept(self, j: int, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """bool [q, d] what may go missing, where a rule speaks of feature j: not that."""
        erase = self.erase.copy()
        erase[rows, j] = False
        return erase

    def _first_level(self) -> np.ndarray:
        """[q, d] the first allowed level of each category; the low end of each number.

        Of a number that may have no value at all, the row's own.
        """
        first = np.where(self.low <= self.high, self.low, self.x)
        for j in np.flatnonzero(~self.space.continuous):
            columns = slice(self.space.offsets[j], self.space.offsets[j + 1])
            first[:, j] = self.levels[:, columns].argmax(axis=1)
        return first


def _taken(part: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows of a part; one row that stands for all is not written out."""
    if part.strides[0] or not len(part) or len(rows) <= FEW:
        return np.asarray(part[rows])
    return np.broadcast_to(part[0], (len(rows), part.shape[1]))


def inward(bound: Any, power: float, onto: Any) -> Any:
    """A bound moved inward onto the value grid, unless it is there but for rounding."""
    product = np.multiply(bound, power)
    nearest = np.round(product)
    there = np.isclose(product, nearest, rtol=1e-12, atol=CLOSE)
    return np.where(there, nearest, onto(product)) / power
