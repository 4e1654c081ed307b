"""k different ways to the outcome: every change needed, no number further than needed.

A way is a set of changes: which features, in which direction, to which levels. The candidates of
the most promising ways revert what they can; k and a few are chosen, made nearer and checked. A row
with fewer ways than answers gets other points of the same ways, then the next best candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import Points, gather, pick
from ifonly.arrays.keys import point_keys
from ifonly.arrays.ranking import leaders
from ifonly.problem.pool import Pool, repeated
from ifonly.problem.problem import Problem
from ifonly.select.determinant import Determinant
from ifonly.select.discrete import known_ones
from ifonly.select.exchange import Chosen, nearest_first
from ifonly.select.polish import Polish
from ifonly.select.shared import shared
from ifonly.select.tight import nearer, rounder
from ifonly.select.trim import WIDE, fewer, smallest
from ifonly.select.twins import alike, distinct, ways_of

SPARE = 2
"""How many of the nearest candidates are made nearer beside the nearest: one may overtake it."""
LEADERS = 128
"""Of how many candidates, one of a way, those are chosen that become tight."""
MORE = 6
"""How many more ways than answers become tight because they are far apart."""
EARLY = 10.0
"""How much more distance counts in that choice than in the last one, of tight points."""
TURNS = 3
"""How often points come nearer, and of how many points of a way a row tries that lacks ways."""
MANY = 3
"""A row whose nearest candidate changes so many features looks around it, where that is cheap."""
OTHERS = 2
"""The tier of candidates as they are: after ways and other points of the same ways."""
ODD = 0.1
"""The share of real rows below which a row counts as rare."""
DISLIKE = 2.0
"""How much less a way is worth that no real row is as rare as."""
EACH = 1.0
"""The price of a changed feature in the choice of two points; of k, log2(k) times as much."""
_INCLUDES = np.float32(1e6)

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Ways:
    """A choice of different ways, each without needless changes and needless distance.

    Parameters
    ----------
    choice
        The selector that chooses among the ways.
    needed
        Revert the changes that the outcome does not need.
    tight
        Move every number back as far as the outcome allows.
    round_numbers
        Move a number on to a rounder one, where that adds at most 2 % to the distance.

    Examples
    --------
    >>> Ways(round_numbers=False).with_diversity(0.9).choice.diversity
    0.9
    """

    choice: Determinant = field(default_factory=Determinant)
    needed: bool = True
    tight: bool = True
    round_numbers: bool = True
    prefers_usual: ClassVar[bool] = True

    def with_diversity(self, diversity: float) -> Ways:
        """The same selector at another diversity."""
        return replace(self, choice=self.choice.with_diversity(diversity))

    @property
    def from_pool(self) -> Determinant:
        """The choice among the candidates as they are."""
        return self.choice

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[Points, Flags]:
        """The chosen points, nearest first."""
        return self.marked(problem, pool, k)[:2]

    def marked(self, problem: Problem, pool: Pool, k: int) -> tuple[Points, Flags, Flags]:
        """The chosen points, nearest first, and which of them only fill a place.

        Parameters
        ----------
        problem
            The rows, the wanted outcome, the rules and the model.
        pool
            The candidates.
        k
            How many answers per row are wanted.

        Returns
        -------
        tuple of np.ndarray
            The points [q, k, d], bool [q, k] and bool [q, k].
        """
        if problem.model.cheap:
            changes = problem.changed(_nearest(problem, pool, 1).points).sum(axis=(1, 2))
            hard = np.flatnonzero(changes >= MANY)
            pool = pool.join(self._neighbours(problem, pool, k, hard))
        ways = self._all_ways(problem, pool, k)
        chosen = self._chosen(problem, ways, pool, k)
        lacking = np.flatnonzero(~chosen.filled.all(axis=1))
        if len(lacking) and not problem.spent:
            pool = pool.join(self._neighbours(problem, pool, k, lacking))
            chosen = self._chosen(problem, ways, pool, k)
        rest = _others(chosen, ways)
        if rest.valid.any():  # what fills a place may lead to one more way
            ways = ways.join(_each(problem, rest, self._bettered)).without_repeats()
            chosen = self._chosen(problem, ways, pool, k)
            rest = _others(chosen, ways)
        points = gather(chosen.points, chosen.slots)
        if self.tight and rest.valid.any():
            moved = _each(problem, rest, self._nearer).points
            moved = np.where(rest.valid[:, :, None], moved, points)
            again = repeated(moved, chosen.filled)
            moved = np.where(again[:, :, None], points, moved)
            twice = repeated(moved, chosen.filled).any(axis=1, keepdims=True)
            points = np.where(np.asarray(twice)[:, :, None], points, moved)
        fills = _found_in(Pool(points, rest.margin))
        points, filled = nearest_first(problem, points, chosen.filled)
        return points, filled, filled & fills(points)

    def _all_ways(self, problem: Problem, pool: Pool, k: int) -> Pool:
        """Points of about k ways; a row with fewer tries more candidates of each way."""
        ways = self._ways(problem, pool, k, each=1)
        lacking = np.flatnonzero(distinct(problem, ways) < k)
        if len(lacking) and not problem.spent:
            more = self._ways(problem.take(lacking), pool.take(lacking), 3 * k, each=TURNS)
            ways = ways.join(more.spread(lacking, len(problem.x))).without_repeats()
        lacking = np.flatnonzero(distinct(problem, ways) < k)
        exact = problem.reference.emulator is None  # a guess of a slow model is too rough
        if len(lacking) and self.tight and self.needed and exact and not problem.spent:
            part = problem.take(lacking)
            known = _nearest(part, ways.take(lacking), k)
            more = shared(part, known, 3 * k)
            if more.valid.any():
                more = _each(part, more, self._bettered)
                ways = ways.join(more.spread(lacking, len(problem.x))).without_repeats()
        return ways

    def _neighbours(self, problem: Problem, pool: Pool, k: int, rows: NDArray[np.intp]) -> Pool:
        """Further candidates of some rows, from the neighbourhood of what they have."""
        if not len(rows):
            return Pool.empty(problem.x)
        look = Polish(self.choice, "small")
        found, filled = look.select(problem.take(rows), pool.take(rows), k)
        return Pool(found, np.where(filled, 1.0, -np.inf)).spread(rows, len(problem.x))

    def _chosen(self, problem: Problem, ways: Pool, others: Pool, k: int) -> Chosen:
        """k of the ways, then of other points of the same ways, of others, and of twins."""
        same, twin = alike(problem, ways)
        lacking = (ways.valid & ~same).sum(axis=1) < k
        whole = ways.join(others).without_repeats() if lacking.any() else ways
        tier = np.full(whole.margin.shape, OTHERS)
        tier[:, : same.shape[1]] = np.where(twin, OTHERS + 1, same)
        factor = np.ones(whole.margin.shape)
        factor[:, : same.shape[1]] = self._usual(problem, ways) * self._short(problem, ways, k)
        return self.choice.choose(problem, whole, k, tier, factor)

    def _ways(self, problem: Problem, pool: Pool, k: int, *, each: int) -> Pool:
        """Needed and tight points of near and of wide ways of the pool, nearest first."""
        found = self._promising(problem, pool, k, each)
        for work in (fewer, self._bettered) if self.needed else (self._bettered,):
            found = _each(problem, found, work)
        return _nearest(problem, found, found.margin.shape[1])

    def _promising(self, problem: Problem, pool: Pool, k: int, each: int) -> Pool:
        """The nearest candidates, `each` of a way, and others that are near and far apart.

        But for the nearest, those that change all features of another and more come last: where
        numbers come nearer, fewer changes often win.
        """
        cost = np.where(pool.valid, problem.price(pool.points), np.inf)
        index, real = leaders(cost, ways_of(problem, pool.points), LEADERS, each=each)
        first = Pool(gather(pool.points, index), np.where(real, pick(pool.margin, index), -np.inf))
        diversity = self.choice.diversity / (EARLY - (EARLY - 1) * self.choice.diversity)
        apart = replace(self.choice, diversity=diversity, exchanges=0)
        wide = apart.choose(problem, first, min(k + MORE, index.shape[1]))
        few = slice(0, 4 * (3 * k + 4))
        near = Pool(first.points[:, few], first.margin[:, few])
        more = _INCLUDES * _includes_another(problem.changed(near.points), near.valid)
        more[:, : 1 + SPARE] = 0.0
        cost = np.where(near.valid, pick(cost, index[:, few]) + more, np.inf)
        near = near.nearest(cost, min(k + SPARE, cost.shape[1]))
        return near.join(_taken(wide)).without_repeats()

    def _usual(self, problem: Problem, pool: Pool) -> NDArray[np.float64]:
        """[q, m] what the points of a pool are worth, for how usual they are: at most 1.

        A point is odd as far as it is rarer than its row and than most real rows.
        """
        worth = np.ones(pool.margin.shape)
        if problem.usual is None or self.choice.diversity <= 0:
            return worth
        points = problem.result(pool.points)[pool.valid]
        own, quantile = np.split(
            problem.usual.quantile(np.concatenate([problem.x, points])), [len(problem.x)]
        )
        own = np.minimum(own, ODD)[np.nonzero(pool.valid)[0]]
        worth[pool.valid] = np.exp(-DISLIKE * np.maximum(own - quantile, 0.0) / ODD)
        return worth

    def _short(self, problem: Problem, pool: Pool, k: int) -> NDArray[np.float64]:
        """[q, m] what the points of a pool are worth, for how little they change: at most 1."""
        if self.choice.diversity <= 0:
            return np.ones(pool.margin.shape)
        each = self.choice.rate * EACH * np.log2(k)
        return np.asarray(np.exp(-each * problem.changed(pool.points).sum(axis=2)))

    def _nearer(self, problem: Problem, points: np.ndarray) -> np.ndarray:
        """Points [p, d] whose numbers are tight, and known where a column has few values."""
        points = nearer(problem, points) if self.tight else points
        if not problem.grid.discrete:
            return points
        known = known_ones(problem, points)
        rows = np.flatnonzero(((known != points) & ~np.isnan(points)).any(axis=1))
        if self.tight and len(rows):  # the others may come nearer now
            known[rows] = nearer(problem.take(rows), known[rows])
        return known

    def _bettered(self, problem: Problem, points: np.ndarray) -> np.ndarray:
        """Points [p, d] that revert and move back all they can, then become round."""
        points = fewer(problem, points, WIDE) if self.needed else points.copy()
        rows = np.arange(len(points))
        for _ in range(TURNS):
            part = problem.take(rows)
            near = self._nearer(part, points[rows])
            points[rows] = smallest(part, near) if self.needed else near
            rows = rows[((points[rows] != near) & ~np.isnan(near)).any(axis=1)]
            if not len(rows):
                break
        return rounder(problem, points, needed=self.needed) if self.round_numbers else points


def _includes_another(changed: Flags, valid: Flags) -> Flags:
    """bool [q, m]: the points that make all changes of another valid point, and more."""
    bits = np.packbits(changed, axis=-1)
    inside = np.broadcast_to(valid[:, None, :], (*valid.shape, valid.shape[1])).copy()
    same = np.ones_like(inside)
    for byte in np.moveaxis(bits, -1, 0):
        outer, inner = byte[:, :, None], byte[:, None, :]
        inside &= (outer & inner) == inner
        same &= outer == inner
    return np.asarray((inside & ~same).any(axis=2))


def _each(problem: Problem, pool: Pool, work: Callable[[Problem, np.ndarray], np.ndarray]) -> Pool:
    """The pool with work done on each of its valid points [p, d]."""
    rows, places = np.nonzero(pool.valid)
    points = pool.points.copy()
    points[rows, places] = work(problem.take(rows), pool.points[rows, places])
    return Pool(points, pool.margin).without_repeats()


def _nearest(problem: Problem, pool: Pool, count: int) -> Pool:
    """The nearest valid points of a pool, nearest first."""
    cost = np.where(pool.valid, problem.price(pool.points), np.inf)
    return pool.nearest(cost, min(count, cost.shape[1]))


def _taken(chosen: Chosen) -> Pool:
    """The chosen points."""
    margin = np.where(chosen.filled, 1.0, -np.inf)
    return Pool(gather(chosen.points, chosen.slots), margin)


def _others(chosen: Chosen, ways: Pool) -> Pool:
    """The chosen points that are not of the ways."""
    taken = _taken(chosen)
    return taken.without(_found_in(ways)(taken.points))


def _found_in(pool: Pool) -> Callable[[np.ndarray], Flags]:
    """A test of points [q, m, d]: which of them are valid points of the pool."""
    keys = point_keys(pool.points)

    def test(points: np.ndarray) -> Flags:
        same = point_keys(points)[:, :, None] == keys[:, None, :]
        return np.asarray((same & pool.valid[:, None, :]).any(axis=2))

    return test
