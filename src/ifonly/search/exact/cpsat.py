"""A program of whole columns, solved by OR-tools' CP-SAT, which suits trees.

It works on whole numbers alone. What multiplies a column is scaled and rounded; a row's bounds are
widened by what that can come to, and the objective's bound is lowered by it, so that nothing is
lost. What fits by rounding alone is for the caller to reject.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.errors import MissingExtra
from ifonly.search.exact.affine import Affine
from ifonly.search.exact.solver import Program, Solution, SolverError

SCALE = 10.0**9
"""What fractions are multiplied by at the most."""
LARGEST = 2.0**53
"""Whole numbers that floats hold exactly; sums stay below."""


def solve_by_clauses(program: Program, time_limit: float | None = None) -> Solution:
    """The best point of a program, as far as the time in seconds allows."""
    cp_model = _cp_model()
    model = cp_model.CpModel()
    columns = [
        model.new_int_var(int(low), int(high), "")
        for low, high in zip(program.low, program.high, strict=True)
    ]
    for sums, low, high in program.rows:
        terms, constant, scale, error = _whole(program, sums)
        least = -(2**62) if low == -np.inf else int(np.ceil(low * scale - constant - error))
        most = 2**62 if high == np.inf else int(np.floor(high * scale - constant + error))
        model.add_linear_constraint(_sum(columns, terms), least, most)
    terms, constant, scale, error = _whole(program, program.objective)
    model.minimize(_sum(columns, terms))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same course every time
    if time_limit is not None:
        solver.parameters.max_time_in_seconds = time_limit
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return Solution("infeasible")
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
        raise SolverError(f"The solver stopped without an answer: {solver.status_name(status)}.")
    bound = (solver.best_objective_bound + constant - error) / scale
    if status == cp_model.UNKNOWN:
        return Solution("limit", bound=bound)
    values = np.array([float(solver.value(column)) for column in columns])
    objective = program.objective.at(values)
    word = "optimal" if status == cp_model.OPTIMAL else "limit"
    return Solution(word, values, objective, min(bound, objective))


def _whole(program: Program, sums: Affine) -> tuple[dict[int, int], float, float, float]:
    """A sum in whole numbers: its terms, its constant, what they are multiplied by, and the error.

    The smallest scale at which all are whole, or else the largest, with what rounding can come to.
    """
    numbers = np.array([*sums.terms.values(), 0.0])
    ends = [max(abs(program.low[c]), abs(program.high[c])) for c in sums.terms]
    room = LARGEST / max(1.0, float(np.abs(numbers) @ [*ends, 0.0]))
    for power in range(10):
        scale = 10.0**power
        if scale > room:
            break
        if (np.abs(numbers * scale - np.round(numbers * scale)) < 1e-9).all():
            terms = {column: round(times * scale) for column, times in sums.terms.items()}
            return terms, sums.constant * scale, scale, 1e-6
    scale = min(SCALE, room)
    terms = {column: round(times * scale) for column, times in sums.terms.items()}
    widest = sum(max(abs(program.low[c]), abs(program.high[c])) for c in terms)
    return terms, sums.constant * scale, scale, 0.5 * widest + 1e-6


def _sum(columns: list[Any], terms: dict[int, int]) -> Any:
    from ortools.sat.python import cp_model

    return cp_model.LinearExpr.weighted_sum([columns[c] for c in terms], list(terms.values()))


def _cp_model() -> Any:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise MissingExtra("ortools", "exact") from None
    return cp_model
