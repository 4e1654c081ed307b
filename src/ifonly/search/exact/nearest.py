"""The nearest answer to a row, with a proof of how near one can be.

The program has the row's box, the rules, the outcome by the reading of the model, and the cost.
Nothing that could be an answer is ever left out of it, so its bound holds for all of them. What its
best point is worth, the user's own model says.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from ifonly.models.reading import Reading, Trees
from ifonly.problem import Problem
from ifonly.search.exact.affine import Affine
from ifonly.search.exact.apart import other_features, other_point, this_far
from ifonly.search.exact.cpsat import solve_by_clauses
from ifonly.search.exact.found import Clock, Found
from ifonly.search.exact.loose import loosened, solve_loosely
from ifonly.search.exact.lowering import state
from ifonly.search.exact.number import Number
from ifonly.search.exact.outcome import reach
from ifonly.search.exact.pricing import WIDE, Course, Pricing
from ifonly.search.exact.pursuit import ROOM, Pursuit
from ifonly.search.exact.row import Row
from ifonly.search.exact.solver import Program, Solution, SolverError


@dataclass(eq=False)
class Nearest:
    """One row's program, asked again and again: each time for the nearest answer that is left."""

    problem: Problem
    """Of one row."""
    reading: Reading
    limit: float | None = None
    """The most seconds for an answer; for the first, the time to build the program is in it."""
    among: Sequence[Collection[int]] | None = None
    """Of trees, the leaves of each that an answer can come to, where not all of them are."""
    program: Program = field(default_factory=Program)

    def __post_init__(self) -> None:
        self.clock: Clock | None = Clock(self.limit)
        self.row = Row.of(self.program, self.problem.box)
        for rule in self.problem.relations:
            state(self.program, self.row, rule)
        self.outcome = reach(self.program, self.row, self.reading, self.problem.goal, self.among)
        self.pricing = Pricing(self.row, self.problem.metric)
        self.below = self.program.row(Affine.number(0.0))

    def find(self, known: float = np.inf, clock: Clock | None = None) -> Found:
        """The nearest answer; `known` is what the nearest known one costs.

        Where none is cheaper, that is the bound. The time runs since the `clock` says, or from now.
        """
        clock = clock or self.clock or Clock(self.limit)
        self.clock = None
        pursuit = Pursuit(self, clock, known)
        with suppress(SolverError):  # what is known by then is known
            pursuit.run()
        self.price(np.inf)
        bound = min(pursuit.bound, pursuit.known)
        return Found(pursuit.best, bound, clock.seconds, pursuit.rejected)

    def without(self, point: np.ndarray, apart: float | None) -> None:
        """Ask for answers unlike a point [d]: that change other features, or lie so far apart."""
        if apart is None:
            other_features(self.row, point)
        else:
            this_far(self.row, self.problem.metric, point, apart)

    def price(self, known: float) -> None:
        """State the cost as the program is now, and that it is at most a known one."""
        cost = self.pricing.total()
        self.program.minimise(cost)
        self.pricing.narrow(known)
        if known == np.inf:
            self.program.revise(self.below, Affine.number(0.0))
        else:
            self.program.revise(self.below, cost, high=known * (1 + ROOM))

    def refuse(self, point: np.ndarray, solution: Solution) -> None:
        """Cut a point off; where the model alone rejects it, all that has the same leaves.

        Leaves that add the same are as good as one: their sums are the same, bit for bit.
        """
        lawful = self.problem.lawful(point[None, None])[0, 0]
        if not isinstance(self.reading, Trees) or not lawful:
            other_point(self.row, point)
            return
        assert solution.values is not None
        alike = []
        for tree, leaves in zip(self.reading.trees, self.outcome.leaves, strict=True):
            taken = next(i for i, one in enumerate(leaves) if one.at(solution.values) > 0.5)
            same = np.flatnonzero((tree.value == tree.value[taken]).all(axis=1))
            alike.append(Affine.total(leaves[i] for i in same))
        self.program.row(Affine.total(alike), high=len(alike) - 1.0)

    def solve(self, clock: Clock, loose: list[Course]) -> Solution:
        """The program's best point, in which the numbers of some courses may be fractions."""
        limit = None if clock.left is None else max(clock.left, 0.01)
        program = self.program
        if isinstance(self.reading, Trees):
            whole = program.all_whole
            return solve_by_clauses(program, limit) if whole else solve_loosely(program, (), limit)
        if self.spread and program.all_whole and not loose:
            return solve_by_clauses(program, limit)  # HiGHS misses points of wide whole columns
        return solve_loosely(program, loosened(self.pricing.courses.values(), loose), limit)

    def wide(self) -> list[Course]:
        """The courses of too many values for HiGHS, as far as is known by now."""
        if isinstance(self.reading, Trees):
            return []
        return [course for course in self.pricing.courses.values() if course.wide]

    @property
    def spread(self) -> bool:
        """Whether a number has so many values that points cannot be cut off one by one."""
        return any(isinstance(p, Number) and p.last - p.first > WIDE for p in self.row.parts)

    def cost(self, point: np.ndarray) -> float:
        """What a point [d] costs the row."""
        return float(self.problem.distance(point[None, None])[0, 0])
