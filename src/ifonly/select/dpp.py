"""Choose a diverse set: maximise log det K against distance, greedily.

K = 1 / (1 + dist) is the paper's kernel (section 'Diversity via Determinantal Point Processes'); it
is positive definite for distinct points. The choice maximises

    log det K_S - lambda * sum of p,   p = dist + sparsity * changed / d

over sets S of k valid points, lambda = 0.25 (1 - diversity) / diversity. The logarithm matters: the
plain determinant vanishes as k grows, and the choice then collapses onto the nearest cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.errors import OptionError
from ifonly.pool import Pool
from ifonly.problem import Problem
from ifonly.select.order import nearest_first


@dataclass(frozen=True)
class Determinant:
    """Greedy choice by log determinant; the nearest point comes first.

    `diversity` goes from 0, the k nearest, to 1, the widest set.
    """

    diversity: float = 0.5
    sparsity: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.diversity <= 1:
            raise OptionError(
                f"diversity is {self.diversity!r}.", "It goes from 0 (closest) to 1 (widest)."
            )

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The greedy set: each point adds most to the log determinant, less its price."""
        q, m, _ = pool.points.shape
        if not m:
            none = np.zeros((q, k), dtype=bool)
            return nearest_first(problem, np.repeat(problem.x[:, None], k, axis=1), none)
        price = self._price(problem, pool)
        rows = np.arange(q)
        chosen = np.empty((q, k), dtype=np.intp)
        filled = np.zeros((q, k), dtype=bool)
        free = pool.valid.copy()
        # What is left of each candidate's own variance once the chosen ones are known, and the
        # rows of the growing Cholesky factor that give it.
        variance = np.ones((q, m))
        factor = np.zeros((q, k, m))
        for i in range(k):
            gain = self._gain(variance, price) if i else -price
            gain = np.where(free, gain, -np.inf)
            best = gain.argmax(axis=1)
            chosen[:, i], filled[:, i] = best, free[rows, best]
            free[rows, best] = False
            kernel = 1 / (
                1 + problem.metric.distance(pool.points, pool.points[rows, best][:, None])
            )
            known = np.einsum("qi,qim->qm", factor[rows, :, best], factor)
            pivot = np.sqrt(np.maximum(variance[rows, best], 1e-12))[:, None]
            factor[:, i] = (kernel - known) / pivot
            variance = np.maximum(variance - factor[:, i] ** 2, 1e-12)
        points = np.take_along_axis(pool.points, chosen[:, :, None], axis=1)
        return nearest_first(problem, points, filled)

    def _price(self, problem: Problem, pool: Pool) -> np.ndarray:
        changed = problem.changed(pool.points).mean(axis=-1)
        return np.asarray(problem.distance(pool.points) + self.sparsity * changed)

    def _gain(self, variance: np.ndarray, price: np.ndarray) -> np.ndarray:
        """What a candidate adds, times diversity, so that both ends of the knob stay finite."""
        return np.asarray(self.diversity * np.log(variance) - 0.25 * (1 - self.diversity) * price)
