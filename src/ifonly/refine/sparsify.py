"""The paper's sparsity step: small changes of numbers are given back while the outcome holds.

Of each candidate's changed continuous features, those changed by no more than the feature's small
change (the smaller of the MAD and the 10 % quantile of the absolute deviations from the median) are
restored greedily, the smallest change first, unless the class would change (section 'Enhancing
Sparsity').
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.pool import Pool, repeated
from ifonly.problem import Problem
from ifonly.refine.better import better
from ifonly.space import Continuous


@dataclass(frozen=True)
class Sparsify:
    """Give small numeric changes back; candidates stay in their places."""

    def refine(self, problem: Problem, pool: Pool) -> Pool:
        """The pool with fewer changed numbers."""
        features = problem.space.features
        small = np.array([f.small if isinstance(f, Continuous) else -1.0 for f in features])
        gaps = problem.metric.gaps(pool.points, problem.x[:, None])
        change = np.abs(pool.points - problem.x[:, None])
        gaps = np.where((change <= small) & (gaps > 0), gaps, np.inf)
        order = np.argsort(gaps, axis=-1, kind="stable")
        before = repeated(pool.points, pool.valid)
        for rank in range(int((gaps < np.inf).sum(axis=-1).max(initial=0))):
            which = order[:, :, rank : rank + 1]
            trial = pool.points.copy()
            own = np.broadcast_to(problem.x[:, None], trial.shape)
            np.put_along_axis(trial, which, np.take_along_axis(own, which, axis=-1), axis=-1)
            eligible = np.take_along_axis(gaps, which, axis=-1)[:, :, 0] < np.inf
            fewer = better(problem, pool, trial, eligible)
            # Two points that differ in small changes alone must not become one.
            again = repeated(fewer.points, fewer.valid) & ~before
            points = np.where(again[:, :, None], pool.points, fewer.points)
            pool = Pool(points, np.where(again, pool.margin, fewer.margin))
        return pool
