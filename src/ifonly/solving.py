"""One batch from problem to judged points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.methods import Method
from ifonly.pool import Pool, point_keys
from ifonly.problem import Problem

REPLACEMENTS = 8
"""How often points that the model's own decision rejects are replaced before a gap is left."""


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
    scores[filled] = problem.model.scores(points[filled])
    return Solved(points, filled, scores)


def _judged(
    problem: Problem, method: Method, pool: Pool, points: np.ndarray, filled: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The points with each one that the judge rejects replaced by the next best."""
    k = points.shape[1]
    points, filled = points.copy(), filled.copy()
    doubtful = np.arange(len(points))
    for _ in range(REPLACEMENTS + 1):
        part = problem.take(doubtful)
        present = filled[doubtful]
        wrong = present & ~_accepted(part, points[doubtful], present)
        filled[doubtful] &= ~wrong
        guilty = wrong.any(axis=1)
        doubtful, wrong = doubtful[guilty], wrong[guilty]
        if not len(doubtful):
            break
        rejected = np.where(wrong, point_keys(points[doubtful]), 0)
        pool = Pool(pool.points[guilty], pool.margin[guilty])
        match = point_keys(pool.points)[:, :, None] == rejected[:, None, :]
        pool = pool.without((match & wrong[:, None, :]).any(axis=2))
        points[doubtful], filled[doubtful] = method.selector.select(problem.take(doubtful), pool, k)
    else:
        filled[doubtful] = False
    return np.where(filled[:, :, None], points, problem.x[:, None]), filled


def _accepted(problem: Problem, points: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The judge's word on the points that are present."""
    rows, places = np.nonzero(present)
    accepted = np.zeros(present.shape, dtype=bool)
    if len(rows):
        accepted[rows, places] = problem.take(rows).accepts(points[rows, places][:, None])[:, 0]
    return accepted
