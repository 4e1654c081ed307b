"""Refine by giving back: undo changes that the outcome does not need, and shorten the others.

Feature after feature, the dearest change first, a candidate gets the row's own value back where the
outcome survives that. What remains of its numeric changes is then halved toward the row, on the
value grid, as long as the outcome survives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.pool import Pool
from ifonly.problem import Problem
from ifonly.refine.better import better


@dataclass(frozen=True)
class GiveBack:
    """Give features back on the `count` nearest valid candidates, then bisect `halvings` times."""

    count: int = 24
    halvings: int = 6

    def refine(self, problem: Problem, pool: Pool) -> Pool:
        """The nearest valid candidates with fewer and smaller changes."""
        pool = pool.without_repeats()  # or the places go to copies of the nearest one
        cost = np.where(pool.valid, problem.distance(pool.points), np.inf)
        best = pool.nearest(cost, self.count)
        return _shorten(problem, _give_back(problem, best), self.halvings)


def _give_back(problem: Problem, pool: Pool) -> Pool:
    """Each valid candidate without the changes that it does not need, dearest first."""
    gaps = problem.metric.gaps(pool.points, problem.x[:, None]) * problem.metric.scale
    order = np.argsort(-gaps, axis=-1, kind="stable")
    most = int(problem.changed(pool.points).sum(axis=-1).max(initial=0))
    for step in range(most):
        which = order[:, :, step : step + 1]
        trial = pool.points.copy()
        own = np.take_along_axis(np.broadcast_to(problem.x[:, None], trial.shape), which, axis=-1)
        np.put_along_axis(trial, which, own, axis=-1)
        pool = better(problem, pool, trial)
    return pool


def _shorten(problem: Problem, pool: Pool, halvings: int) -> Pool:
    """Each valid candidate with its numeric changes bisected toward the row, one by one."""
    for j in np.flatnonzero(problem.space.continuous):
        near = np.broadcast_to(problem.x[:, None, j], pool.margin.shape)  # known not to be enough
        for _ in range(halvings):
            middle = pool.points.copy()
            middle[:, :, j] = (middle[:, :, j] + near) / 2
            middle = np.where(problem.changed(middle), problem.space.round(middle), middle)
            before = pool
            pool = better(problem, pool, middle)
            failed = (pool.points[:, :, j] == before.points[:, :, j]) & pool.valid
            near = np.where(failed, middle[:, :, j], near)
    return pool
