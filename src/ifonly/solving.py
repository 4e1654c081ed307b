"""One batch from problem to judged points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.methods import Method
from ifonly.pool import Pool
from ifonly.problem import Problem


@dataclass(frozen=True)
class Solved:
    """Judged points [q, k, d], which places are filled [q, k], and the score of each [q, k, c]."""

    points: np.ndarray
    filled: np.ndarray
    scores: np.ndarray


def solve(problem: Problem, method: Method, k: int) -> Solved:
    """The chosen answers of every row, each accepted by the judge."""
    proposals = method.searcher.search(problem, k)
    pool = method.refiner.refine(problem, proposals).join(proposals).without_repeats()
    points, filled = method.selector.select(problem, pool, k)
    points, filled = _judged(problem, method, pool, points, filled)
    scores = np.full((*filled.shape, max(1, len(problem.model.classes))), np.nan)
    scores[filled] = problem.model.own_scores(points[filled])
    return Solved(points, filled, scores)


def _judged(
    problem: Problem, method: Method, pool: Pool, points: np.ndarray, filled: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The points; a row in which the judge rejects one chooses again among those it accepts."""
    wrong = filled & ~_accepted(problem, points, filled)
    doubtful = np.flatnonzero(wrong.any(axis=1))
    if len(doubtful):
        # The model's own decision is not that of its scores here: ask it about every candidate.
        part, own = problem.take(doubtful), Pool(pool.points[doubtful], pool.margin[doubtful])
        own = own.without(~_accepted(part, own.points, own.valid))
        points, filled = points.copy(), filled.copy()
        again, here = method.selector.select(part, own, points.shape[1])
        points[doubtful], filled[doubtful] = again, here & _accepted(part, again, here)
    return np.where(filled[:, :, None], points, problem.x[:, None]), filled


def _accepted(problem: Problem, points: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The judge's word on the points that are present."""
    rows, places = np.nonzero(present)
    accepted = np.zeros(present.shape, dtype=bool)
    if len(rows):
        accepted[rows, places] = problem.take(rows).accepts(points[rows, places][:, None])[:, 0]
    return accepted
