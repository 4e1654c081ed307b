"""A selector that looks around what was chosen and chooses on.

Single-feature neighbours of the chosen points are asked about, join the pool, and the exchanges go
on from the set as it is. A round of this is worth more than a pool four times as large.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import Points, edited, gather, memory, read
from ifonly.arrays.ranking import best
from ifonly.problem.effort import Effort, check_effort, size_of
from ifonly.problem.moves import Grid, settle
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select.determinant import Determinant
from ifonly.select.exchange import Chooser, answer

MOST = 8192
"""How many neighbours join a row's pool in a round: many answers get fewer each."""


@dataclass(frozen=True)
class Polish:
    """Selection, then rounds in which neighbours of the chosen points are exchanged for them.

    Parameters
    ----------
    choice
        The selector that chooses.
    effort
        'small', 'base', 'thorough' or 'auto': how many rounds, and how many neighbours per
        point.

    Raises
    ------
    OptionError
        There is no such effort.

    Examples
    --------
    >>> Polish(effort="small").choice.diversity
    0.55
    """

    choice: Chooser = field(default_factory=Determinant)
    effort: Effort = "auto"

    def __post_init__(self) -> None:
        check_effort(self.effort)

    def with_diversity(self, diversity: float) -> Polish:
        """The same selector at another diversity."""
        return replace(self, choice=self.choice.with_diversity(diversity))

    @property
    def from_pool(self) -> Chooser:
        """The choice without neighbours."""
        return self.choice

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[Points, NDArray[np.bool_]]:
        """The chosen points, nearest first."""
        groups = list(problem.moves.alike())
        if len(groups) == 1:
            return self._select(problem, pool, k)
        q, _, d = pool.points.shape
        points, filled = np.zeros((q, k, d)), np.zeros((q, k), dtype=bool)
        for rows in groups:
            part = pool.take(rows)
            points[rows], filled[rows] = self._select(problem.take(rows), part, k)
        return points, filled

    def _select(self, problem: Problem, pool: Pool, k: int) -> tuple[Points, NDArray[np.bool_]]:
        size = size_of(self.effort, problem)
        chosen = self.choice.choose(problem, pool, k)
        for _ in range(size.polish):
            if problem.spent:
                break
            count = min(size.around, max(1, MOST // min(k, pool.margin.shape[1])))
            places = slice(0, max(1, int(chosen.filled.any(axis=0).sum())))  # the last stay empty
            near = around(problem, gather(chosen.points, chosen.slots[:, places]), count)
            points = problem.repaired(near)
            filled = chosen.filled[:, places]
            asked = np.repeat(filled, points.shape[1] // filled.shape[1], axis=1)
            asked &= problem.distance(points) > 0  # the row itself is no answer
            margin = np.where(asked, problem.margin(points, inside=True), -np.inf)
            chosen = self.choice.widen(problem, chosen, Pool(points, margin))
        return answer(problem, chosen)


def around(problem: Problem, points: Points, count: int) -> Points:
    """Neighbours [q, m*n, d] of `points` [q, m, d]: one feature at another value.

    The values are coarse ones, `count` in all, shared by the features; for the four dearest changes
    the row's own value; and for the two widest continuous ones half the way back and one step back.
    """
    q, m, d = points.shape
    origin = np.broadcast_to(problem.moves.origin[:, None, :], points.shape)
    feature, place = _coarse(problem.grid, problem.moves.free[0].tobytes(), count, problem.seed)
    value = np.empty((q, len(feature)), points.dtype)
    for j in np.unique(feature):
        value[:, feature == j] = problem.moves.values[j][:, place[feature == j]]
    gaps = problem.metric.prices(points, origin)
    dearest, _ = best(-gaps, min(4, d))
    widest, _ = best(np.where(problem.space.continuous, -gaps, np.float32(1)), min(2, d))
    here, own = read(points, widest), read(memory(origin).transpose(1, 2, 0), widest)
    step = (10.0**-problem.space.decimals)[widest]
    back = np.concatenate([(here + own) / 2, here - np.sign(here - own) * step], axis=2)
    both = np.concatenate([widest, widest], axis=2)
    # Where fewer are continuous, a category stands here and keeps its value.
    back = np.where(
        problem.space.continuous[both],
        settle(problem.box, back, both, problem.grid.stops),
        np.concatenate([here, here], axis=2),
    )
    shared = (q, m, len(feature))
    return edited(
        points,
        np.concatenate([np.broadcast_to(feature, shared), dearest, both], axis=2),
        np.concatenate(
            [np.broadcast_to(value[:, None], shared), read(origin, dearest), back], axis=2
        ),
    )


@lru_cache(maxsize=64)
def _coarse(
    grid: Grid, free: bytes, count: int, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """`count` edits at most, as features and places of the tables of `Moves`.

    Every feature in turn gives one more of its coarse values, drawn without replacement, until
    there are enough.
    """
    random = np.random.default_rng([seed, 3])
    features = random.permutation(np.flatnonzero(np.frombuffer(free, bool)))
    turns = sorted(
        (turn, at, j, 1 + place)
        for at, j in enumerate(features)
        for turn, place in enumerate(random.permutation(grid.coarse[j]))
    )
    picked = np.array([(j, place) for _, _, j, place in turns[:count]], np.intp).reshape(-1, 2)
    picked = picked[np.lexsort(picked.T[::-1])]
    return picked[:, 0], picked[:, 1]
