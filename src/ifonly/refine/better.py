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
    if not asked.any():
        return pool
    margin = problem.margin(trial, asked)
    won = margin > 0
    return Pool(np.where(won[:, :, None], trial, pool.points), np.where(won, margin, pool.margin))
