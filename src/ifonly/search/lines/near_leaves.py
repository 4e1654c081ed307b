"""The leaves of large forests that points near a row come to.

Each tree is gone down from its root. What a row pays at the least to come to a node is known there:
for each feature the price of the nearest value that leads there. Nodes that cost as much as an
answer that is known are left out, with all below them. Of a million leaves, thousands remain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from ifonly.models.reading import Trees
from ifonly.problem.problem import Problem
from ifonly.search.lines.places import Leaves, places_of, prices_of

MOST = 1 << 14
"""The most leaves of a row, about: with more, only the nearer points are looked at."""
ROOM = 1 << 28
"""The bytes of the nodes that are looked at together."""


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Nodes of trees that rows may come to, and between which values they do."""

    row: np.ndarray
    """int [n]"""
    node: np.ndarray
    """int [n] among the nodes of all trees; ~leaf for a leaf."""
    low: np.ndarray
    """[n, d] a number is above it."""
    high: np.ndarray
    """[n, d] a number is at most this."""
    listed: np.ndarray
    """bool [n, w] the levels and missing values that lead there, at their places in lines."""
    cost: np.ndarray
    """[n, d] what each feature costs at the least."""

    def take(self, index: np.ndarray) -> _Nodes:
        """Some of them."""
        return _Nodes(*(getattr(self, one.name)[index] for one in fields(self)))


@lru_cache(maxsize=2)
def _listed(reading: Trees) -> np.ndarray:
    """bool [n, w] the levels and missing values that go left, at their places in lines."""
    tree = reading.joined.tree
    starts = np.cumsum([0, *(len(getattr(f, "levels", (f,))) + 2 for f in reading.space.features)])
    listed = np.zeros((len(tree.feature), starts[-1]), dtype=bool)
    for j, (first, last) in enumerate(pairwise(starts.tolist())):
        own = np.flatnonzero(tree.feature == j)
        listed[own, last - 2] = tree.missing[own]
        if not reading.space.continuous[j]:
            listed[own, first : last - 2] = tree.levels[own, : last - 2 - first]
    return listed


def near_leaves(
    problem: Problem, reading: Trees, known: np.ndarray
) -> Iterator[tuple[Leaves, float]]:
    """For each row the leaves of all points that cost less than a price, and that price.

    It is the row's own of `known` [q], or one below that where there were too many leaves.
    """
    d, width = len(reading.space), reading.space.offsets[-1] + 2 * len(reading.space)
    size = max(1, ROOM // (MOST * (3 * 8 * d + width)))
    for start in range(0, len(problem.x), size):
        part = slice(start, start + size)
        yield from _Walk(problem.take(np.arange(len(problem.x))[part]), reading, known[part]).rows()


class _Walk:
    """From the roots of all trees to the leaves that are near rows."""

    def __init__(self, problem: Problem, reading: Trees, known: np.ndarray) -> None:
        self.problem, self.forest, self.limit = problem, reading.joined, known.astype(np.float64)
        self.listed = _listed(reading)
        self.starts, codes, self.own = places_of(problem, [np.empty(0)] * len(problem.space))
        self.price = prices_of(problem, codes, self.starts)
        self.owner = np.repeat(np.arange(len(problem.space)), np.diff(self.starts))
        metric = problem.metric
        self.rates = np.tile(metric.scale / metric.mad, (2, 1))
        for j, factors in metric.costs.items():
            if problem.space.continuous[j]:
                self.rates[:, j] *= factors

    def rows(self) -> Iterator[tuple[Leaves, float]]:
        """For each row the leaves, and below which price they are all."""
        found = []
        at = self._roots()
        while len(at.row):
            found.append(at.take(np.flatnonzero(at.node < 0)))
            at = self._below(at.take(np.flatnonzero(at.node >= 0)))
            if len(at.row) + sum(len(one.row) for one in found) > MOST:
                at = self._fewer(at, found)
        names = [one.name for one in fields(_Nodes)]
        every = _Nodes(*(np.concatenate([getattr(one, name) for one in found]) for name in names))
        every = every.take(every.cost.sum(axis=1) < self.limit[every.row])
        every = every.take(np.lexsort((~every.node, every.row)))
        ends = np.searchsorted(every.row, np.arange(len(self.limit) + 1))
        for row, (first, last) in enumerate(pairwise(ends.tolist())):
            yield self._leaves(every.take(np.arange(first, last))), float(self.limit[row])

    def _fewer(self, at: _Nodes, found: list[_Nodes]) -> _Nodes:
        """Nodes without those above lower limits, of rows that have too many with leaves found."""
        row = np.concatenate([one.row for one in (at, *found)])
        total = np.concatenate([one.cost.sum(axis=1) for one in (at, *found)])
        for one in np.flatnonzero(np.bincount(row) > MOST):
            nearer = np.partition(total[row == one], MOST)[MOST]
            self.limit[one] = min(self.limit[one], nearer)
        return at.take(np.flatnonzero(total[: len(at.row)] < self.limit[at.row]))

    def _leaves(self, nodes: _Nodes) -> Leaves:
        space, forest = self.problem.space, self.forest
        pairs = zip(space.continuous, pairwise(self.starts.tolist()), strict=True)
        listed = tuple(nodes.listed[:, a + bool(number) : b - 1].T for number, (a, b) in pairs)
        tree, value = forest.owner[~nodes.node], forest.tree.value[~nodes.node]
        return Leaves.of(space, nodes.low, nodes.high, listed, tree, value)

    def _roots(self) -> _Nodes:
        """The roots of all trees, for each row."""
        space, roots = self.problem.space, self.forest.roots
        q, d = self.own.shape
        open_ = np.ones(self.starts[-1], dtype=bool)
        open_[self.starts[1:] - 2] = [feature.missing for feature in space.features]
        open_[self.starts[:-1][space.continuous]] = False  # not listed, but between low and high
        row = np.repeat(np.arange(q), len(roots))
        high = np.full((len(row), d), np.inf)
        cost = np.take_along_axis(self.price, self.own, axis=1)[row]
        return _Nodes(row, np.tile(roots, q), -high, high, np.tile(open_, (len(row), 1)), cost)

    def _below(self, at: _Nodes) -> _Nodes:
        """The children of nodes that cost less than the limits, all on the left first."""
        tree, n = self.forest.tree, len(at.row)
        node, row, every = np.tile(at.node, 2), np.tile(at.row, 2), np.tile(np.arange(n), 2)
        right = np.arange(2 * n) >= n
        j, cut = tree.feature[node], tree.cut[node]
        low, high, gone = at.low[every, j], at.high[every, j], self.starts[j + 1] - 2
        # The cut of a category is NaN, which fmin and fmax pass over.
        low = np.fmax(low, np.where(right, cut, -np.inf))
        high = np.fmin(high, np.where(right, np.inf, cut))
        missing = at.listed[every, gone] & (self.listed[node, gone] != right)
        least = np.where(missing, self.price[row, gone], np.inf)
        least = np.fmin(least, self._number(row, j, low, high))
        named = np.flatnonzero(np.isnan(cut))
        mine = self.owner == j[named, None]
        sides = (self.listed[node[named]] != right[named, None]) | ~mine
        open_ = at.listed[every[named]] & sides
        least[named] = np.where(open_ & mine, self.price[row[named]], np.inf).min(axis=1)
        total = at.cost.sum(axis=1)[every] - at.cost[every, j] + least
        keep = total < self.limit[row]
        kept = at.take(every[keep])
        here, j = np.arange(len(kept.row)), j[keep]
        kept.low[here, j], kept.high[here, j] = low[keep], high[keep]
        kept.cost[here, j], kept.listed[here, gone[keep]] = least[keep], missing[keep]
        kept.listed[(np.cumsum(keep) - 1)[named[keep[named]]]] = open_[keep[named]]
        node, right = node[keep], right[keep]
        return replace(kept, node=np.where(right, tree.right[node], tree.left[node]))

    def _number(
        self, row: np.ndarray, j: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> np.ndarray:
        """[n] what numbers above low [n] and at most high [n] cost rows at the least."""
        problem, metric = self.problem, self.problem.metric
        own, origin = problem.x[row, j], problem.moves.origin[row, j]
        first, last = np.fmax(low, problem.box.low[row, j]), np.fmin(high, problem.box.high[row, j])
        up, down = np.fmax(first - own, 0.0), np.fmax(own - last, 0.0)
        moved = up * self.rates[0, j] + down * self.rates[1, j]
        moved = np.where(np.isnan(own), metric.scale[j], moved) + metric.charge
        moved = np.where((first <= last) & (low < high), moved, np.inf)
        return np.where((origin > low) & (origin <= high), self.price[row, self.starts[j]], moved)
