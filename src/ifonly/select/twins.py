"""Which points are of one way, and which of these a person would call the same.

A way is what a point does to each feature: in which direction a number goes, to which level a
category.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.keys import point_keys
from ifonly.problem.pool import Pool, repeated_keys
from ifonly.problem.problem import Problem

ALIKE = 0.05
"""Numbers that differ by at most this share of their range make two answers twins."""


def ways_of(problem: Problem, points: np.ndarray) -> np.ndarray:
    """A key [q, m] for the way of each of points [q, m, d]."""
    return point_keys(problem.ways(points))


def distinct(problem: Problem, pool: Pool) -> NDArray[np.intp]:
    """[q] how many ways the valid points of a pool are."""
    same = repeated_keys(ways_of(problem, pool.points), pool.valid)
    return np.asarray((pool.valid & ~same).sum(axis=1))


def alike(problem: Problem, pool: Pool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """bool [q, m]: the valid points of a way that an earlier one is of; and the twins among them.

    A twin's numbers are almost those of an earlier point of its way.
    """
    keys = ways_of(problem, pool.points)
    same = repeated_keys(keys, pool.valid)
    twin = np.zeros_like(same)
    rows, place = np.nonzero(same)
    among = (keys[rows] == keys[rows, place, None]) & pool.valid[rows]
    pair, other = np.nonzero(among & (np.arange(keys.shape[1]) < place[:, None]))
    width = ALIKE * np.where(
        problem.space.continuous, problem.space.high - problem.space.low, np.inf
    )
    gap = np.abs(pool.points[rows[pair], place[pair]] - pool.points[rows[pair], other])
    close = pair[~(gap > width).any(axis=1)]
    twin[rows[close], place[close]] = True
    return same, twin
