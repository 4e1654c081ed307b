"""Search by edits: every single edit of a row on the value grid, then pairs of promising ones.

An edit sets one feature to one value of its grid. All single edits are asked in one model call; the
most promising, whether they reach the outcome or not, are then combined in pairs, and the best
pairs with a third edit for rows that still lack answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem


@dataclass(frozen=True)
class Edits:
    """Single edits, and combinations of the best of them.

    Parameters
    ----------
    width
        How many of the best edits are combined.
    depth
        The largest number of edits per point.

    Examples
    --------
    >>> Edits(width=12)
    Edits(width=12, depth=3)
    """

    width: int = 24
    depth: int = 3

    def search(self, problem: Problem, k: int) -> Pool:
        """All single edits, and the combinations of the best."""
        single = problem.ask(single_edits(problem))
        pool = single
        partners = _promising(problem, single, self.width)
        frontier = partners
        for depth in range(2, self.depth + 1):
            lacking = np.flatnonzero(pool.valid.sum(axis=1) < k) if depth > 2 else slice(None)
            rows = np.arange(len(problem.x))[lacking]
            if not len(rows):
                break
            part = problem.take(rows)
            combined = _combine(part, frontier.points[rows], partners.points[rows])
            found = part.ask(combined)
            pool = pool.join(found.spread(rows, len(problem.x)))
            frontier = _promising(part, found, self.width).spread(rows, len(problem.x))
        return pool


def single_edits(problem: Problem) -> np.ndarray:
    """[q, m, d] each row with one feature set to one value of its fine grid."""
    values = problem.grid.fine
    sizes = [len(one) for one in values]
    points = np.repeat(problem.x[:, None], sum(sizes), axis=1)
    start = 0
    for j, size in enumerate(sizes):
        points[:, start : start + size, j] = values[j]
        start += size
    return points


def _promising(problem: Problem, pool: Pool, m: int) -> Pool:
    """The m candidates that gain most margin, a few for each feature so that features mix."""
    gain = pool.margin
    price = problem.price(pool.points)
    by_margin = pool.nearest(-gain, m // 2)
    by_rate = pool.nearest(-np.where(gain > -np.inf, gain / (1 + price), gain), m - m // 2)
    return by_margin.join(by_rate)


def _combine(problem: Problem, points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """[q, m*m, d] each point with the changes of each other one laid over it."""
    changed = problem.changed(others)[:, None, :, :]
    laid = np.where(changed, others[:, None, :, :], points[:, :, None, :])
    return laid.reshape(len(points), -1, points.shape[-1])
