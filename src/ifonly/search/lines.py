"""Near answers of trees, by what every value of every feature would come to.

Of each tree a point comes to one leaf. A leaf that one feature alone keeps it from says what the
tree adds once that feature moves there. So one look at all leaves gives the margin along d *lines*:
at every value of each feature, the others kept, by every threshold of every tree, without a call of
the model. The search starts at the row, goes on from the most promising values, and replaces one
change of the best points after another. The model judges what it proposes.

The values of a number between two neighbouring thresholds are one *place*, of which the nearest
to the row's own counts. A category has a place for each level, and a missing value has one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from ifonly.arrays.ranking import best, leaders
from ifonly.models.reading import Trees, code_at, step_below
from ifonly.problem.problem import Problem
from ifonly.search.exact.margin_bounds import needs
from ifonly.space import Continuous

ONE = 256
"""What a feature that keeps a point from a leaf adds to the leaf's count, beside its number."""
CELLS = 2**22
"""The most pairs of a point and a leaf that are looked at together."""
WIDE, DEEP = 12, 8
"""The points that the search goes on from, with one change and with two."""
SWAPS = 2
"""How often the best points replace one of their changes."""
KEPT = 4
"""The answers of each step that are proposed."""


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


@lru_cache(maxsize=4)
def leaves_of(reading: Trees) -> Leaves:
    """The leaves of a reading."""
    space, regions = reading.space, reading.regions
    d, count = len(space), len(regions.low)
    first, last = np.zeros((d, count), dtype=np.int16), np.full((d, count), -1, dtype=np.int16)
    cuts, listed = [], []
    for j in range(d):
        missing = regions.missing[:, j][None]
        if space.continuous[j]:
            ends = np.unique(np.concatenate([regions.low[:, j], regions.high[:, j]]))
            cuts.append(ends[np.isfinite(ends)])
            first[j] = np.searchsorted(cuts[j], regions.low[:, j], side="right")
            last[j] = np.searchsorted(cuts[j], regions.high[:, j], side="left")
            listed.append(missing)
        else:
            cuts.append(np.empty(0))
            own = regions.levels[:, space.offsets[j] : space.offsets[j + 1]].T
            listed.append(np.concatenate([own, missing]))
    sizes = [len(tree.value) for tree in reading.trees]
    tree = np.repeat(np.arange(len(sizes)), sizes)
    value = np.concatenate([one.value for one in reading.trees])
    return Leaves(tuple(cuts), first, last, tuple(listed), tree, value)


@dataclass(frozen=True, eq=False)
class Lines:
    """Rows of one goal, the places of their features, and what the goal asks of leaves."""

    problem: Problem
    leaves: Leaves
    sides: tuple[tuple[np.ndarray, float], ...]
    """What leaves add [L], and the least that their sum must be."""
    starts: np.ndarray
    """int [d + 1] where the places of each feature start; the last of each is none."""
    codes: np.ndarray
    """[q, w] the nearest code of each place."""
    price: np.ndarray
    """[q, w] what it costs; infinite where it is not allowed."""
    own: np.ndarray
    """int [q, d] the places of the rows themselves, among those of all features."""

    @classmethod
    def of(cls, problem: Problem, reading: Trees) -> Lines:
        """The lines of rows with one goal."""
        leaves, space, box = leaves_of(reading), problem.space, problem.box
        origin = problem.moves.origin
        starts, tables, own = [0], [], []
        for j, feature in enumerate(space.features):
            mine = origin[:, j : j + 1]
            if isinstance(feature, Continuous):
                cuts = leaves.cuts[j]
                low = code_at(feature, step_below(feature, np.append(-np.inf, cuts)) + 1)
                high = code_at(feature, step_below(feature, np.append(cuts, np.inf)))
                low, high = np.maximum(low, box.low[:, [j]]), np.minimum(high, box.high[:, [j]])
                known = np.where(np.isnan(mine), low, mine)
                table = np.where(low <= high, np.minimum(np.maximum(known, low), high), np.inf)
                place = np.searchsorted(cuts, mine[:, 0])
            else:
                start = space.offsets[j]
                count = space.offsets[j + 1] - start
                allowed = box.levels[:, start : start + count]
                table = np.where(allowed, np.arange(float(count)), np.inf)
                place = np.nan_to_num(mine[:, 0]).astype(np.intp)
            place = np.where(np.isnan(mine[:, 0]), table.shape[1], place)
            gone = np.where(box.erase[:, [j]], np.nan, np.inf)
            table = np.concatenate([table, gone, np.full_like(gone, np.inf)], axis=1)
            table[np.arange(len(table)), place] = mine[:, 0]
            own.append(starts[-1] + place)
            tables.append(table)
            starts.append(starts[-1] + table.shape[1])
        codes = np.concatenate(tables, axis=1)
        price = _prices(problem, codes, np.array(starts))
        sides = tuple(_sides(problem, reading, leaves))
        return cls(problem, leaves, sides, np.array(starts), codes, price, np.stack(own, axis=1))

    @cached_property
    def owner(self) -> np.ndarray:
        """int [w] the feature of each place."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def kept_from(self) -> np.ndarray:
        """uint16 [q, L] which features keep rows from leaves."""
        total = np.zeros((len(self.own), len(self.leaves.tree)), dtype=np.uint16)
        for j in range(self.own.shape[1]):
            total += np.uint16(ONE + j) * self._outside(j, self.own[:, j])
        return total

    @property
    def read(self) -> np.ndarray:
        """bool [q]: the rows that come to a leaf of each tree: none with a value not known to it."""
        return np.asarray((self.kept_from == 0).sum(axis=1) == self.leaves.tree[-1] + 1)

    def take(self, rows: np.ndarray) -> Lines:
        """The lines of some rows."""
        parts = {name: getattr(self, name)[rows] for name in ("codes", "price", "own")}
        return replace(self, problem=self.problem.take(rows), **parts)

    def _outside(self, j: int, place: np.ndarray) -> np.ndarray:
        """bool [n, L]: the leaves that places [n] of feature j do not come to."""
        leaves, place = self.leaves, place - self.starts[j]
        count = int(self.starts[j + 1] - self.starts[j]) - 1 - len(leaves.listed[j])
        at = place[:, None].astype(np.int16)
        out = (at < leaves.first[j]) | (at > leaves.last[j]) if count else None
        rest = place >= count
        if out is None:
            return ~leaves.listed[j][place]
        if rest.any():
            out[rest] = ~leaves.listed[j][place[rest] - count]
        return out

    def along(self, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
        """[n, w] the margins of points at places [n, d] of rows [n], each place put in its line."""
        size = max(1, CELLS // len(self.leaves.tree))
        parts = range(0, len(rows), size)
        return np.concatenate([self._along(rows[i : i + size], places[i : i + size]) for i in parts])

    def _along(self, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
        leaves, n, width = self.leaves, len(rows), int(self.starts[-1])
        code = self.kept_from[rows]
        for j in range(places.shape[1]):
            moved = np.flatnonzero(places[:, j] != self.own[rows, j])
            if len(moved):
                now = self._outside(j, places[moved, j]).astype(np.uint16)
                now -= self._outside(j, self.own[rows[moved], j])
                code[moved] += np.uint16(ONE + j) * now
        at = np.nonzero(code == 0)[1].reshape(n, -1)
        point, leaf = np.nonzero((code >= ONE) & (code < 2 * ONE))
        j = code[point, leaf].astype(np.intp) - ONE
        where, ends, which = self._stretches(j, leaf)
        key = point[which] * width
        keys = np.concatenate([key + where, key + ends])
        margins = []
        for values, least in self.sides:
            now = values[at]
            more = (values[leaf] - now[point, leaves.tree[leaf]])[which]
            steps = np.bincount(keys, np.concatenate([more, -more]), minlength=n * width)
            line = np.cumsum(steps.reshape(n, width), axis=1)
            margins.append(line + (now.sum(axis=1, keepdims=True) - least))
        return np.minimum.reduce(margins)

    def _stretches(
        self, j: np.ndarray, leaf: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where stretches of places start and end by which features j [n] come to leaves [n].

        And for each stretch the place [s] of its leaf among the n.
        """
        leaves = self.leaves
        number = np.flatnonzero(leaves.last[j, leaf] >= 0)
        first = self.starts[j[number]] + leaves.first[j[number], leaf[number]]
        last = self.starts[j[number]] + leaves.last[j[number], leaf[number]] + 1
        parts = [(first, last, number)]
        for one, listed in enumerate(leaves.listed):
            here = np.flatnonzero(j == one)
            level, at = np.nonzero(listed[:, leaf[here]])
            place = self.starts[one + 1] - 1 - len(listed) + level
            parts.append((place, place + 1, here[at]))
        first, last, which = (np.concatenate(one) for one in zip(*parts, strict=True))
        return first, last, which


def _prices(problem: Problem, codes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """[q, w] what the codes of places cost, each alone; infinite where there is none."""
    none = np.isinf(codes)
    price = np.empty(codes.shape)
    own = np.repeat(problem.x, np.diff(starts), axis=1)
    for j in range(len(starts) - 1):
        here = slice(starts[j], starts[j + 1])
        points = np.repeat(problem.x[:, None], starts[j + 1] - starts[j], axis=1)
        points[..., j] = np.where(none[:, here], own[:, here], codes[:, here])
        price[:, here] = problem.metric.prices(points, problem.x[:, None])[..., j]
    return np.where(none, np.inf, price)


def _sides(problem: Problem, reading: Trees, leaves: Leaves) -> list[tuple[np.ndarray, float]]:
    """What the goal asks of the sums of leaves, one side at a time."""
    sides = []
    for need in needs(reading, leaves.value.shape[1], problem.goal, problem.x[0]):
        factors = np.zeros(leaves.value.shape[1])
        factors[list(need.factors)] = list(need.factors.values())
        values, base = leaves.value @ factors, float(reading.base @ factors)
        if need.low > -np.inf:
            sides.append((values, need.low - base))
        if need.high < np.inf:
            sides.append((-values, base - need.high))
    return sides


def near_points(problem: Problem, reading: Trees, known: np.ndarray) -> np.ndarray:
    """[q, m, d] points that the reading takes for answers cheaper than the known [q]."""
    goals = np.stack([problem.goal.wanted, problem.goal.low, problem.goal.high], axis=1)
    _, kind = np.unique(np.nan_to_num(goals), axis=0, return_inverse=True)
    points = np.repeat(problem.x[:, None], PROPOSED, axis=1)
    for one in range(kind.max(initial=-1) + 1):
        rows = np.flatnonzero(kind.ravel() == one)
        lines = Lines.of(problem.take(rows), reading)
        read = np.flatnonzero(lines.read)
        if len(read):
            rows, lines = rows[read], lines if len(read) == len(rows) else lines.take(read)
            points[rows] = _Search(lines, known[rows].astype(np.float64)).points()
    return points


PROPOSED = KEPT * 3 + 2 * SWAPS


@dataclass(eq=False)
class _Search:
    """What is known by now of rows of one goal."""

    lines: Lines
    known: np.ndarray
    """[q] the price of the nearest answer."""

    def points(self) -> np.ndarray:
        """[q, m, d] the nearest answers of each step."""
        lines = self.lines
        q = len(lines.own)
        start = lines.own[:, None]
        margin, price = self._look(start)
        self._complete(margin[:, 0], price[:, 0])
        found = [self._answers(start, margin, price, KEPT)]
        ones = self._next(start, margin, price, WIDE)
        margin, price = self._look(ones)
        found.append(self._answers(ones, margin, price, KEPT))
        twos = self._next(ones, margin, price, DEEP)
        margin, price = self._look(twos)
        found.append(self._answers(twos, margin, price, KEPT))
        for _ in range(SWAPS):
            every = np.concatenate(found, axis=1)
            order, _ = best(self._price(every), 2)
            front = np.take_along_axis(every, order[..., None], axis=1)
            back = self._reverted(front)
            margin, price = self._look(back)
            found.append(self._answers(back, margin, price, 2))
        every = np.concatenate(found, axis=1)
        return np.take_along_axis(lines.codes, every.reshape(q, -1), axis=1).reshape(every.shape)

    def _price(self, places: np.ndarray) -> np.ndarray:
        """[q, m] the prices of points; infinite for the row itself."""
        q, m, d = places.shape
        each = np.take_along_axis(self.lines.price, places.reshape(q, -1), axis=1)
        moved = (places != self.lines.own[:, None]).any(axis=2)
        return np.where(moved, each.reshape(q, m, d).sum(axis=2), np.inf)

    def _look(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[q, m, w] the margin and the price along the lines of points at places [q, m, d].

        The lines of a row itself are looked at where it is the only point.
        """
        lines, (q, m, d) = self.lines, places.shape
        rows, slots = np.nonzero((places != lines.own[:, None]).any(axis=2) | (m == 1))
        margin, price = np.full((2, q, m, len(lines.owner)), np.inf)
        margin[:] = -np.inf
        if len(rows):
            flat = places[rows, slots]
            margin[rows, slots] = lines.along(rows, flat)
            own = np.take_along_axis(lines.price[rows], flat, axis=1)
            rest = own.sum(axis=1, keepdims=True) - own
            price[rows, slots] = lines.price[rows] + rest[:, lines.owner]
        return margin, price

    def _answers(
        self, places: np.ndarray, margin: np.ndarray, price: np.ndarray, count: int
    ) -> np.ndarray:
        """[q, count, d] the nearest answers along lines; the row itself where there are fewer."""
        q, m, w = margin.shape
        cost = np.where((margin > 0) & (price < self.known[:, None, None]), price, np.inf)
        index, real = best(cost.reshape(q, -1), count)
        found = self._moved(places, index)
        nearest = np.take_along_axis(cost.reshape(q, -1), index[:, :1], axis=1)[:, 0]
        self.known = np.minimum(self.known, nearest)
        return np.where(real[..., None], found, self.lines.own[:, None])

    def _moved(self, places: np.ndarray, index: np.ndarray) -> np.ndarray:
        """[q, n, d] points moved along lines, by indices [q, n] of (point, place)."""
        base, place = np.divmod(index, len(self.lines.owner))
        found = np.take_along_axis(places, base[..., None], axis=1)
        np.put_along_axis(found, self.lines.owner[place][..., None], place[..., None], axis=2)
        return found

    def _complete(self, margin: np.ndarray, price: np.ndarray) -> None:
        """Learn what it costs at least to gain a margin, by the lines [q, w] of the rows."""
        own = np.take_along_axis(margin, self.lines.own[:, :1], axis=1)
        order = np.argsort(price, axis=1, kind="stable")
        self._prices = np.take_along_axis(price, order, axis=1)
        gain = np.take_along_axis(margin - own, order, axis=1)
        self._gains = np.maximum.accumulate(np.where(np.isinf(self._prices), -np.inf, gain), axis=1)
        self._least = np.where(price > 0, price, np.inf).min(axis=1)

    def _rest(self, short: np.ndarray) -> np.ndarray:
        """[q, n] what it costs to gain a margin `short` [q, n] by one change, as far as is known."""
        place = (self._gains[:, None, :] < short[..., None]).sum(axis=2)
        prices = np.concatenate([self._prices, np.full((len(short), 1), np.inf)], axis=1)
        return np.take_along_axis(prices, place, axis=1)

    def _next(
        self, places: np.ndarray, margin: np.ndarray, price: np.ndarray, count: int
    ) -> np.ndarray:
        """[q, count, d] the points along lines that promise the nearest answers by one change more.

        """
        q, m, w = margin.shape
        open_ = (margin <= 0) & (price + self._least[:, None, None] < self.known[:, None, None])
        own = self._price(places)[..., None]
        own = np.where(np.isinf(own), 0.0, own)
        here = np.take_along_axis(margin, places[..., :1], axis=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(open_ & (price > own), (margin - here) / (price - own), -np.inf)
        top = np.where(open_, margin, -np.inf)
        index = np.concatenate([_tops(one, self.lines.starts) for one in (rate, top)], axis=2) if m > 1 else np.arange(w)[None, None].repeat(q, 0)
        index = (index + np.arange(m)[:, None] * w).reshape(q, -1)
        flat = lambda a: np.take_along_axis(a.reshape(q, -1), index, axis=1)
        cost = np.where(flat(open_), flat(price) + self._rest(-flat(margin)), np.inf)
        cost = np.where(flat(open_) & np.isinf(cost), 1e6 - flat(rate), cost)
        order, real = best(cost, min(count, cost.shape[1]))
        found = self._moved(places, np.take_along_axis(index, order, axis=1))
        return np.where(real[..., None], found, self.lines.own[:, None])

    def _reverted(self, front: np.ndarray) -> np.ndarray:
        """[q, 2 * 4, d] points with one of their dearest changes reverted."""
        q, m, d = front.shape
        each = np.take_along_axis(self.lines.price, front.reshape(q, -1), axis=1).reshape(q, m, d)
        dearest, _ = best(-each, min(4, d))
        back = np.repeat(front[:, :, None], dearest.shape[2], axis=2)
        own = np.broadcast_to(self.lines.own[:, None], front.shape)
        np.put_along_axis(back, dearest[..., None], np.take_along_axis(own, dearest, 2)[..., None], 3)
        return back.reshape(q, -1, d)


def _tops(value: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """int [q, m, d] of each feature the place of the largest value [q, m, w]."""
    return np.stack([value[..., a:b].argmax(axis=2) + a for a, b in zip(starts[:-1], starts[1:])], axis=2)
