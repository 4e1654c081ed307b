"""Which of some points of a row is an answer, in whatever company the model is asked."""

from __future__ import annotations

import numpy as np

from ifonly.models.reading import Reading, Trees
from ifonly.problem import Problem

CROWD = 64
"""Among how many points one must be an answer, too."""


def accepted(problem: Problem, reading: Reading, points: np.ndarray) -> np.ndarray | None:
    """[d] the nearest of points [n, d] that the judge takes for an answer to the one row.

    A network may round a point otherwise alone than among others: it must do in both.
    """
    costs = problem.distance(points[None])[0]
    costs[~problem.accepts(points[None])[0]] = np.inf
    for place in np.argsort(costs, kind="stable"):
        if costs[place] == np.inf:
            return None
        crowd = np.repeat(points[None, [place]], CROWD, axis=1)
        alone = problem.accepts(crowd[:, :1]).all()
        if alone and (isinstance(reading, Trees) or problem.accepts(crowd).all()):
            return np.asarray(points[place])
    return None
