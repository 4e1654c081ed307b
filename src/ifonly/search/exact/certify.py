"""How near an answer can be at all, for answers that another search has found."""

from __future__ import annotations

import numpy as np

from ifonly.problem.problem import Problem
from ifonly.search.exact.searcher import asked_of


def certify(
    problem: Problem, known: np.ndarray, limit: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """[q] what no answer costs less than, and [q] the seconds that it took to prove.

    `known` [q] is what the nearest known answer costs, infinite where there is none; nothing dearer
    is looked at. Rows are solved one after another, each by a program of its own. Of a model whose
    reading is not what it says, nothing is proved.
    """
    bound, seconds = np.full(len(known), -np.inf), np.zeros(len(known))
    if problem.reading is None:
        return bound, seconds
    for row, cost in enumerate(known):
        found = asked_of(problem, row, limit).find(float(cost))
        bound[row], seconds[row] = min(found.bound, float(cost)), found.seconds
    return bound, seconds
