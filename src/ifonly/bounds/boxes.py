"""Boxes of points over codes: numbers between two ends, some of the levels, and missing values.

A box has every number between its ends that its column can hold: whole numbers of a column of whole
numbers, and any number of the others, also beside the value grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.arrays.keys import row_streams, uniforms
from ifonly.space import Continuous, Space
from ifonly.space.table.dtypes import holds_whole

BITS = 4
CORNERS = 1 << BITS
"""How many corners of a box are looked at: all of them, where so many numbers vary."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """n boxes."""

    space: Space
    low: np.ndarray
    """[n, d] the least number; NaN where there is none, and for categories."""
    high: np.ndarray
    """[n, d]"""
    levels: np.ndarray
    """bool [n, w] the levels, in unit columns; False in the columns of numbers."""
    missing: np.ndarray
    """bool [n, d] whether a value may be missing."""

    @classmethod
    def at(cls, space: Space, points: np.ndarray) -> Boxes:
        """Boxes of one point [n, d] each."""
        numbers = np.where(space.continuous, points, np.nan)
        columns = np.asarray(space.units(points)).astype(bool) & ~number_columns(space)
        return cls(space, numbers, numbers.copy(), columns, np.isnan(points))

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, rows: np.ndarray | slice) -> Boxes:
        parts = (self.low, self.high, self.levels, self.missing)
        return Boxes(self.space, *(part[rows] for part in parts))

    def join(self, *others: Boxes) -> Boxes:
        """These and others."""
        names = ("low", "high", "levels", "missing")
        every = (self, *others)
        return Boxes(
            self.space, *(np.concatenate([getattr(one, name) for one in every]) for name in names)
        )

    def contain(self, points: np.ndarray) -> np.ndarray:
        """bool [n, m, d]: the values of points [m, d], or [n, m, d], that lie inside."""
        points = points if points.ndim == 3 else points[None]
        inside = (points >= self.low[:, None]) & (points <= self.high[:, None])
        for j in np.flatnonzero(~self.space.continuous):
            own = self.levels[:, self.space.offsets[j] : self.space.offsets[j + 1]]
            code = np.nan_to_num(points[..., j], nan=-1).astype(np.intp)
            known = (code >= 0) & (code < own.shape[1])
            code = np.broadcast_to(np.where(known, code, 0), (len(self), points.shape[1]))
            inside[..., j] = np.take_along_axis(own, code, axis=1) & known
        return np.asarray(inside | (np.isnan(points) & self.missing[:, None]))

    @property
    def wide(self) -> np.ndarray:
        """bool [n, d]: the features that have more than one value."""
        starts = np.asarray(self.space.offsets[:-1])
        levels = np.add.reduceat(self.levels.astype(np.intp), starts, axis=1)
        some = ~np.isnan(self.low)
        several = (self.high > self.low) | (levels > 1)
        return np.asarray(several | (self.missing & (some | (levels > 0))))

    def put(self, rows: np.ndarray, j: np.ndarray, side: Boxes) -> Boxes:
        """The boxes of some rows with feature j [rows] of others' in its place."""
        low, high, missing = self.low[rows], self.high[rows], self.missing[rows]
        at = np.arange(len(rows)), j
        low[at], high[at], missing[at] = side.low[at], side.high[at], side.missing[at]
        own = owner(self.space) == j[:, None]
        levels = np.where(own, side.levels, self.levels[rows])
        return Boxes(self.space, low, high, levels, missing)

    def draw(self, count: int, seed: int) -> np.ndarray:
        """[n, count, d] points drawn evenly, feature by feature; the same for the same box.

        Numbers are those of the value grid between the ends, and the ends.
        """
        key = np.concatenate([self.low, self.high, self.levels, self.missing], axis=1)
        streams = row_streams(key, seed)
        drawn = np.empty((len(self), count, len(self.space)))
        for j, feature in enumerate(self.space.features):
            share = uniforms(streams, count, purpose=2 * j)
            if isinstance(feature, Continuous):
                low, high = self.low[:, j, None], self.high[:, j, None]
                step = 1.0 if whole(self.space)[j] else feature.step
                value = np.round(low + share * (high - low) * (1 + 1e-12), feature.decimals)
                value = np.where(step == 1.0, np.round(value), value)
                drawn[..., j] = np.where(high > low, np.clip(value, low, high), low)
                some = ~np.isnan(low)
            else:
                own = self.levels[:, self.space.offsets[j] : self.space.offsets[j + 1]]
                count_of = own.sum(axis=1, keepdims=True)
                rank = (share * count_of).astype(np.intp) + 1
                drawn[..., j] = (own.cumsum(axis=1)[:, None] < rank[..., None]).sum(axis=-1)
                some = count_of > 0
            gap = uniforms(streams, count, purpose=2 * j + 1) < 0.5
            drawn[..., j][self.missing[:, j, None] & (gap | ~some)] = np.nan
        return drawn

    def corners(self) -> np.ndarray:
        """[n, CORNERS, d] ends of the numbers of boxes, combined, at drawn levels.

        Of four numbers that vary these are all corners; of more, some of them vary together.
        """
        varies = (self.high > self.low) & np.asarray(self.space.continuous)
        rank = (varies.cumsum(axis=1) - 1) % BITS
        high = (np.arange(CORNERS)[:, None] >> rank[:, None]) & 1
        ends = np.where(high, self.high[:, None], self.low[:, None])
        return np.where(varies[:, None], ends, self.draw(CORNERS, 2))


def whole(space: Space) -> np.ndarray:
    """bool [d]: the columns that hold whole numbers alone."""
    return np.array(
        [isinstance(f, Continuous) and holds_whole(f.column.dtype) for f in space.features]
    )


def owner(space: Space) -> np.ndarray:
    """int [w] the feature of each unit column."""
    return np.repeat(np.arange(len(space)), np.diff(space.offsets))


def number_columns(space: Space) -> np.ndarray:
    """bool [w]: the unit columns of numbers."""
    return np.asarray(space.continuous)[owner(space)]
