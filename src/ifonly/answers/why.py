"""Why a row lacks answers, as a person can read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.errors import PredictionError
from ifonly.models import Counted
from ifonly.problem.problem import Problem
from ifonly.render.view import value_text
from ifonly.rules import Rule
from ifonly.solve.method import Method, method_of
from ifonly.solve.short.conflict import conflict
from ifonly.solve.source import Source
from ifonly.solve.stages import pool_of
from ifonly.space.table.unseen import is_unseen
from ifonly.status import Status

GAPS = ("fillable", "erasable")
"""What a space can say of the missing values of a feature."""
MOST_LIFTED = 8
"""How many rules are lifted at the most, each alone."""


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
    enough: tuple[str, ...] = ()
    """The rules of which one alone, if it is lifted, leaves the row an answer."""
    fillable: tuple[str, ...] = ()
    """Features without a value: if answers could fill them in, there would be some."""
    erasable: tuple[str, ...] = ()
    """Features with a value: if answers could leave it out, there would be some."""

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
        if self.enough:
            quoted = [f"'{rule}'" for rule in self.enough]
            either = " or ".join([*filter(None, [", ".join(quoted[:-1])]), quoted[-1]])
            parts.append(f"It is enough to lift {either}.")
        for names, what in ((self.fillable, "fillable"), (self.erasable, "erasable")):
            verb = "fill in" if what == "fillable" else "leave out"
            if names:
                parts.append(
                    f"If an answer could {verb} {' and '.join(names)}, there would be one: "
                    f"Space.infer(data, {what}={list(names)})."
                )
        return " ".join(parts) or f"Status: {self.status}."


def why_of(answers: AnswerData, row: int, *, lift: bool = True) -> Why:
    """What prevents answers for a row: rules that conflict, or those that reject candidates.

    The row is searched once more without rules, and each rule is tested on the candidates that have
    the wanted outcome; then without one rule at a time, if it is to `lift` them; then with rules,
    and with missing values that answers may fill in, or with values that they may leave out. Saved
    answers have the message only.
    """
    status, note = answers.status[row], answers.notes[row]
    known = answers.predicted[row] is not None and status is not Status.FAILED
    if answers.source is None or status.answered or not known:
        return Why(str(status), note)
    source = answers.source
    setting, rules = source.setting, source.rules_of(row)
    if status is Status.INFEASIBLE:
        found = conflict(setting.space, answers.x[row], rules)
        if found is not None:
            more: dict[str, Any] = {one: _gaps(source, row, answers.k, one) for one in GAPS}
            more["enough"] = _enough(source, row, answers.k, found) if lift else ()
            return Why(str(status), note, tuple(map(str, found)), **more)
    model = Counted(setting.model, setting.route)
    free = replace(setting, rules=(), demand=None, demands=())
    problem = replace(source.batch, own=()).pose(free, model, np.array([row]))
    try:
        pool, _ = pool_of(problem, _usable(source.method, problem), answers.k)
    except PredictionError as error:
        return Why(str(status), f"{note} {error.message}".strip())
    points = problem.result(pool.points[:, pool.valid[0]])
    broken = {
        str(rule): int((~rule.holds(problem.space, problem.x, points)).sum()) for rule in rules
    }
    each = np.zeros(points.shape[1], dtype=np.intp)
    goal, x = problem.goal.take(each), problem.x[each]
    for demand in setting.demands:
        broken[str(demand)] = int((~(demand.margin(goal, x, points[0]) > 0)).sum())
    most = dict(sorted((item for item in broken.items() if item[1]), key=lambda item: -item[1]))
    more = {one: _gaps(source, row, answers.k, one) for one in GAPS}
    if lift:
        named = {str(rule): rule for rule in rules}
        more["enough"] = _enough(
            source, row, answers.k, [named[text] for text in most if text in named]
        )
    return Why(str(status), note, (), model.rows, points.shape[1], most, **more)


def _enough(source: Source, row: int, k: int, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Of some rules, those without which alone a row has an answer, which the model confirms."""
    setting, batch, found = source.setting, source.batch, []
    for rule in rules[:MOST_LIFTED]:
        rest = replace(setting, rules=tuple(one for one in setting.rules if one is not rule))
        own = tuple(tuple(one for one in each if one is not rule) for each in batch.own)
        model = Counted(setting.model, setting.route)
        problem = replace(batch, own=own).pose(rest, model, np.array([row]))
        pool, _ = pool_of(problem, _usable(source.method, problem), k)
        if source.outcomes(pool.points, pool.valid, np.array([row])).any():
            found.append(str(rule))
    return tuple(found)


def _usable(method: Method, problem: Problem) -> Method:
    """The method, or the default one where it reads the model and this problem has no reading."""
    return method_of() if "reading" in method.needs and problem.reading is None else method


def _gaps(source: Source, row: int, k: int, option: str) -> tuple[str, ...]:
    """The features of a row that must be `option`, as few as are found, so that it has answers."""
    setting, x = source.setting, source.batch.x[row]
    free = np.isnan(x) & ~is_unseen(x) if option == "fillable" else ~np.isnan(x)
    free &= [f.missing and not getattr(f, option) for f in setting.space.features]
    if not free.any():
        return ()
    given: dict[str, Any] = {option: True}
    pairs = zip(setting.space.features, free, strict=True)
    space = replace(
        setting.space, features=tuple(replace(f, **given) if one else f for f, one in pairs)
    )
    setting = replace(setting, space=space, grid=setting.grid.erasing(space), reading=None)
    problem = source.batch.pose(setting, Counted(setting.model, setting.route), np.array([row]))
    try:
        pool, _ = pool_of(problem, _usable(source.method, problem), k)
    except PredictionError:  # the model takes no missing value
        return ()
    used = problem.changed(pool.points)[pool.valid] & free
    if not used.any():
        return ()
    used = used[used.any(axis=1)]
    fewest = used[used.sum(axis=1).argmin()]
    return tuple(name for name, one in zip(space.names, fewest, strict=True) if one)
