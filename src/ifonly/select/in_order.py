"""Take the first k candidates, as methods do that search for exactly k.

What is invalid or a repeat leaves a gap: nothing later takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.problem.pool import Pool, repeated
from ifonly.problem.problem import Problem
from ifonly.select.exchange import nearest_first


@dataclass(frozen=True)
class InOrder:
    """The valid and distinct points among the first k places of the pool.

    Parameters
    ----------
    needed
        Mark an answer as extra if some of its changes can be reverted.
    tight
        Mark an answer as extra if one of its numbers can come nearer to the row's own.

    Examples
    --------
    >>> InOrder()
    InOrder(needed=False, tight=False)
    """

    needed: bool = False
    tight: bool = False

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Those points, nearest first."""
        points = np.repeat(problem.x[:, None], k, axis=1)
        valid = np.zeros(points.shape[:2], dtype=bool)
        width = min(k, pool.margin.shape[1])
        points[:, :width], valid[:, :width] = pool.points[:, :k], pool.valid[:, :k]
        return nearest_first(problem, points, valid & ~repeated(points, valid))
