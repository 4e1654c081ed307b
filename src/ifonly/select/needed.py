"""Choose among answers of which every change, and every set of changes, is needed.

A diverse set may carry changes that the outcome does not need: they make its points differ. Here
every candidate first reverts what it can, the dearest change first, until reverting any single
change would lose the outcome; then a set is chosen. Of each chosen point every smaller set of its
changes is asked about; where one is enough, the smallest such set takes the point's place and the
row chooses again. Such sets are closer, sparser and less far apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.keys import point_keys
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select.determinant import Determinant
from ifonly.select.selector import Diverse

PASSES = 4
"""How often a candidate is gone through: reverting one change can free another."""
ROUNDS = 16
"""How often a row chooses anew; then it chooses among the points whose changes are all needed."""
WHOLE = 10
"""Up to how many changes every subset is asked about."""
MOST = 2**WHOLE
"""How many subsets of a point are asked about at the most."""
ROOM = 1_000_000
"""About how many numbers the subsets that are asked about together hold; it bounds memory."""


@dataclass(frozen=True)
class Needed:
    """A choice among candidates of which every change is needed for the outcome.

    Parameters
    ----------
    choice
        The selector that chooses; it takes points of its pool only.

    Examples
    --------
    >>> Needed(Determinant(diversity=0.9)).choice.diversity
    0.9
    """

    choice: Diverse = field(default_factory=Determinant)

    def with_diversity(self, diversity: float) -> Needed:
        """The same selector at another diversity."""
        return replace(self, choice=self.choice.with_diversity(diversity))

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The chosen points, nearest first, and which places are filled."""
        for _ in range(PASSES):
            fewer = _reverted(problem, pool)
            if np.array_equal(fewer.points, pool.points, equal_nan=True):
                break
            pool = fewer.without_repeats()
        points, filled = self.choice.select(problem, pool, k)
        needed = problem.changed(pool.points).sum(axis=-1) < 2
        rows = np.arange(len(problem.x))
        for turn in range(ROUNDS):
            slots, found = _slots(pool, rows, points[rows], filled[rows])
            doubtful = found & ~needed[rows[:, None], slots]
            rows, slots, doubtful = (part[doubtful.any(axis=1)] for part in (rows, slots, doubtful))
            if not len(rows) or problem.spent:
                break
            which = np.repeat(rows, doubtful.sum(axis=1))
            fewer, needed = _smallest(problem, pool, needed, which, slots[doubtful])
            again = (fewer.points[rows] != pool.points[rows]).any(axis=(1, 2))
            pool, rows = fewer, rows[again]
            part = Pool(pool.points[rows], pool.margin[rows])
            if turn == ROUNDS - 1:
                part = part.without(~needed[rows])
            points[rows], filled[rows] = self.choice.select(problem.take(rows), part, k)
        return points, filled


def _slots(
    pool: Pool, rows: np.ndarray, points: np.ndarray, filled: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where in the pool the chosen points [q, k, d] of some rows stand, and which are there."""
    here = np.where(pool.valid[rows], point_keys(pool.points[rows]), 0)[:, None]
    same = (here == point_keys(points)[:, :, None]) & filled[:, :, None]
    return same.argmax(axis=2), same.any(axis=2)


def _smallest(
    problem: Problem, pool: Pool, needed: np.ndarray, row: np.ndarray, slot: np.ndarray
) -> tuple[Pool, np.ndarray]:
    """The pool with the smallest answers inside the points at some places, each at its place.

    Also which points [q, m] are known to need every set of their changes.
    """
    points, margin, needed = pool.points.copy(), pool.margin.copy(), needed.copy()
    changed = problem.changed(points)[row, slot]
    size = changed.sum(axis=1)
    numbers = points.shape[2] * sum(len(_subsets(int(one))) for one in size)
    for n in np.array_split(np.arange(len(row)), 1 + numbers // ROOM):
        own, x = points[row[n], slot[n]], problem.x[row[n]]
        which, count, inside = _inside(own, x, changed[n])
        part = replace(problem).take(row[n][which])  # without its moves, which nobody needs here
        reached = part.margin(inside[:, None])[:, 0]
        valid = np.flatnonzero(reached > 0)
        cost = part.distance(inside[:, None])[valid, 0]
        order = valid[np.lexsort((cost, count[valid], which[valid]))]
        found, first = np.unique(which[order], return_index=True)
        place = (row[n][found], slot[n][found])
        points[place], margin[place] = inside[order[first]], reached[order[first]]
        needed[row[n], slot[n]] = True
        needed[place] = size[n][found] <= WHOLE
    return Pool(points, margin).without_repeats(), needed


def _inside(
    points: np.ndarray, x: np.ndarray, changed: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The points [N, d] that make some of the changes [n, d] of `points` [n, d], from rows x.

    Before them, the place of the point that each is from [N], and how many changes it makes [N].
    """
    parts = [(np.zeros(0, np.intp), np.zeros(0, np.intp), points[:0])]
    sizes = changed.sum(axis=1)
    for size in np.unique(sizes):
        kept, n = _subsets(int(size)), np.flatnonzero(sizes == size)
        inside = np.repeat(x[n, None], len(kept), axis=1)
        features = np.nonzero(changed[n])[1].reshape(len(n), 1, size)
        own, old = (np.take_along_axis(one[n, None], features, axis=2) for one in (points, x))
        values = np.where(kept, own, old)
        np.put_along_axis(inside, np.broadcast_to(features, values.shape), values, axis=2)
        count = np.tile(kept.sum(axis=1), len(n))
        parts.append((np.repeat(n, len(kept)), count, inside.reshape(-1, x.shape[1])))
    which, counts, insides = zip(*parts, strict=True)
    return np.concatenate(which), np.concatenate(counts), np.concatenate(insides)


@lru_cache(maxsize=64)
def _subsets(size: int) -> NDArray[np.bool_]:
    """[s, size] which of a point's changes are kept: every set of them but all and none.

    Of more than `WHOLE` changes, all but one or all but two are kept.
    """
    reverted = range(1, size) if size <= WHOLE else range(1, 3)
    sets = chain.from_iterable(combinations(range(size), n) for n in reverted)
    listed = list(islice(sets, MOST))
    kept = np.ones((len(listed), size), dtype=bool)
    for one, features in zip(kept, listed, strict=True):
        one[list(features)] = False
    return kept


def _reverted(problem: Problem, pool: Pool) -> Pool:
    """Each valid candidate without the changes that it can do without, the dearest tried first."""
    x = problem.x[:, None]
    order = np.argsort(-problem.metric.prices(pool.points, x), axis=-1, kind="stable")
    most = int((problem.changed(pool.points) & pool.valid[:, :, None]).sum(axis=-1).max(initial=0))
    for rank in range(most):
        if problem.spent:
            break
        which = order[:, :, rank : rank + 1]
        trial = pool.points.copy()
        own = np.take_along_axis(np.broadcast_to(x, trial.shape), which, axis=-1)
        np.put_along_axis(trial, which, own, axis=-1)
        asked = pool.valid & problem.changed(trial).any(axis=-1)
        asked &= problem.changed(trial).sum(axis=-1) < problem.changed(pool.points).sum(axis=-1)
        margin = problem.margin(trial, asked)
        won = margin > 0
        pool = Pool(
            np.where(won[:, :, None], trial, pool.points), np.where(won, margin, pool.margin)
        )
    return pool
