"""A program of whole columns, solved by OR-tools' CP-SAT, which adds up no fractions.

It works on whole numbers alone. What multiplies a column is scaled and rounded; a row's bounds are
widened by what that can come to, and the objective's bound is lowered by it, so that nothing is
lost. What fits by rounding alone is for the caller to reject.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.errors import MissingExtra
from ifonly.rules.formula import Affine
from ifonly.search.exact.program.solver import Program, Solution, SolverError
from ifonly.search.exact.result import TICKS, Work

SCALE = 1e9
"""What fractions are multiplied by, for each value that a column can have beside its lowest."""
LARGEST = 2.0**53
"""Whole numbers that floats hold exactly; sums stay below."""
EXACT = 1e-9
"""How near to a whole number a product is taken for one."""


@dataclass(frozen=True, eq=False)
class Whole:
    """A sum in whole numbers: what it is multiplied by, and how far rounding may take it."""

    terms: dict[int, int]
    constant: float
    scale: float
    error: float

    @classmethod
    def of(cls, program: Program, sums: Affine) -> Whole:
        """At the smallest scale at which all is whole, or else at one that leaves little over."""
        times = np.array([*sums.terms.values()], dtype=np.float64)
        ends = np.array([max(abs(program.low[c]), abs(program.high[c])) for c in sums.terms])
        size = max(1.0, float(np.abs(times) @ ends) if len(ends) else 0.0)
        scale = min(LARGEST / size, SCALE * float(ends.max(initial=1.0)))
        for power in range(10):
            even = np.abs(times * 10.0**power - np.round(times * 10.0**power)) < EXACT
            if 10.0**power > LARGEST / size or even.all():
                scale = 10.0**power if even.all() else scale
                break
        rounded = np.round(times * scale)
        over = float(np.abs(times * scale - rounded) @ ends) if len(ends) else 0.0
        # Products and sums of floats are rounded, too.
        error = over + 1e-15 * scale * (size + abs(sums.constant)) + 1e-6
        terms = {c: int(t) for c, t in zip(sums.terms, rounded, strict=True)}
        return cls(terms, sums.constant * scale, scale, error)


def solve_by_cpsat(
    program: Program, time_limit: float | None = None, work: Work | None = None
) -> Solution:
    """The best point of a program, as far as the time in seconds and the work allow."""
    cp_model = _cp_model()
    model = cp_model.CpModel()
    columns = [
        model.new_int_var(int(low), int(high), "")
        for low, high in zip(program.low, program.high, strict=True)
    ]
    for sums, low, high in program.rows:
        one = Whole.of(program, sums)
        least = -(2**62) if low == -np.inf else np.ceil(low * one.scale - one.constant - one.error)
        most = 2**62 if high == np.inf else np.floor(high * one.scale - one.constant + one.error)
        model.add_linear_constraint(_sum(cp_model, columns, one.terms), int(least), int(most))
    cost = Whole.of(program, program.objective)
    model.minimize(_sum(cp_model, columns, cost.terms))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same course every time
    solver.parameters.catch_sigint_signal = False  # Ctrl-C is Python's
    # This part of presolve calls wrong optima optimal: google/or-tools issue 5293, in 9.15.
    solver.parameters.presolve_inclusion_work_limit = 0
    if time_limit is not None:
        solver.parameters.max_time_in_seconds = time_limit
    if work is not None:
        solver.parameters.max_deterministic_time = work.ticks
    status = solver.solve(model)
    if work is not None:
        work.left -= 1.0 + solver.response_proto.deterministic_time / TICKS
    if status == cp_model.INFEASIBLE:
        return Solution("infeasible")
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
        raise SolverError(f"The solver stopped without an answer: {solver.status_name(status)}.")
    bound = (solver.best_objective_bound + cost.constant - cost.error) / cost.scale
    if status == cp_model.UNKNOWN:
        # Where it had no time to bound the cost, it says 0.
        known = solver.best_objective_bound != 0.0
        return Solution("limit", bound=bound if known else program.objective.least)
    values = np.array([float(solver.value(column)) for column in columns])
    objective = program.objective.at(values)
    word = "optimal" if status == cp_model.OPTIMAL else "limit"
    return Solution(word, values, objective, min(bound, objective))


def _sum(cp_model: Any, columns: list[Any], terms: dict[int, int]) -> Any:
    return cp_model.LinearExpr.weighted_sum([columns[c] for c in terms], list(terms.values()))


def _cp_model() -> Any:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise MissingExtra("ortools", "exact") from None
    return cp_model
