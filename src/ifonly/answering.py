"""From the problem of a chunk of rows to their points, scores, statuses and notes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.methods import Method
from ifonly.posing import impossible, outside
from ifonly.problem import Problem
from ifonly.solving import solve
from ifonly.status import Status
from ifonly.target import Goal


def answer(problem: Problem, method: Method, k: int) -> tuple[Any, ...]:
    """Points, filled, scores, statuses and notes of one chunk of rows."""
    q = len(problem.x)
    reasons = impossible(problem)
    notes = outside(problem.space, problem.x)
    already = problem.accepts(problem.x[:, None])[:, 0]
    open_rows = np.array(
        [i for i in range(q) if not already[i] and i not in reasons], dtype=np.intp
    )
    points = np.repeat(problem.x[:, None], k, axis=1)
    filled, score = np.zeros((q, k), dtype=bool), np.full((q, k), np.nan)
    if len(open_rows):
        part = problem.take(open_rows)
        solved = solve(part, method, k)
        points[open_rows], filled[open_rows] = solved.points, solved.filled
        score[open_rows] = wanted_score(solved.scores, part.goal)
    status = tuple(
        Status.ALREADY
        if already[i]
        else Status.INFEASIBLE
        if i in reasons
        else (Status.NOT_FOUND, Status.PARTIAL, Status.FOUND)[int(n > 0) + int(n == k)]
        for i, n in enumerate(filled.sum(axis=1))
    )
    told = tuple(" ".join(filter(None, [reasons.get(i), notes.get(i)])) for i in range(q))
    return points, filled, score, status, told


def wanted_score(scores: np.ndarray, goal: Goal) -> np.ndarray:
    """[q, k] of scores [q, k, c]: that of the wanted class, or the predicted number."""
    if scores.shape[-1] == 1:
        return scores[..., 0]
    index = np.broadcast_to(goal.wanted[:, None, None], (*scores.shape[:-1], 1))
    return np.take_along_axis(scores, index, axis=-1)[..., 0]
