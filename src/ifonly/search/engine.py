"""The default searcher: a shared list of edits, neighbours, and a beam with swaps.

Few model calls, each one for every row of the batch:

1. the shared list (all single edits; random pairs, triples and quadruples) and the nearest rows of
   the wanted outcome;
2. a beam: edits that do not yet reach the outcome get one more edit, again and again; beside them
   the nearest points found so far revert one change and try another.

What comes back is the nearest points, the best of each set of changed features before others, and a
random draw of all valid points. The draw is what makes wide sets possible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import (
    Points,
    change_sets,
    changes,
    digests,
    edited,
    gather,
    join,
    pick,
    read,
)
from ifonly.arrays.ranking import best, distinct, leaders, pack, places
from ifonly.errors import check_flag
from ifonly.problem.effort import Effort, Size, check_effort, size_of
from ifonly.problem.moves import settle
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search.copies import copies_of_neighbours
from ifonly.search.device.selector import check_device, room, search_on
from ifonly.search.edit_list import Plan, plan
from ifonly.search.lines.near_points import proposed_points

Floats = NDArray[np.floating]
_INF = np.float32(np.inf)
_FAR = np.float32(-1e30)
_BROKEN = np.float32(1e12)
_SHARES = (1.0, 0.25, 0.0625)
HEAD = 4
"""The beam starts with so many times the points that are kept, since some are repeats."""


@dataclass(frozen=True)
class Engine:
    """Edits of few features that reach the outcome, near and wide: the default method.

    Parameters
    ----------
    effort
        Where to start: 'small', 'base' or 'thorough'; 'auto' is 'base' for a model that costs next
        to nothing to ask, such as a network, and for k=1 of boosted trees; 'small' for any other.
        `explain` searches rows that are short of answers again at the larger sizes.
    needed
        Every change of an answer is needed for the outcome.
    tight
        Every number is as near to the row's own as the outcome allows.
    round_numbers
        Prefer round numbers, where they add at most 2 % to the distance of an answer; with `needed`
        or `tight`.
    nearest
        The nearest answer is among the answers.
    device
        Where to search, as torch names it: 'cuda' is a GPU. For networks and trees that ifonly can
        read. None: the CPU, for any model.

    Examples
    --------
    >>> Engine(device="cuda").needs
    frozenset({'reading'})
    """

    effort: Effort = "auto"
    needed: bool = True
    tight: bool = True
    round_numbers: bool = True
    nearest: bool = True
    device: str | None = None

    def __post_init__(self) -> None:
        check_effort(self.effort)
        check_device(self.device)
        for name in ("needed", "tight", "round_numbers", "nearest"):
            check_flag(getattr(self, name), name)

    @property
    def needs(self) -> frozenset[str]:
        """What it needs of a model: its layers or trees, where it searches on a device."""
        return frozenset() if self.device is None else frozenset({"reading"})

    @property
    def room(self) -> int:
        """How many times the ordinary number of rows is searched together."""
        return 1 if self.device is None else room(self.device)

    def search(self, problem: Problem, k: int) -> Pool:
        """The near and the wide candidates of every row."""
        if self.device is not None:
            return search_on(self.device, self.effort, problem)
        sized = replace(self, effort=size_of(self.effort, problem, alone=k == 1))
        groups = list(problem.moves.alike())
        if len(groups) == 1:
            return sized._search(problem, alone=k == 1)
        parts = [sized._search(problem.take(rows), alone=k == 1) for rows in groups]
        width = max(part.margin.shape[1] for part in parts)
        q, d = problem.x.shape
        points, margin = np.zeros((q, width, d)), np.full((q, width), -np.inf)
        for rows, part in zip(groups, parts, strict=True):
            points[rows, : part.margin.shape[1]] = part.points
            margin[rows, : part.margin.shape[1]] = part.margin
        return Pool(points, margin)

    @property
    def _size(self) -> Size:
        assert isinstance(self.effort, Size), "search() has resolved it"
        return self.effort

    def _search(self, problem: Problem, *, alone: bool) -> Pool:
        """The candidates of rows that may change the same features: they share one list."""
        size = self._size
        shared = plan(problem.grid, problem.moves.free[0].tobytes(), size, problem.seed)
        copies = copies_of_neighbours(problem, size.neighbours, size.copies)
        first = _ask(problem, problem.moves.points(shared.choice, copies))
        singles = (one[:, : shared.single] for one in (first.points, first.margin, first.price))
        start = _Found(*singles), _nearest(_of_sets(first, shared), HEAD * size.near)
        found = self._beam(problem, _edits(problem, shared, first, size.branch), *start)
        near = _near(_along_trees(problem, found, alone=alone), size.near)
        return near.pool().join(_draw(first, shared, size.wide).pool())

    def _beam(self, problem: Problem, edits: _Edits, tried: _Found, found: _Found) -> _Found:
        """`found` and what one more edit reaches, and one more, from partial edits and by swaps."""
        start = np.maximum(tried.margin[:, :1], _FAR)  # a row may break its own rules
        every, front = [found], _near(found, self._size.swaps)
        for _ in range(1, self._size.depth):
            if problem.spent:
                break
            base = join(self._next(problem, tried, start), self._swaps(problem, front.points))
            tried = _ask(problem, edited(base, edits.feature, edits.value))
            every.append(_of_branches(tried))
            front = _near(_joined([front, every[-1]]), self._size.swaps)
        return _joined(every)

    def _next(self, problem: Problem, tried: _Found, start: Floats) -> Points:
        """The most promising invalid points [q, width, d].

        Half by margin, half by margin gained per price; one for each set of changed features, or
        the beam narrows to one idea.
        """
        half = self._size.width // 2
        price = tried.price
        hopeful = (tried.margin <= 0) & (tried.margin > -_INF) & (price > 0)
        loss = np.where(hopeful, -tried.margin, _INF)
        few = problem.tied & (hopeful.sum(axis=1) < self._size.width)
        if few.any():
            # What no repair could mend: the least broken comes after all that is possible.
            broken = (tried.margin == -_INF) & (price > 0) & few[:, None]
            loss = np.where(broken, _BROKEN * (1 + problem.violation(tried.points)), loss)
        with np.errstate(invalid="ignore"):  # a range without ends has no margin but infinity
            gained = start - tried.margin
        rate = np.where(hopeful, gained / np.maximum(price, np.float32(1e-6)), _INF)
        sets = change_sets(changes(tried.points, problem.moves.origin))
        by_margin, _ = leaders(loss, sets, half, each=1)
        taken = np.logical_or.reduce([sets == own[:, None] for own in pick(sets, by_margin).T])
        by_rate, _ = leaders(np.where(taken, _INF, rate), sets, self._size.width - half, each=1)
        return gather(tried.points, np.concatenate([by_margin, by_rate], axis=1))

    def _swaps(self, problem: Problem, points: Points) -> Points:
        """`points` [q, n, d] with one of their three dearest changes reverted, [q, n*3, d]."""
        origin = np.broadcast_to(problem.moves.origin[:, None, :], points.shape)
        dearest, _ = best(-problem.metric.prices(points, origin), min(3, points.shape[2]))
        return edited(points, dearest, read(origin, dearest))


@dataclass(frozen=True)
class _Found:
    """Points [q, m, d], margins [q, m], prices [q, m]."""

    points: Points
    margin: Floats
    price: Floats

    @cached_property
    def cost(self) -> Floats:
        """[q, m] the price; infinite where not valid, or the row itself, which is no answer."""
        return np.where((self.margin > 0) & (self.price > 0), self.price, _INF)

    def pool(self) -> Pool:
        return Pool(self.points, self.margin)

    def take(self, index: NDArray[np.intp], found: NDArray[np.bool_]) -> _Found:
        """The slots `index` [q, n]; those not `found` come back empty."""
        margin = np.where(found, pick(self.margin, index), -_INF)
        return _Found(gather(self.points, index), margin, pick(self.price, index))


@dataclass(frozen=True)
class _Edits:
    """Single edits worth adding to others: feature and value [q, 1, n]."""

    feature: NDArray[np.intp]
    value: Floats


def _edits(problem: Problem, shared: Plan, first: _Found, branch: int) -> _Edits:
    """The single edits to build on, three values each for the best `branch` features.

    A category's three best levels; for a continuous feature its best value and a quarter and a
    sixteenth of the way there, as a small step may do once another feature has changed.
    """
    q, d = problem.x.shape
    continuous, origin = problem.space.continuous, problem.moves.origin
    alone = np.where(shared.singles > 0, first.margin[:, shared.singles], -_INF)
    order, _ = best(-alone, len(_SHARES))
    feature = np.broadcast_to(np.arange(d)[:, None], order.shape)
    slots = shared.singles[feature, order]
    value = read(
        gather(first.points, slots.reshape(q, -1)),
        np.repeat(np.arange(d), len(_SHARES)).reshape(1, -1, 1),
    )
    value = value.reshape(q, d, -1)
    way = value[:, :, :1] - origin[:, :, None]
    shares = origin[:, :, None] + way * np.array(_SHARES, value.dtype)
    steps = settle(problem.box, shares, feature, problem.grid.stops)
    # There is no way to go from a missing value, or to one: it is set.
    steps = np.where(np.isnan(way), value, steps)
    value = np.where(continuous[:, None], steps, value)
    if branch < d:
        top, _ = best(-alone.max(2), branch)
        feature, value = (np.take_along_axis(a, top[:, :, None], 1) for a in (feature, value))
    return _Edits(feature.reshape(q, 1, -1), value.reshape(q, 1, -1))


def _ask(problem: Problem, points: Points) -> _Found:
    points = problem.repaired(points)
    return _Found(points, problem.margin(points, inside=True), problem.price(points))


def _along_trees(problem: Problem, found: _Found, *, alone: bool) -> _Found:
    """`found`, and what the lines of the model's trees propose."""
    if problem.causes is not None or problem.goal.avoided is not None or problem.spent:
        return found
    if (trees := problem.trees()) is None:
        return found
    points = proposed_points(problem, trees, found.cost.min(axis=1), alone=alone)
    return _joined([found, _ask(problem, problem.box.clip(points))])


def _of_sets(first: _Found, shared: Plan) -> _Found:
    """The nearest valid point of each set of the shared list, and every neighbour."""
    q, m = first.cost.shape
    keys = np.minimum.reduceat(pack(first.cost), shared.groups, axis=1)
    rest = np.broadcast_to(np.arange(shared.m, m), (q, m - shared.m))
    index = np.concatenate([places(keys), rest], axis=1)
    return first.take(index, pick(first.cost, index) < _INF)


def _of_branches(tried: _Found) -> _Found:
    """The nearest valid point for each base and feature."""
    q, m = tried.cost.shape
    n = len(_SHARES)
    index = tried.cost.reshape(q, m // n, n).argmin(2) + np.arange(0, m, n)
    return tried.take(index, pick(tried.cost, index) < _INF)


def _draw(first: _Found, shared: Plan, count: int) -> _Found:
    """The first `count` valid points of the shared list in the order of its lottery."""
    return first.take(
        *best(
            np.where(first.cost[:, : shared.m] < _INF, shared.lottery, _INF), min(count, shared.m)
        )
    )


def _nearest(found: _Found, count: int) -> _Found:
    """The `count` nearest valid points, repeats among them; all, where there are no more."""
    return found if found.cost.shape[1] <= count else found.take(*best(found.cost, count))


def _near(found: _Found, count: int) -> _Found:
    """The `count` nearest valid points, each once."""
    if count == 1:
        return _nearest(found, 1)
    return found.take(*distinct(found.cost, digests(found.points), count))


def _joined(found: list[_Found]) -> _Found:
    return _Found(
        join(*[part.points for part in found]),
        np.concatenate([part.margin for part in found], axis=1),
        np.concatenate([part.price for part in found], axis=1),
    )
