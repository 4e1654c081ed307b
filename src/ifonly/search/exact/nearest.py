"""The nearest answer to a row, with a proof of how near one can be.

The program has the row's box, the rules, the outcome by the reading of the model, and the cost. Its
best point is judged by the user's own model; what the judge rejects is cut off, and the program is
solved again. Nothing that could be an answer is ever left out, so the bound holds for all of them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from ifonly.models.reading import Reading, Trees
from ifonly.problem import Problem
from ifonly.search.exact.affine import Affine
from ifonly.search.exact.apart import other_features, other_point, this_far
from ifonly.search.exact.cpsat import solve_by_clauses
from ifonly.search.exact.found import Found
from ifonly.search.exact.lowering import state
from ifonly.search.exact.outcome import reach
from ifonly.search.exact.pricing import price
from ifonly.search.exact.row import Row
from ifonly.search.exact.solver import Program, Solution

REJECTED = 200
"""The most points that are cut off before a row is given up."""


@dataclass(eq=False)
class Nearest:
    """One row's program, asked again and again: each time for the nearest answer that is left."""

    problem: Problem
    """Of one row."""
    reading: Reading
    limit: float | None = None
    """The most seconds for an answer."""
    program: Program = field(default_factory=Program)

    def __post_init__(self) -> None:
        self.row = Row.of(self.program, self.problem.box)
        for rule in self.problem.relations:
            state(self.program, self.row, rule)
        self.leaves = reach(self.program, self.row, self.reading, self.problem.goal)
        self.cost = price(self.row, self.problem.metric)
        self.program.minimise(self.cost)

    def find(self, known: float = np.inf) -> Found:
        """The nearest answer; `known` is what the nearest known one costs."""
        start = time.monotonic()
        if known < np.inf:
            self.program.row(self.cost, high=known * (1 + 1e-9))
        for rejected in range(REJECTED):
            left = None if self.limit is None else self.limit - (time.monotonic() - start)
            solution = self._solve(left)
            taken = time.monotonic() - start
            if solution.status == "infeasible":
                return Found(None, np.inf if known == np.inf else known, taken, rejected)
            if solution.values is None:
                return Found(None, solution.bound, taken, rejected)
            point = self.row.codes_of(solution)
            if self.problem.accepts(point[None, None])[0, 0]:
                cost = float(self.problem.distance(point[None, None])[0, 0])
                bound = cost if solution.status == "optimal" else min(solution.bound, cost)
                return Found(point, bound, taken, rejected)
            self.refuse(point, solution)
            if left is not None and taken > self.limit:  # type: ignore[operator]
                return Found(None, solution.bound, taken, rejected + 1)
        return Found(None, solution.bound, time.monotonic() - start, REJECTED)

    def refuse(self, point: np.ndarray, solution: Solution) -> None:
        """Cut a point off; of trees all that comes to the same leaves."""
        if not isinstance(self.reading, Trees):
            other_point(self.row, point)
            return
        assert solution.values is not None
        at = [one for tree in self.leaves for one in tree if one.at(solution.values) > 0.5]
        self.program.row(Affine.total(at), high=len(at) - 1.0)

    def without(self, point: np.ndarray, apart: float | None) -> None:
        """Ask for answers unlike a point [d]: that change other features, or lie so far apart."""
        if apart is None:
            other_features(self.row, point)
        else:
            this_far(self.row, self.problem.metric, point, apart)

    def _solve(self, left: float | None) -> Solution:
        limit = None if left is None else max(left, 0.01)
        if isinstance(self.reading, Trees) and self.program.all_whole:
            return solve_by_clauses(self.program, limit)
        return self.program.solve(limit)
