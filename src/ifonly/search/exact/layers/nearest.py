"""The nearest answer to a row, with a proof of how near one can be.

The program has the row's box, the rules, the outcome by the reading of the model, and the cost.
Nothing that could be an answer is ever left out of it, so its bound holds for all of them. What its
best point is worth, the user's own model says.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from ifonly.models.reading import Layers
from ifonly.problem.problem import Problem
from ifonly.rules.formula import Affine
from ifonly.search.exact.layers.cutting_loop import ROOM, Pursuit
from ifonly.search.exact.layers.outcome import reach
from ifonly.search.exact.program.apart import other_features, this_far
from ifonly.search.exact.program.cpsat import solve_by_clauses
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.price import WIDE, Course, Pricing
from ifonly.search.exact.program.relaxation import loosened, solve_loosely
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program, Solution, SolverError
from ifonly.search.exact.result import Clock, NearestAnswer
from ifonly.search.exact.rules.statement import state


@dataclass(eq=False)
class Nearest:
    """One row's program, asked again and again: each time for the nearest answer that is left."""

    problem: Problem
    """Of one row."""
    reading: Layers
    apart: float | None = None
    """How far answers must lie from those before; None where they change other features."""
    program: Program = field(default_factory=Program)

    def __post_init__(self) -> None:
        self.row = Row.of(self.program, self.problem.box)
        for rule in self.problem.relations:
            state(self.program, self.row, rule)
        self.outcome = reach(self.program, self.row, self.reading, self.problem.goal)
        self.pricing = Pricing(self.row, self.problem.metric)
        self.below, self.most = self.program.row(Affine.number(0.0)), np.inf

    def find(self, known: float, clock: Clock) -> NearestAnswer:
        """The nearest answer cheaper than a known one, and what no answer is cheaper than."""
        pursuit = Pursuit(self, clock, known)
        with suppress(SolverError):  # what is known by then is known
            pursuit.run()
        self.price(np.inf)
        bound = min(pursuit.bound, pursuit.known) if self.pricing.even else 0.0
        return NearestAnswer(pursuit.best, bound, clock.seconds)

    def without(self, point: np.ndarray) -> None:
        """Ask for answers unlike a point [d]."""
        if self.apart is None:
            other_features(self.row, point)
        else:
            this_far(self.row, self.problem.metric, point, self.apart)

    def price(self, known: float) -> None:
        """State the cost as the program is now, and that it is at most a known one."""
        cost = self.pricing.total() * self.pricing.scale
        self.program.minimise(cost)
        self.pricing.narrow(known)
        self.most = known * self.pricing.scale * (1 + ROOM)
        if known == np.inf:
            self.program.revise(self.below, Affine.number(0.0))
        else:
            self.program.revise(self.below, cost, high=self.most)

    def solve(self, clock: Clock, loose: list[Course]) -> Solution:
        """The program's best point, in which the numbers of some courses may be fractions."""
        limit = None if clock.left is None else max(clock.left, 0.01)
        program = self.program
        if self.spread and program.all_whole and not loose:
            # HiGHS misses points of wide whole columns.
            return solve_by_clauses(program, limit).scaled(self.pricing.scale)
        columns = loosened(self.pricing.courses.values(), loose)
        return solve_loosely(program, columns, limit, self.most).scaled(self.pricing.scale)

    def wide(self) -> list[Course]:
        """The courses of too many values for HiGHS, as far as is known by now."""
        return [course for course in self.pricing.courses.values() if course.wide]

    @property
    def spread(self) -> bool:
        """Whether a number has so many values that points cannot be cut off one by one."""
        return any(isinstance(p, Number) and p.last - p.first > WIDE for p in self.row.parts)

    def cost(self, point: np.ndarray) -> float:
        """What a point [d] costs the row."""
        return float(self.problem.distance(point[None, None])[0, 0])
