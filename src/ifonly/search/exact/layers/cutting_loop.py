"""From a program to its nearest answer: solve, judge, cut off what is rejected, and solve again.

Numbers of very many values are fractions at first; that bounds the cost, and an answer is not far.
Where rounding puts many points in doubt, an answer is looked for further inside the goal: it comes
with a bound, and between the two is the gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ifonly.search.exact.judge import accepted
from ifonly.search.exact.program.apart import other_point
from ifonly.search.exact.program.price import Course
from ifonly.search.exact.program.relaxation import beside
from ifonly.search.exact.program.solver import Solution
from ifonly.search.exact.result import Clock

if TYPE_CHECKING:
    from ifonly.search.exact.layers.nearest import Nearest

REJECTED = 200
"""The most points that are cut off before a row is given up."""
PATIENCE = 10
"""The points that are cut off before an answer is looked for that no rounding can put in doubt."""
NEAR = 64.0
"""The places around a fraction among which an answer is looked for."""
ROOM = 1e-9
"""The share by which a cost may be above a known one, and is then as good."""


@dataclass(eq=False)
class Pursuit:
    """One search for the nearest answer, and what is known of it by now."""

    nearest: Nearest
    clock: Clock
    known: float
    """What the nearest known answer costs."""
    best: np.ndarray | None = None
    bound: float = 0.0
    rejected: int = 0

    def run(self) -> None:
        """Solve and judge until the best point is an answer, or nothing is left."""
        if self._loosely():
            self._exactly()

    def _loosely(self) -> bool:
        """Whether anything is left to find out, once numbers of very many values were fractions."""
        loose = self._priced().wide()
        if not loose:
            return True
        solution = self._priced().solve(self.clock, loose)
        bound = np.inf if solution.status == "infeasible" else solution.bound
        if solution.values is not None:
            self._judge(solution, loose)
            self._look_near(solution, loose)
        if np.isinf(bound) and self.nearest.program.all_whole:
            return True  # there is another solver to ask
        # Tolerances are a small part of a place.
        places = 0.1 * sum(max(course.prices) for course in loose)
        self.bound = max(self.bound, min(bound - places, self.known))
        if self.best is None and bound < np.inf and not self._be_sure(loose):
            return True
        return self._open and not self._priced().wide()

    def _look_near(self, solution: Solution, loose: list[Course]) -> None:
        """Look for answers not far from a solution that has fractions."""
        assert solution.values is not None
        self._priced()
        for course in loose:
            course.keep_near(solution.values, NEAR)
        near = self.nearest.solve(self.clock, [])
        if near.values is not None:
            self._judge(near, [])

    def _priced(self) -> Nearest:
        """The program, which asks for what costs at most what is known."""
        self.nearest.price(self.known)
        return self.nearest

    @property
    def _open(self) -> bool:
        """Whether there may be a nearer answer than those known."""
        return self.bound < self.known * (1 - ROOM)

    def _exactly(self) -> None:
        """Solve, judge, cut off what is rejected, and solve again."""
        while self.rejected < REJECTED and not self.clock.over:
            solution = self._priced().solve(self.clock, [])
            if not self._bounds(solution):
                return
            if self._judge(solution, []):
                if solution.status == "optimal" and self._trusted:
                    self.bound = self.known
                return
            if self._doubtful:
                return
            other_point(self.nearest.row, self.nearest.row.codes_of(solution))
            self.rejected += 1
            if self.rejected == PATIENCE:
                self._be_sure([])

    @property
    def _trusted(self) -> bool:
        """Whether a solver's word on whole columns counts."""
        return self.nearest.program.all_whole or not self.nearest.wide()

    @property
    def _doubtful(self) -> bool:
        """Whether an answer is known, and too many points are in doubt to be cut off one by one."""
        few = self.nearest.program.all_whole and self.rejected < PATIENCE
        return self.best is not None and self.nearest.spread and not few

    def _bounds(self, solution: Solution) -> bool:
        """Whether a solution has a point; what it says of the cost of all others is noted.

        Not where HiGHS has whole columns of millions of values: it misses points of those.
        """
        bound = np.inf if solution.status == "infeasible" else solution.bound
        if self._trusted:
            self.bound = max(self.bound, min(bound, self.known))
        return solution.values is not None

    def _judge(self, solution: Solution, loose: list[Course]) -> bool:
        """Whether a solution, or a point beside it, is an answer; it is kept."""
        problem, points = self.nearest.problem, beside(self.nearest.row, loose, solution)
        if problem.relations:
            # Fractions that a relation ties together are not rounded each for itself.
            points = np.concatenate([points, problem.repaired(points[None])[0]])
        point = accepted(problem, points)
        if point is None:
            return False
        cost = self.nearest.cost(point)
        if self.best is None or cost < self.nearest.cost(self.best):
            self.best = point
        self.known = min(self.known, cost)
        return True

    def _be_sure(self, loose: list[Course]) -> bool:
        """Whether there is an answer further inside the goal, where no rounding puts it in doubt.

        Each time further, until there is.
        """
        for times in (0.0, -0.25, -1.0, -4.0):
            self.nearest.outcome.widen(times)
            solution = self._priced().solve(self.clock, loose)
            self.nearest.outcome.widen(1.0)
            if solution.values is not None and self._judge(solution, loose):
                return True
        return False
