"""The answers to one row that layers have, as a program that is stated anew for each solve.

The program has the row's box, the rules, the outcome by the reading of the model, and the cost.
Nothing that could be an answer is ever left out of it, so its bound holds for all of them. What its
best point is worth, the user's own model says.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from ifonly.models.reading import Layers
from ifonly.problem.problem import Problem
from ifonly.rules.formula import Affine
from ifonly.search.exact.layers.outcome import state_outcome
from ifonly.search.exact.program.cpsat import solve_by_cpsat
from ifonly.search.exact.program.exclusions import Unlike, other_point
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.price import WIDE, Displacement, Price, state_price
from ifonly.search.exact.program.relaxation import relaxed_columns, solve_relaxed
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program, Solution, SolverError
from ifonly.search.exact.result import Clock, Work
from ifonly.search.exact.rules.statement import state

TRIED = 1e4
"""The work of finding out whether the rules allow some changes."""


@dataclass(frozen=True, eq=False)
class Formulation:
    """What is asked of one row: an answer unlike those taken, and none of the points rejected."""

    problem: Problem
    """Of one row."""
    reading: Layers
    unlike: Unlike
    rejected: tuple[np.ndarray, ...] = ()
    """Points [d] that the program takes for answers and the judge does not."""
    impossible: tuple[dict[int, bool], ...] = ()
    """Which features change together and which stay, as the rules do not allow."""

    def stated(self, known: float, slack: float = 1.0) -> StatedProgram:
        """The program for answers that cost at most a known one.

        `slack` is how many times the rounding of the model the outcome is wider than the goal: 1
        leaves nothing out, -1 lets nothing else in.
        """
        program, problem = Program(), self.problem
        row = Row.of(program, problem.box)
        for rule in problem.relations:
            state(program, row, rule)
        state_outcome(program, row, self.reading, problem.goal, slack)
        self.unlike.state(row, problem.metric)
        for point in self.rejected:
            other_point(row, point)
        for changes in self.impossible:
            alike = [row.parts[j].changes if c else row.parts[j].stays for j, c in changes.items()]
            program.row(Affine.total(alike), high=len(alike) - 1.0)
        return StatedProgram(program, row, state_price(row, problem.metric, known))

    def broken_by(self, point: np.ndarray, clock: Clock) -> dict[int, bool]:
        """Which features of the rules a point [d] changes, if on the grid no point changes these.

        Otherwise, and where that is not known, none.
        """
        program, problem = Program(), self.problem
        row = Row.of(program, problem.box)
        for rule in problem.relations:
            state(program, row, rule)
        named = {problem.space.index(name) for rule in problem.relations for name in rule.names}
        changed = problem.changed(point[None, None])[0, 0]
        for j in named:
            program.row(row.parts[j].changes, float(changed[j]), float(changed[j]))
        try:
            solution = solve_by_cpsat(program, clock.left, clock.work or Work(TRIED))
        except SolverError:
            return {}
        return {j: bool(changed[j]) for j in named} if solution.status == "infeasible" else {}

    def cost(self, point: np.ndarray) -> float:
        """What a point [d] costs the row."""
        return float(self.problem.price(point[None, None])[0, 0])


@dataclass(frozen=True, eq=False)
class StatedProgram:
    """A program, its columns for the row's answer, and their price."""

    program: Program
    row: Row
    price: Price

    def solve(self, clock: Clock, relaxed: Collection[Displacement] = ()) -> Solution:
        """The best point, in which the numbers of some displacements may be fractions."""
        limit = None if clock.left is None else max(clock.left, 0.01)
        program, price = self.program, self.price
        if self.spread and program.all_whole and not relaxed:
            # HiGHS misses points of wide whole columns.
            try:
                return solve_by_cpsat(program, limit, clock.work).scaled(price.scale)
            except SolverError:
                return Solution("limit")
        columns = relaxed_columns(price.displacements, relaxed)
        solution = solve_relaxed(program, columns, limit, price.most, work=clock.work)
        return solution.scaled(price.scale)

    def near(self, values: np.ndarray, relaxed: Collection[Displacement], places: int) -> Program:
        """The program whose numbers are at most so many places from where a point has them."""
        low, high = list(self.program.low), list(self.program.high)
        for column in (column for one in relaxed for column in one.columns):
            low[column] = max(0.0, round(values[column]) - places)
            high[column] = min(high[column], round(values[column]) + places)
        return replace(self.program, low=low, high=high)

    @property
    def wide(self) -> list[Displacement]:
        """The displacements of too many values for HiGHS, as far as is known by now."""
        return [one for one in self.price.displacements if one.is_wide(self.program)]

    @property
    def spread(self) -> bool:
        """Whether a number has so many values that points cannot be cut off one by one."""
        return any(isinstance(p, Number) and p.last - p.first > WIDE for p in self.row.parts)

    @property
    def trusted(self) -> bool:
        """Whether a solver's word on whole columns counts: HiGHS misses points of wide ones."""
        return self.program.all_whole or not self.wide
