"""Candidates replaced by others where those are valid."""

from __future__ import annotations

import numpy as np

from ifonly.pool import Pool
from ifonly.problem import Problem


def better(
    problem: Problem, pool: Pool, trial: np.ndarray, among: np.ndarray | None = None
) -> Pool:
    """The pool with the trial points [q, m, d] where they are valid, its own points elsewhere.

    Only valid candidates are tried, of those only the ones `among` [q, m], and no point is asked
    about that is the candidate itself.
    """
    asked = pool.valid & (trial != pool.points).any(axis=-1)
    if among is not None:
        asked &= among
    rows, places = np.nonzero(asked)
    if not len(rows):
        return pool
    points, margin = pool.points.copy(), pool.margin.copy()
    tried = trial[rows, places]
    found = problem.take(rows).margin(tried[:, None])[:, 0]
    won = found > 0
    points[rows[won], places[won]] = tried[won]
    margin[rows[won], places[won]] = found[won]
    return Pool(points, margin)
