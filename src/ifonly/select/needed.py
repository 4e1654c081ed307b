"""Choose among answers of which every change is needed.

A diverse set may carry changes that the outcome does not need: they make its points differ. Here
every candidate first gives back what it can, the dearest change first, until giving any single
change back would lose the outcome; then a set is chosen among what is left. Such sets are closer,
sparser and less far apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.pool import Pool
from ifonly.problem import Problem
from ifonly.select.selector import Selector

PASSES = 4
"""How often a candidate is gone through: giving one change back can free another."""


@dataclass(frozen=True)
class Needed:
    """A choice among candidates without needless changes."""

    choice: Selector

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The chosen points, nearest first, and which places are filled."""
        for _ in range(PASSES):
            fewer = _given_back(problem, pool)
            if np.array_equal(fewer.points, pool.points, equal_nan=True):
                break
            pool = fewer.without_repeats()
        return self.choice.select(problem, pool, k)


def _given_back(problem: Problem, pool: Pool) -> Pool:
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
