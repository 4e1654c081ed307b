"""Near answers of trees: along lines from the row, then from the most promising points on them.

The search starts at the row, goes on from the places that promise most, and then tries other values
for each change of the best points. It does not ask the model, which judges what is proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ifonly.arrays.ranking import best
from ifonly.models.reading import Leaves, Trees, leaves_of
from ifonly.problem.pool import repeated
from ifonly.problem.problem import Problem
from ifonly.search.lines.near_leaves import near_leaves
from ifonly.search.lines.places import Lines, can_reach

COUNTS, WIDER = (12, 8, 8, 8, 0), (24, 16, 16, 16, 0)
"""The points that the search goes on from, after each number of changes; and where one answer is
asked for, of which nothing but its price counts."""
SWAPS, FRONT, DEAREST = 2, 2, 4
"""How often the best points try other values for a change; how many points, and changes of each."""
INSIDE = (0.2, 0.4, 0.6)
"""How far inside the target answers are proposed where demands are made, as shares of its width."""
KEPT = 4
"""The answers of each step that are proposed."""
FAR = 1e6
"""More than any price."""
STEPS = 64
"""How many prices are remembered at which one change gains more margin."""
ROOM = 1 << 18
"""The most places of all points of a step that are looked at together."""
LEAVES = 1 << 16
"""The most leaves that are looked at for every row."""
PLACES = 1 << 13
"""The most places at which that is; of more, those near a row are fewer and take less time."""
CELLS = 1 << 22
"""The most leaves times features."""
MANY = 256
"""From how many split points of a number on a large forest proposes: the search tries 64 values."""


def proposed_points(
    problem: Problem, reading: Trees, known: np.ndarray, *, alone: bool = False
) -> np.ndarray:
    """[q, m, d] the near points of the goal and, where demands are made, of goals farther inside.

    For an answer that stands `alone`, more points are looked at. What the model itself gives the
    outcome by far is likelier to meet a demand.
    """
    goals, goal = [problem.goal], problem.goal
    if problem.demands and len(problem.model.classes) == 2 and reading.link != "odds":
        edge = 0.5 if goal.threshold is None else goal.threshold
        room = np.where(goal.wanted == 1, 1.0 - edge, edge)
        goals += [replace(goal, threshold=edge, beyond=share * room) for share in INSIDE]
    each = [near_points(replace(problem, goal=one), reading, known, alone=alone) for one in goals]
    return np.concatenate(each, axis=1) if len(each) > 1 else each[0]


def near_points(
    problem: Problem, reading: Trees, known: np.ndarray, *, alone: bool = False
) -> np.ndarray:
    """[q, m, d] points that the reading takes for answers cheaper than the known [q].

    Where there are fewer, the row itself.
    """
    shared = _shared(reading)
    counts = WIDER if alone and shared is not None else COUNTS
    goals = np.stack([problem.goal.wanted, problem.goal.low, problem.goal.high], axis=1)
    _, kind = np.unique(np.nan_to_num(goals), axis=0, return_inverse=True)
    points = np.repeat(problem.x[:, None], KEPT * len(counts) + FRONT * SWAPS, axis=1)
    for one in range(kind.max(initial=-1) + 1):
        alike = np.flatnonzero(kind.ravel() == one)
        for part, leaves, limit in _parts(problem.take(alike), reading, known[alike], shared):
            rows = alike[part]
            lines = Lines.of(problem.take(rows), reading, leaves)
            lines = replace(lines, price=np.where(lines.price < limit, lines.price, np.inf))
            read = np.flatnonzero(lines.read)
            if len(read):
                least = np.minimum(known[rows[read]].astype(np.float64), limit)
                found = _Search(lines.take(read), least, counts).points()
                points[rows[read], : found.shape[1]] = found
    return points


def _parts(
    problem: Problem, reading: Trees, known: np.ndarray, shared: Leaves | None
) -> Iterator[tuple[np.ndarray, Leaves, float]]:
    """Which rows are searched together, the leaves for that, and below which price these are all.

    Without leaves that are `shared` by all rows, each has its own.
    """
    every = np.arange(len(problem.x))
    if shared is not None:
        size = max(1, ROOM // (COUNTS[0] * shared.width))
        yield from ((every[i : i + size], shared, np.inf) for i in range(0, len(every), size))
        return
    if _many(reading):
        stops = problem.grid.stops
        numbers = np.flatnonzero(reading.space.continuous).tolist()
        if all(j in stops and len(stops[j]) < MANY for j in numbers):
            return
    near = zip(every, near_leaves(problem, reading, known), strict=True)
    for row, (leaves, limit) in near:
        if can_reach(problem, reading, leaves):
            yield every[[row]], leaves, limit


def _many(reading: Trees) -> bool:
    """Whether there are too many leaves for all rows to look at all of them."""
    count = sum(len(tree.value) for tree in reading.trees)
    return count > LEAVES or count * len(reading.space) > CELLS


def _shared(reading: Trees) -> Leaves | None:
    """The leaves that all rows look at; None of large forests, and of many split points."""
    if _many(reading):
        return None
    leaves = leaves_of(reading)
    return leaves if leaves.width <= PLACES else None


@dataclass(eq=False)
class _Search:
    """What is known by now of rows of one goal."""

    lines: Lines
    known: np.ndarray
    """[q] the price of the nearest answer."""
    counts: Sequence[int]
    """How many points it goes on from, after each number of changes."""

    def points(self) -> np.ndarray:
        """[q, m, d] the nearest answers of each step."""
        lines, found = self.lines, []
        places = lines.own[:, None]
        for count in self.counts:
            margin, price = self._look(places)
            found.append(self._answers(places, margin, price, KEPT))
            if not count:
                break
            places = self._next(places, margin, price, count)
            if (places == lines.own[:, None]).all():
                break
        for _ in range(SWAPS):
            every = np.concatenate(found, axis=1)
            order, real = best(self._price(every), FRONT)
            if not real.any():
                break
            places = self._reverted(np.take_along_axis(every, order[..., None], axis=1))
            found.append(self._answers(places, *self._look(places), FRONT))
        every = np.concatenate(found, axis=1)
        codes = np.take_along_axis(lines.codes, every.reshape(len(every), -1), axis=1)
        return codes.reshape(every.shape)

    def _price(self, places: np.ndarray) -> np.ndarray:
        """[q, m] the prices of points at places [q, m, d]; infinite for the row itself."""
        moved = (places != self.lines.own[:, None]).any(axis=2)
        return np.where(moved, self._prices_of(places).sum(axis=2), np.inf)

    def _prices_of(self, places: np.ndarray) -> np.ndarray:
        """[q, m, d] the price of each place."""
        flat = places.reshape(len(places), -1)
        return np.take_along_axis(self.lines.price, flat, axis=1).reshape(places.shape)

    def _look(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[q, m, w] the margin and the price along the lines of points at places [q, m, d].

        The lines of a row itself are looked at where it is the only point.
        """
        lines, (q, m, _) = self.lines, places.shape
        rows, slots = np.nonzero((places != lines.own[:, None]).any(axis=2) | (m == 1))
        price = np.full((q, m, len(lines.owner)), np.inf)
        margin = -price
        if len(rows):
            each, some = self._prices_of(places)[rows, slots], places[rows, slots]
            total = each.sum(axis=1, keepdims=True)
            # What costs as much as an answer that is known is no better. From the row's own lines
            # it is learnt what margin costs, so all of these are looked at.
            cheaper = total + lines.least[rows] < self.known[rows, None]
            open_ = (some != lines.own[rows]) | cheaper | (m == 1)
            margin[rows, slots] = lines.along(rows, some, open_)
            rest = total - each
            price[rows, slots] = lines.price[rows] + rest[:, lines.owner]
        return margin, price

    def _answers(
        self, places: np.ndarray, margin: np.ndarray, price: np.ndarray, count: int
    ) -> np.ndarray:
        """[q, count, d] the nearest answers along lines; the row itself where there are fewer."""
        cost = np.where((margin > 0) & (price < self.known[:, None, None]), price, np.inf)
        cost = cost.reshape(len(cost), -1)
        index, real = best(cost, count)
        self.known = np.minimum(self.known, np.take_along_axis(cost, index[:, :1], axis=1)[:, 0])
        return np.where(real[..., None], self._moved(places, index), self.lines.own[:, None])

    def _moved(self, places: np.ndarray, index: np.ndarray) -> np.ndarray:
        """[q, n, d] points moved along lines, by indices [q, n] of (point, place)."""
        base, place = np.divmod(index, len(self.lines.owner))
        found = np.take_along_axis(places, base[..., None], axis=1)
        np.put_along_axis(found, self.lines.owner[place][..., None], place[..., None], axis=2)
        return found

    def _next(
        self, places: np.ndarray, margin: np.ndarray, price: np.ndarray, count: int
    ) -> np.ndarray:
        """[q, count, d] the points along lines that promise the nearest answers by one more change.

        Of each line the place of most margin, and that of most margin for its price.
        """
        (q, m, w), lines = margin.shape, self.lines
        if m == 1:
            self._learn(margin[:, 0], price[:, 0])
        open_ = (margin <= 0) & (price + self._least[:, None, None] < self.known[:, None, None])
        here = np.take_along_axis(margin, places[..., :1], axis=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = (margin - here) / (price - np.take_along_axis(price, places[..., :1], axis=2))
        rate = np.where(open_ & (rate < np.inf) & (margin > here), rate, -np.inf)
        tops = [_tops(one, lines.starts) for one in (rate, np.where(open_, margin, -np.inf))]
        index = np.concatenate(tops, axis=2)
        if m == 1:  # all places of the row's own lines
            index = np.broadcast_to(np.arange(w), (q, 1, w))
        index = (index + np.arange(m)[:, None] * w).reshape(q, -1)
        open_, rate, margin, price = (
            np.take_along_axis(one.reshape(q, -1), index, axis=1)
            for one in (open_, rate, margin, price)
        )
        cost = price + self._rest(-margin)
        cost = np.where(open_, np.where(np.isinf(cost), FAR - rate, cost), np.inf)
        order, real = best(cost, min(2 * count, cost.shape[1]))
        found = self._moved(places, np.take_along_axis(index, order, axis=1))
        real &= ~repeated(found.astype(np.float64), real)
        order, real = best(
            np.where(real, np.arange(real.shape[1]), np.inf), min(count, real.shape[1])
        )
        found = np.take_along_axis(found, order[..., None], axis=1)
        return np.where(real[..., None], found, lines.own[:, None])

    def _learn(self, margin: np.ndarray, price: np.ndarray) -> None:
        """Learn from the lines [q, w] of the rows what margin one change gains for its price."""
        own = np.take_along_axis(margin, self.lines.own[:, :1], axis=1)
        order = np.argsort(price, axis=1, kind="stable")
        gain = np.take_along_axis(np.where(np.isinf(price), -np.inf, margin - own), order, axis=1)
        most = np.maximum.accumulate(gain, axis=1)
        rises = np.diff(most, axis=1, prepend=0.0) > 0
        steps = np.argsort(~rises, axis=1, kind="stable")
        steps = steps[:, : min(STEPS, int(rises.sum(axis=1).max(initial=0)))]
        rises = np.take_along_axis(rises, steps, axis=1)
        paid = np.take_along_axis(np.take_along_axis(price, order, axis=1), steps, axis=1)
        self._gained = np.where(rises, np.take_along_axis(most, steps, axis=1), np.inf)
        self._paid = np.where(rises, paid, np.inf)
        self._least = np.where(price > 0, price, np.inf).min(axis=1)

    def _rest(self, short: np.ndarray) -> np.ndarray:
        """[q, n] what one change costs that gains a margin `short` [q, n] for the rows."""
        place = (self._gained[:, None, :] < short[..., None]).sum(axis=2)
        paid = np.concatenate([self._paid, np.full((len(short), 1), np.inf)], axis=1)
        return np.take_along_axis(paid, place, axis=1)

    def _reverted(self, front: np.ndarray) -> np.ndarray:
        """[q, n, d] points [q, m, d] with one of their dearest changes reverted."""
        dearest, _ = best(-self._prices_of(front), min(DEAREST, front.shape[2]))
        back = np.repeat(front[:, :, None], dearest.shape[2], axis=2)
        own = np.take_along_axis(np.broadcast_to(self.lines.own[:, None], front.shape), dearest, 2)
        np.put_along_axis(back, dearest[..., None], own[..., None], axis=3)
        return back.reshape(len(back), -1, front.shape[2])


def _tops(value: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """int [q, m, d] of each feature the place of the largest value [q, m, w]."""
    parts = [value[..., a:b].argmax(axis=2) + a for a, b in pairwise(starts.tolist())]
    return np.stack(parts, axis=2)
