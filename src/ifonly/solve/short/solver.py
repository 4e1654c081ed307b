"""The last step of a row that is short of answers: a solver, where the model can be read."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from ifonly.errors import ModelError, OptionError, RuleError
from ifonly.models.reading import Reading
from ifonly.problem.effort import Effort
from ifonly.problem.goal import TINY
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.solve.method import Method
from ifonly.solve.predict import reason
from ifonly.solve.prepare import Setting, provided
from ifonly.solve.short.dead_ends import dead_ends

WORK = 1000.0
"""The most boxes or so of a row: about as much as thirty ordinary searches."""
MORE = 10.0
"""How many times that, where the search starts thoroughly."""
NO_EXTRA = "The extra 'exact' is not installed."
NO_BUDGET = "Reading the model does not fit into a budget."


def read_once(setting: Setting) -> tuple[Reading | None, str]:
    """What can be read off a model, or why nothing; read once for all questions of an Explainer."""
    assert setting.readable is not None, "prepare() has stated it"
    kept = setting.readable.kept
    if not kept:
        try:
            kept.append(provided(setting, frozenset(), certify=True))
        except Exception as error:  # a model that cannot be read is answered without a solver
            kept.append(replace(setting, unread=getattr(error, "message", reason(error))))
    return kept[0].reading, kept[0].unread


def effort_of(strategy: Any) -> Effort | None:
    """The effort that a strategy has as a field, if it has one."""
    fields = getattr(strategy, "__dataclass_fields__", {})
    return strategy.effort if "effort" in fields else None


def solver_step(setting: Setting, method: Method, *, harder: bool) -> SolverStep | None:
    """The solver's step of a question; None for a method without sizes, which is not escalated.

    Unless rows may be searched `harder`, it only proves which of them have no answer.
    """
    effort = effort_of(method.searcher)
    if effort is None:
        return None
    known = setting.reading is not None or bool(setting.readable and setting.readable.kept)
    work = WORK * (MORE if effort == "thorough" else 1.0)
    return SolverStep(partial(read_once, setting), known, work, harder)


@dataclass
class SolverStep:
    """Answers by a solver, and what it may do for a row."""

    read: Callable[[], tuple[Reading | None, str]]
    """The model as a solver can be given it, or why it cannot."""
    known: bool = False
    """Whether it is known already, so that it takes no time."""
    work: float = WORK
    harder: bool = True
    """Whether rows may be searched further, not only proved to have no answer."""
    left_out: str = ""
    """Why a search was left out."""

    def search(self, problem: Problem, pool: Pool, k: int) -> tuple[Pool, np.ndarray]:
        """At most k answers to each row, and bool [q]: which rows provably have no others."""
        complete = np.zeros(len(problem.x), dtype=bool)
        reading, self.left_out = self._reading(problem)
        if reading is not None and (find_spec("ortools") is None or find_spec("highspy") is None):
            reading, self.left_out = None, NO_EXTRA
        if reading is None:
            return Pool.empty(problem.x), complete
        from ifonly.search.exact.program.solver import SolverError
        from ifonly.search.exact.row_by_row import hints_of, solve_further

        demanding, problem = problem, replace(problem, reading=reading, demands=())
        points = np.repeat(problem.x[:, None], k, axis=1)
        there = np.zeros(points.shape[:2], dtype=bool)
        with problem.model.keeping_reserve():
            for row, known in enumerate(hints_of(problem, pool, k)):
                if problem.spent:
                    break
                until = problem.model.deadline
                seconds = None if until is None else max(0.0, until - time.monotonic())
                one = problem.take(np.array([row]))
                try:
                    answers, complete[row] = solve_further(one, k, known, seconds, self.work)
                except (SolverError, RuleError, OptionError, ModelError):
                    continue  # what cannot be stated to a solver is left as it is
                points[row, : len(answers)] = np.reshape(answers, (-1, points.shape[2]))
                there[row, : len(answers)] = True
        if demanding.demands:  # ways that were excluded may have farther points which meet them
            complete &= ~there.any(axis=1) & ~pool.valid.any(axis=1)
            there &= demanding.accepts(points, there)
        # The judge has accepted them, whatever a score on the edge may say.
        margin = np.maximum(problem.margin(points), TINY)
        return Pool(points, np.where(there, margin, -np.inf)), complete

    def without_any(self, problem: Problem) -> np.ndarray:
        """bool [q]: the rows that provably have no answer, by bounds of the model."""
        reading, _ = self._reading(problem) if len(problem.x) else (None, "")
        if reading is None:
            return np.zeros(len(problem.x), dtype=bool)
        return dead_ends(problem, reading)

    def _reading(self, problem: Problem) -> tuple[Reading | None, str]:
        """The reading for a problem, or why there is none."""
        if problem.causes is not None or problem.goal.avoided is not None:
            return None, "A solver is not given causes, or a target of several classes."
        if problem.model.most_rows is not None or (problem.model.deadline and not self.known):
            return None, NO_BUDGET
        if problem.reading is not None:
            return problem.reading, ""
        return self.read()
