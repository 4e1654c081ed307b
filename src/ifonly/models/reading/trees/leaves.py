"""All leaves of a reading's trees, and the places of each feature that lead to them.

The values of a number between two neighbouring thresholds are one *place*. A category has a place
for each level, and a missing value has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ifonly.models.reading.trees.trees import Trees
from ifonly.space import Space


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of all trees, tree after tree, over places."""

    cuts: tuple[np.ndarray, ...]
    """Of each feature the sorted thresholds; none of a category."""
    first: np.ndarray
    """int [d, L] the first place of a number that comes to a leaf."""
    last: np.ndarray
    """int [d, L]"""
    listed: tuple[np.ndarray, ...]
    """Of each feature bool [n, L]: of a category its levels, then the missing value."""
    tree: np.ndarray
    """int [L]"""
    value: np.ndarray
    """[L, c]"""

    @classmethod
    def of(
        cls,
        space: Space,
        numbers: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
        listed: tuple[np.ndarray, ...],
        *,
        tree: np.ndarray,
        value: np.ndarray,
    ) -> Leaves:
        """Those to which `numbers` [n] above low [L, n] and at most high [L, n] come."""
        cuts = [np.empty(0)] * len(space)
        for j, a, b in zip(numbers.tolist(), low.T, high.T, strict=True):
            ends = np.unique(np.concatenate([a, b]))
            cuts[j] = ends[np.isfinite(ends)]
        dtype = np.int16 if max(map(len, cuts)) < 1 << 14 else np.int32
        first = np.zeros((len(space), len(low)), dtype)
        last = np.where(space.continuous, 0, -1).astype(dtype)[:, None] + first
        for j, a, b in zip(numbers.tolist(), low.T, high.T, strict=True):
            # Above infinity, or at most minus infinity, there is no place.
            first[j] = np.searchsorted(cuts[j], a, side="right") + (a == np.inf)
            last[j] = np.searchsorted(cuts[j], b, side="left") - (b == -np.inf)
        return cls(tuple(cuts), first, last, listed, tree, value)

    @cached_property
    def listed_runs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The runs of listed places that come to leaves.

        int [d] by which row of the next, -1 where nothing is listed; int [rows * L + 1] where the
        runs of each leaf begin; int [s] the first places of runs among those listed, and what comes
        next.
        """
        many = len(self.tree)
        some = [j for j, listed in enumerate(self.listed) if listed.any()]
        row = np.full(len(self.listed), -1)
        row[some] = np.arange(len(some))
        parts = []
        for at, j in enumerate(some):
            change = np.diff(np.pad(self.listed[j].T, ((0, 0), (1, 1))).astype(np.int8), axis=1)
            (leaf, first), (_, end) = np.nonzero(change > 0), np.nonzero(change < 0)
            parts.append((at * many + leaf, first, end))
        none = np.empty(0, dtype=np.intp)
        owner, first, end = map(np.concatenate, zip((none, none, none), *parts, strict=True))
        begin = np.zeros(len(some) * many + 1, dtype=np.intp)
        begin[1:] = np.cumsum(np.bincount(owner, minlength=len(some) * many))
        return row, begin, first, end

    @property
    def width(self) -> int:
        """How many places the features have, those of missing values and ends included."""
        return sum(len(c) + 2 + len(rest) for c, rest in zip(self.cuts, self.listed, strict=True))


@lru_cache(maxsize=4)
def leaves_of(reading: Trees) -> Leaves:
    """The leaves of a reading."""
    space, regions = reading.space, reading.regions
    listed = []
    for j, number in enumerate(space.continuous):
        levels = regions.levels[:, space.offsets[j] : space.offsets[j + 1]].T
        missing = regions.missing[:, j][None]
        listed.append(missing if number else np.concatenate([levels, missing]))
    tree, value = reading.joined.owner, reading.joined.tree.value
    numbers = np.flatnonzero(space.continuous)
    low, high = regions.low[:, numbers], regions.high[:, numbers]
    return Leaves.of(space, numbers, low, high, tuple(listed), tree=tree, value=value)
