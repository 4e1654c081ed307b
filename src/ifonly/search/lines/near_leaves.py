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

from ifonly.models.reading import Leaves, Trees
from ifonly.problem.problem import Problem
from ifonly.search.lines.places import places_of, prices_of

MOST = 1 << 14
"""The most leaves of a row, about: with more, only the nearer points are looked at."""
ROOM = 1 << 28
"""The bytes of the nodes that are looked at together."""
SLOTS = 32
"""How many features are asked about on the way to a leaf, at the most or about."""


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Nodes of trees that rows may come to, and between which values they do.

    Each has a few slots, one for every number or category that was asked about on its way; -1 where
    there is none.
    """

    row: np.ndarray
    """int [n]"""
    node: np.ndarray
    """int [n] among the nodes of all trees; ~leaf for a leaf."""
    total: np.ndarray
    """[n] what coming there costs at the least."""
    listed: np.ndarray
    """bool [n, w] the levels and missing values that lead there, at their places in `_Lists`."""
    slot: np.ndarray
    """int [n, s] the feature of a slot."""
    low: np.ndarray
    """[n, s] a number is above it."""
    high: np.ndarray
    """[n, s] a number is at most this."""
    cost: np.ndarray
    """[n, s] what a feature costs at the least."""

    def take(self, index: np.ndarray) -> _Nodes:
        """Some of them."""
        return _Nodes(*(getattr(self, one.name)[index] for one in fields(self)))

    def widened(self, width: int) -> _Nodes:
        """The same with at least so many slots."""
        more = ((0, 0), (0, max(0, width - self.slot.shape[1])))
        empty = {"slot": -1, "low": -np.inf, "high": np.inf, "cost": 0.0}
        return replace(
            self,
            **{
                name: np.pad(getattr(self, name), more, constant_values=value)
                for name, value in empty.items()
            },
        )


@dataclass(frozen=True, eq=False)
class _Lists:
    """Levels and missing values that nodes tell apart, feature after feature."""

    starts: np.ndarray
    """int [d + 1] where those of each feature start; a missing value is the last."""
    owner: np.ndarray
    """int [w] the feature of each."""
    places: np.ndarray
    """int [w] their places in lines of features without cuts."""
    left: np.ndarray
    """bool [nodes, w] those that go left."""


@lru_cache(maxsize=2)
def _lists(reading: Trees) -> _Lists:
    """What nodes list: of categories all levels, and missing values where there are some."""
    tree, features = reading.joined.tree, reading.space.features
    levels = [len(getattr(feature, "levels", ())) for feature in features]
    gaps = [feature.missing or bool(count) for feature, count in zip(features, levels, strict=True)]
    starts = np.cumsum([0, *map(sum, zip(levels, gaps, strict=True))])
    lines = np.cumsum([0, *(max(1, count) + 2 for count in levels)])
    left = np.zeros((len(tree.feature), starts[-1]), dtype=bool)
    places = np.zeros(starts[-1], dtype=np.intp)
    for j, (first, last) in enumerate(pairwise(starts.tolist())):
        own = np.flatnonzero(tree.feature == j)
        places[first:last] = lines[j] + np.arange(last - first)
        if gaps[j]:
            left[own, last - 1], places[last - 1] = tree.missing[own], lines[j + 1] - 2
        if levels[j]:
            left[own, first : last - 1] = tree.levels[own, : levels[j]]
    return _Lists(starts, np.repeat(np.arange(len(features)), np.diff(starts)), places, left)


def near_leaves(
    problem: Problem, reading: Trees, known: np.ndarray
) -> Iterator[tuple[Leaves, float]]:
    """For each row the leaves of all points that cost less than a price, and that price.

    It is the row's own of `known` [q], or one below that where there were too many leaves.
    """
    slots = min(len(reading.space), SLOTS)
    size = max(1, ROOM // (MOST * (4 * 8 * slots + len(_lists(reading).owner))))
    for start in range(0, len(problem.x), size):
        part = slice(start, start + size)
        yield from _Walk(problem.take(np.arange(len(problem.x))[part]), reading, known[part]).rows()


class _Walk:
    """From the roots of all trees to the leaves that are near rows."""

    def __init__(self, problem: Problem, reading: Trees, known: np.ndarray) -> None:
        self.problem, self.forest, self.limit = problem, reading.joined, known.astype(np.float64)
        self.lists = _lists(reading)
        self.starts, codes, self.own = places_of(problem, [np.empty(0)] * len(problem.space))
        self.price = prices_of(problem, codes, self.starts)
        self.base = np.take_along_axis(self.price, self.own, axis=1)
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
        width = max(one.slot.shape[1] for one in found)
        found = [one.widened(width) for one in found]
        names = [one.name for one in fields(_Nodes)]
        every = _Nodes(*(np.concatenate([getattr(one, name) for one in found]) for name in names))
        order = np.lexsort((~every.node, every.row))
        every = every.take(order[every.total[order] < self.limit[every.row[order]]])
        ends = np.searchsorted(every.row, np.arange(len(self.limit) + 1))
        for row, (first, last) in enumerate(pairwise(ends.tolist())):
            yield self._leaves(every.take(np.arange(first, last))), float(self.limit[row])

    def _fewer(self, at: _Nodes, found: list[_Nodes]) -> _Nodes:
        """Nodes without those above lower limits, of rows that have too many with leaves found."""
        row = np.concatenate([one.row for one in (at, *found)])
        total = np.concatenate([one.total for one in (at, *found)])
        for one in np.flatnonzero(np.bincount(row) > MOST):
            nearer = np.partition(total[row == one], MOST)[MOST]
            self.limit[one] = min(self.limit[one], nearer)
        return at.take(np.flatnonzero(at.total < self.limit[at.row]))

    def _leaves(self, nodes: _Nodes) -> Leaves:
        """The leaves, with the numbers that were asked about on the way to one of them."""
        space, forest, count = self.problem.space, self.forest, len(nodes.row)
        asked = np.unique(nodes.slot[nodes.slot >= 0])
        numbers = asked[space.continuous[asked]]
        place = np.full(len(space) + 1, -1)
        place[numbers] = np.arange(len(numbers))
        leaf, slot = np.nonzero(place[nodes.slot] >= 0)
        column = place[nodes.slot[leaf, slot]]
        low = np.full((count, len(numbers)), -np.inf)
        high = -low
        low[leaf, column], high[leaf, column] = nodes.low[leaf, slot], nodes.high[leaf, slot]
        never = np.zeros((1, count), dtype=bool)
        parts = pairwise(self.lists.starts.tolist())
        listed = tuple(nodes.listed[:, a:b].T if b > a else never for a, b in parts)
        tree, value = forest.owner[~nodes.node], forest.tree.value[~nodes.node]
        return Leaves.of(space, numbers, low, high, listed, tree=tree, value=value)

    def _roots(self) -> _Nodes:
        """The roots of all trees, for each row."""
        space, roots = self.problem.space, self.forest.roots
        q = len(self.own)
        open_ = np.ones(len(self.lists.owner), dtype=bool)
        gaps = self.lists.starts[1:][np.diff(self.lists.starts) > 0] - 1
        open_[gaps] = [space.features[j].missing for j in self.lists.owner[gaps]]
        row = np.repeat(np.arange(q), len(roots))
        none = np.empty((len(row), 0))
        total, listed = self.base.sum(axis=1)[row], np.tile(open_, (len(row), 1))
        slot = np.empty((len(row), 0), dtype=np.intp)
        return _Nodes(row, np.tile(roots, q), total, listed, slot, none, none, none)

    def _below(self, at: _Nodes) -> _Nodes:
        """The children of nodes that cost less than the limits, all on the left first."""
        tree, n, lists = self.forest.tree, len(at.row), self.lists
        node, row, every = np.tile(at.node, 2), np.tile(at.row, 2), np.tile(np.arange(n), 2)
        right = np.arange(2 * n) >= n
        j, cut = tree.feature[node], tree.cut[node]
        same = at.slot == j[:n, None]
        used = (at.slot >= 0).sum(axis=1)
        slot = np.where(same.any(axis=1), same @ np.arange(same.shape[1]), used).astype(np.intp)
        at = at.widened(int(slot.max(initial=-1)) + 1)
        slot = np.tile(slot, 2)
        known = at.slot[every, slot] >= 0
        paid = np.where(known, at.cost[every, slot], self.base[row, j])
        # The cut of a category is NaN, which fmin and fmax pass over.
        low = np.fmax(at.low[every, slot], np.where(right, cut, -np.inf))
        high = np.fmin(at.high[every, slot], np.where(right, np.inf, cut))
        least = self._number(row, j, low, high)
        gap = np.flatnonzero(np.diff(lists.starts)[j] > 0)  # whose missing value is told apart
        gone = lists.starts[j[gap] + 1] - 1
        missing = at.listed[every[gap], gone] & (lists.left[node[gap], gone] != right[gap])
        cost = self.price[row[gap], lists.places[gone]]
        least[gap] = np.fmin(least[gap], np.where(missing, cost, np.inf))
        named = np.flatnonzero(np.isnan(cut))
        mine = lists.owner == j[named, None]
        sides = (lists.left[node[named]] != right[named, None]) | ~mine
        open_ = at.listed[every[named]] & sides
        cost = self.price[row[named][:, None], lists.places]
        least[named] = np.where(open_ & mine, cost, np.inf).min(axis=1, initial=np.inf)
        total = at.total[every] - paid + least
        keep = total < self.limit[row]
        kept = at.take(every[keep])
        here, slot = np.arange(len(kept.row)), slot[keep]
        kept.slot[here, slot], kept.cost[here, slot] = j[keep], least[keep]
        kept.low[here, slot], kept.high[here, slot] = low[keep], high[keep]
        new = np.cumsum(keep) - 1
        kept.listed[new[gap[keep[gap]]], gone[keep[gap]]] = missing[keep[gap]]
        kept.listed[new[named[keep[named]]]] = open_[keep[named]]
        node, right = node[keep], right[keep]
        following = np.where(right, tree.right[node], tree.left[node])
        return replace(kept, node=following, total=total[keep])

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
