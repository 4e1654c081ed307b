"""From the problem of a chunk of rows to their points, scores, statuses and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.methods import Method
from ifonly.models import Counted
from ifonly.pool import Pool
from ifonly.posing import impossible, outside
from ifonly.problem import Problem
from ifonly.solving import solve
from ifonly.status import Status
from ifonly.target import Goal


@dataclass(frozen=True)
class Part:
    """What was found for some rows."""

    points: np.ndarray
    """[q, k, d]"""
    filled: np.ndarray
    """bool [q, k]"""
    score: np.ndarray
    """[q, k]"""
    status: tuple[Status, ...]
    notes: tuple[str, ...]
    pools: tuple[tuple[np.ndarray, Pool], ...] = ()
    """The positions of the rows that were searched, and what their answers were chosen from."""


def answer(problem: Problem, method: Method, k: int, met: np.ndarray) -> Part:
    """The answers of a chunk of rows; `met` [q] says which have the wanted outcome already."""
    reasons = impossible(problem)
    already = met.copy()
    already[met] = problem.take(np.flatnonzero(met)).lawful(problem.x[met, None])[:, 0]
    closed = already.copy()
    closed[list(reasons)] = True
    points, filled, score = _nothing(problem.x, k)
    pools: tuple[tuple[np.ndarray, Pool], ...] = ()
    searched = np.flatnonzero(~closed)
    if len(searched):
        part = problem if len(searched) == len(closed) else problem.take(searched)
        solved = solve(part, method, k)
        points[searched], filled[searched] = solved.points, solved.filled
        score[searched] = wanted_score(solved.scores, part.goal)
        pools = ((searched, solved.pool),)
    count = filled.sum(axis=1)
    kind = np.where(count == k, 2, (count > 0).astype(np.intp))
    kind[list(reasons)] = 3
    kind[already] = 4
    kinds = (Status.NOT_FOUND, Status.PARTIAL, Status.FOUND, Status.INFEASIBLE, Status.ALREADY)
    unheard = _unheard(problem, np.flatnonzero(kind == 0))
    notes = _told(len(kind), reasons, unheard, outside(problem.space, problem.x))
    status = np.array(kinds, dtype=object)[kind]
    return Part(points, filled, score, tuple(status.tolist()), notes, pools)


def unanswered(x: np.ndarray, k: int, note: str) -> Part:
    """Rows x [q, d] whose turn did not come."""
    return Part(*_nothing(x, k), (Status.NOT_FOUND,) * len(x), (note,) * len(x))


def joined(parts: Sequence[Part]) -> Part:
    """Several parts as one."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.points) for part in parts)])[:-1]
    return Part(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.filled for part in parts]),
        np.concatenate([part.score for part in parts]),
        tuple(status for part in parts for status in part.status),
        tuple(note for part in parts for note in part.notes),
        tuple(
            (rows + start, pool)
            for part, start in zip(parts, starts, strict=True)
            for rows, pool in part.pools
        ),
    )


def status_of(filled: np.ndarray, before: Sequence[Status]) -> tuple[Status, ...]:
    """The statuses of rows with other answers [q, k]; a row that was not searched keeps its own."""
    k = filled.shape[1]
    kinds = (Status.NOT_FOUND, Status.PARTIAL, Status.FOUND)
    return tuple(
        old if old in (Status.ALREADY, Status.INFEASIBLE) else kinds[int(n > 0) + int(n == k)]
        for old, n in zip(before, filled.sum(axis=1), strict=True)
    )


def wanted_score(scores: np.ndarray, goal: Goal) -> np.ndarray:
    """[q, k] of scores [q, k, c]: that of the wanted class, or the predicted number."""
    if scores.shape[-1] == 1:
        return scores[..., 0]
    return np.asarray(scores[np.arange(len(scores)), :, goal.wanted])


def decided_by(
    model: Counted, scores: np.ndarray, said: np.ndarray | None, threshold: float | None
) -> np.ndarray:
    """[q] the class index that the model decides for, or the number that it predicts."""
    if not model.classes:
        return scores[:, 0]
    if threshold is not None and len(model.classes) == 2:
        return (scores[:, 1] >= threshold).astype(np.intp)
    return scores.argmax(axis=1) if said is None else said


def wanted_of(goal: Goal, classes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The wanted class or range of each row."""
    if not classes:
        return tuple(zip(goal.low.tolist(), goal.high.tolist(), strict=True))
    return tuple(classes[i] for i in goal.wanted)


def _unheard(problem: Problem, rows: np.ndarray) -> dict[int, str]:
    """A note for each of some rows whose outcome the model gives to no row that is known."""
    known = len(problem.reference.codes)
    if not len(rows) or not known:
        return {}
    ever = (problem.take(rows).reference_margin() > 0).any(axis=1)
    note = f"The model gives this outcome to none of {known} rows of the data."
    return {int(row): note for row in rows[~ever]}


def _nothing(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    points = np.repeat(x[:, None], k, axis=1)
    return points, np.zeros(points.shape[:2], dtype=bool), np.full(points.shape[:2], np.nan)


def _told(q: int, *notes: Mapping[int, str]) -> tuple[str, ...]:
    told = [""] * q
    for group in notes:
        for row, note in group.items():
            told[row] = f"{told[row]} {note}".strip()
    return tuple(told)
