"""Why a row lacks answers, as a person can read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.errors import PredictionError
from ifonly.models import Counted
from ifonly.render.view import value_text
from ifonly.solve.stages import pool_of
from ifonly.solve.statuses import conflict
from ifonly.status import Status


@dataclass(frozen=True)
class Why:
    """How the search for a row ended, and what prevented answers."""

    status: str
    note: str = ""
    """The row's message."""
    conflict: tuple[str, ...] = ()
    """The smallest set of rules that cannot hold together for the row."""
    asked: int = 0
    """How many rows the model was asked about, in a search without the rules."""
    valid: int = 0
    """How many different candidates of it have the wanted outcome."""
    rejected: Mapping[str, int] = field(default_factory=dict)
    """How many of these each rule rejects, the most first."""

    def __str__(self) -> str:
        parts = [self.note] if self.note else []
        if self.asked and not self.valid:
            parts.append(
                f"Without any rule, {value_text(self.asked)} changed rows were tried, and the "
                "model gives the wanted outcome to none of them."
            )
        if self.valid:
            rejects = self.rejected.items()
            each = [f"'{rule}' rejects {value_text(count)}" for rule, count in rejects]
            count = value_text(self.valid)
            found = f"Without any rule, {count} candidates have the wanted outcome"
            parts.append(f"{found}; {', '.join(each) or 'no single rule rejects any of them'}.")
        return " ".join(parts) or f"Status: {self.status}."


def why_of(answers: AnswerData, row: int) -> Why:
    """What prevents answers for a row: rules that conflict, or those that reject candidates.

    The row is searched once more without rules, and each rule is tested on the candidates that have
    the wanted outcome. Saved answers have the message only.
    """
    status, note = answers.status[row], answers.notes[row]
    known = answers.predicted[row] is not None and status is not Status.FAILED
    if answers.source is None or status.answered or not known:
        return Why(str(status), note)
    source = answers.source
    setting, rules = source.setting, source.rules_of(row)
    if status is Status.INFEASIBLE:
        found = conflict(setting.space, answers.x[row], rules)
        return Why(str(status), note, tuple(map(str, found or ())))
    model = Counted(setting.model, setting.route)
    free = replace(setting, rules=(), demand=None)
    problem = replace(source.batch, own=()).pose(free, model, np.array([row]))
    try:
        pool, _ = pool_of(problem, source.method, answers.k)
    except PredictionError as error:
        return Why(str(status), f"{note} {error.message}".strip())
    points = problem.result(pool.points[:, pool.valid[0]])
    broken = {
        str(rule): int((~rule.holds(problem.space, problem.x, points)).sum()) for rule in rules
    }
    most = sorted((item for item in broken.items() if item[1]), key=lambda item: -item[1])
    return Why(str(status), note, (), model.rows, points.shape[1], dict(most))
