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
    def stretches(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The stretches of places that come to leaves, those of feature j and leaf l at j * L + l.

        int [d * L + 1] where those of each begin, int [s] their first places and what comes next.
        """
        many, parts = len(self.tree), []
        for j, (cuts, first, last) in enumerate(zip(self.cuts, self.first, self.last, strict=True)):
            some = np.flatnonzero(first <= last)
            parts.append((j * many + some, first[some], last[some] + 1))
            listed = np.pad(self.listed[j].T, ((0, 0), (1, 1))).astype(np.int8)
            change = np.diff(listed, axis=1)
            before = len(cuts) + 1 if (last >= 0).any() else 0
            (leaf, start), (_, end) = np.nonzero(change > 0), np.nonzero(change < 0)
            parts.append((j * many + leaf, before + start, before + end))
        owner, first, end = (np.concatenate(one) for one in zip(*parts, strict=True))
        order = np.argsort(owner, kind="stable")
        begin = np.searchsorted(owner[order], np.arange(len(self.cuts) * many + 1))
        return begin, first[order].astype(np.int32), end[order].astype(np.int32)

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
