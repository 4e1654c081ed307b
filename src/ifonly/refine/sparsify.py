"""The paper's sparsity step: small changes of numbers are reverted while the outcome holds.

Of each candidate's changed continuous features, those changed by no more than the feature's small
change (the smaller of the MAD and the 10 % quantile of the absolute deviations from the median) are
restored greedily, the smallest change first, unless the class would change (section 'Enhancing
Sparsity').
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.arrays.keys import point_keys
from ifonly.problem.pool import Pool, repeated_keys
from ifonly.problem.problem import Problem
from ifonly.space import Continuous


@dataclass(frozen=True)
class Sparsify:
    """The paper's sparsity step: small changes of numbers are reverted; candidates stay in their
    places.

    Examples
    --------
    >>> Sparsify()
    Sparsify()
    """

    def refine(self, problem: Problem, pool: Pool) -> Pool:
        """The pool with fewer changed numbers."""
        order, gaps = _small_changes(problem, pool.points)
        points, margin = pool.points.copy(order="K"), pool.margin.copy()
        keys = point_keys(points)
        before = repeated_keys(keys, pool.valid)
        for rank in range(gaps.shape[2]):
            row, slot = np.nonzero((gaps[:, :, rank] < np.inf) & (margin > 0))
            if not len(row):
                break
            feature = order[row, slot, rank]
            trial = points.transpose(2, 0, 1)[:, row, slot].T  # stored feature by feature
            trial[np.arange(len(row)), feature] = problem.x[row, feature]
            reached = problem.take(row).margin(trial[:, None])[:, 0]
            won = reached > 0
            row, slot, trial, reached = row[won], slot[won], trial[won], reached[won]
            tried = keys.copy()
            tried[row, slot] = point_keys(trial)
            # Two points that differ in small changes alone must not become one: a point's new place
            # is not where another stands, or where one before it goes.
            places, here = np.concatenate([keys, tried], axis=1), np.tile(margin > 0, 2)
            taken = repeated_keys(places, here)[:, keys.shape[1] :]
            apart = ~(taken & ~before)[row, slot]
            row, slot = row[apart], slot[apart]
            points[row, slot], margin[row, slot] = trial[apart], reached[apart]
            keys[row, slot] = tried[row, slot]
        return Pool(points, margin)


def _small_changes(problem: Problem, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[q, m, n] the numbers of each point, the least changed first, and how far each is changed.

    What is not changed, or by more than a small change, is infinitely far.
    """
    features = problem.space.features
    numbers = np.flatnonzero(problem.space.continuous)
    small = np.array([f.small for f in features if isinstance(f, Continuous)])
    change = np.abs(points[:, :, numbers] - problem.x[:, None, numbers])
    gaps = np.where((change <= small) & (change > 0), change / problem.metric.mad[numbers], np.inf)
    order = np.argsort(gaps, axis=-1, kind="stable")
    return numbers[order], np.take_along_axis(gaps, order, axis=-1)
