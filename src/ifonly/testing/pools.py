"""Random pools of candidates, as refiners and selectors get them."""

from __future__ import annotations

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.testing.spaces import random_codes


def random_pool(problem: Problem, seed: int, m: int = 24) -> Pool:
    """A pool of candidates, near and far, some of them invalid.

    A third of them change few features of their row. Some slots are empty, and some candidates are
    in the pool twice.

    Parameters
    ----------
    problem
        The problem.
    seed
        The same seed gives the same pool.
    m
        How many candidates per row.

    Returns
    -------
    Pool

    Examples
    --------
    >>> from ifonly.testing import random_problem
    >>> pool = random_pool(random_problem(seed=0), seed=1)
    >>> pool.points.shape[:2], pool.margin.shape
    ((6, 24), (6, 24))
    """
    rng = np.random.default_rng(seed)
    q, d = problem.x.shape
    points = random_codes(problem.space, q * m, seed).reshape(q, m, d)
    kept = rng.random((q, m, d)) < rng.choice([0.0, 0.4, 0.8], (q, m, 1))
    points = problem.box.clip(np.where(kept, problem.x[:, None], points))
    points[:, m - m // 6 :] = points[:, : m // 6]
    pool = problem.ask(points)
    return pool.without(rng.random(pool.margin.shape) < 0.1)
