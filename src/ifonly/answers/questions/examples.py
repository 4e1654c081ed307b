"""The nearest real rows with the wanted outcome, as answers.

Rows of the data are looked at from the nearest on, a few at first and twice as many each time,
until every row asked has its examples: so the model is asked about few of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.arrays.keys import point_keys
from ifonly.demands.agreement import agreeing
from ifonly.models import Counted
from ifonly.problem.problem import Problem
from ifonly.solve.statuses import wanted_score
from ifonly.space.table.carry import tagged
from ifonly.status import Status

METHOD = "the nearest rows of data"
"""What the record has in place of a method."""
PAIRS = 2**20
"""About how many pairs of a row asked and a row of the data are compared at a time."""
FIRST = 8
"""How many times the wanted number of rows are looked at first."""


def examples(answers: AnswerData, n: int, *, rules: bool) -> dict[str, Any]:
    """The fields in which the n nearest rows of the data, as answers, differ from the answers."""
    source = answers.asked_further()
    setting, batch = source.setting, source.batch
    assert setting.readable is not None, "prepare() has stated it"
    known = setting.readable
    known.check_shown()
    carries = getattr(known.model, "carried", None) is not None
    # Of equal rows the first; rows that carry something along are not equal.
    distinct = np.arange(len(known.data))
    if not carries:
        distinct = np.sort(np.unique(point_keys(known.data), return_index=True)[1])
    codes = tagged(known.data, np.arange(len(known.data)) if carries else None)
    chosen = np.full((len(answers), n), -1)
    for rows in batch.chunks(max(1, PAIRS // len(distinct))):
        left = rows[~batch.met[rows]]
        if not len(left):
            continue
        problem = batch.pose(setting, Counted(known.model, known.model), left)
        chosen[left] = _nearest(problem, codes, distinct, n, rules=rules)
    filled = chosen >= 0
    decided, said = Counted(known.model, known.model).own(codes[chosen[filled]])
    scores = np.full((*chosen.shape, said.shape[1]), np.nan)
    scores[filled] = said
    reached = None
    if batch.goal.avoided is not None:
        reached = np.full(chosen.shape, -1)
        reached[filled] = said.argmax(axis=1) if decided is None else decided
    points = np.where(filled[:, :, None], known.data[chosen], answers.x[:, None])
    return {
        "points": points,
        "filled": filled,
        "agreeing": agreeing(setting.demands, batch.goal, points, filled),
        "score": wanted_score(scores, batch.goal),
        "reached": reached,
        "extra": np.zeros(filled.shape, dtype=bool),
        **dict.fromkeys(("acted", "bound", "seconds", "usual", "odd", "carried")),
        **_told(answers, filled, batch.known & ~batch.met, rules=rules),
        "record": {
            **answers.record,
            "k": n,
            "method": METHOD,
            "finished_by": [],
            "examples": [one[one >= 0].tolist() for one in chosen],
        },
    }


def _told(
    answers: AnswerData, filled: np.ndarray, asked: np.ndarray, *, rules: bool
) -> dict[str, Any]:
    """The statuses and notes of rows with examples [q, n]; those not asked [q] keep their own."""
    kinds = Status.NOT_FOUND, Status.PARTIAL, Status.FOUND
    status, notes = list(answers.status), list(answers.notes)
    for row in np.flatnonzero(asked):
        count = int(filled[row].sum())
        status[row] = kinds[int(count > 0) + int(count == filled.shape[1])]
        notes[row] = ""
        if status[row] is not Status.FOUND:
            has, obeys = ("have", "obey") if count > 1 else ("has", "obeys")
            found = f"Only {count} row{'s' if count > 1 else ''}" if count else "No row"
            rest = f" and {obeys} the rules" if rules else ""
            notes[row] = f"{found} of the data {has} the wanted outcome{rest}."
    return {"status": tuple(status), "notes": tuple(notes)}


def _nearest(
    problem: Problem, codes: np.ndarray, distinct: np.ndarray, n: int, *, rules: bool
) -> np.ndarray:
    """[q, n] the places in codes of the n nearest rows with the wanted outcome; -1 beyond them."""
    d = len(problem.space)
    price = problem.price(np.broadcast_to(codes[distinct, :d], (len(problem.x), len(distinct), d)))
    order = distinct[np.argsort(price, axis=1, kind="stable")]
    chosen, count = np.full((len(order), n), -1), np.zeros(len(order), dtype=np.intp)
    start, size = 0, FIRST * n
    while start < len(distinct) and (count < n).any():
        rows = np.flatnonzero(count < n)
        part, real = problem.take(rows), order[rows, start : start + size]
        points = codes[real][..., :d]
        fits = np.asarray(part.changed(points).any(axis=-1))
        if rules:
            fits &= _allowed(part, points)
        fits[fits] = _met(part, codes, real, fits)
        if rules and part.demands:
            fits = part.demanded(points, np.where(fits, 1.0, -np.inf)) > 0
        place = np.where(fits, count[rows, None] + np.cumsum(fits, axis=1) - 1, n)
        at, slot = np.nonzero(place < n)
        chosen[rows[at], place[at, slot]] = real[at, slot]
        count[rows] += fits.sum(axis=1)
        start, size = start + size, 2 * size
    return chosen


def _allowed(problem: Problem, points: np.ndarray) -> np.ndarray:
    """bool [q, m]: the real rows [q, m, d] that the rules allow, on the value grid or not."""
    box = problem.box if problem.limits is None else problem.limits
    allowed = box.contains(points).all(axis=-1)
    for rule in problem.rules:
        allowed &= rule.holds(problem.space, problem.x, points)
    return np.asarray(allowed)


def _met(problem: Problem, codes: np.ndarray, real: np.ndarray, fits: np.ndarray) -> np.ndarray:
    """bool [n]: which of the real [q, m] that fit [q, m] have the wanted outcome of their row."""
    each, where = np.unique(real[fits], return_inverse=True)
    goal = problem.goal.take(np.nonzero(fits)[0])
    score, decide = goal.beyond is not None, not goal.by_scores
    decided, scores = problem.model.own(codes[each], decide=decide, score=score)
    return goal.reached(scores[where], None if decided is None else decided[where])
