"""Which of some points of a row is an answer, in whatever company the model is asked."""

from __future__ import annotations

import numpy as np

from ifonly.problem.problem import Problem

CROWD = 64
"""Among how many points one must be an answer, too."""


def accepted(problem: Problem, points: np.ndarray) -> np.ndarray | None:
    """[d] the nearest of points [n, d] that the judge takes for an answer to the one row."""
    costs = problem.price(points[None])[0]
    costs[~problem.accepts(points[None])[0]] = np.inf
    for place in np.argsort(costs, kind="stable"):
        if costs[place] == np.inf:
            return None
        if steady(problem, points[place]):
            return np.asarray(points[place])
    return None


def steady(problem: Problem, point: np.ndarray) -> bool:
    """Whether a point [d] is an answer to the one row both alone and among others.

    A network may round it otherwise in other company.
    """
    crowd = np.repeat(point[None, None], CROWD, axis=1)
    return bool(problem.accepts(crowd[:, :1]).all() and problem.accepts(crowd).all())
