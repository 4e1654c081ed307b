"""The cheapest lawful point of a box, where rules relate features or answers must lie apart.

Other values of a stretch than the nearest may then be the cheapest. Which they are, a small program
says, in which no model plays a part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ifonly.problem.problem import Problem
from ifonly.rules import Box
from ifonly.search.exact.program.apart import like, this_far
from ifonly.search.exact.program.cpsat import solve_by_clauses
from ifonly.search.exact.program.price import Pricing
from ifonly.search.exact.program.relaxation import solve_loosely
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program, Solution, SolverError
from ifonly.search.exact.result import Clock
from ifonly.search.exact.rules.statement import state
from ifonly.search.exact.trees.choices import Boxes, Choices


@dataclass(frozen=True, eq=False)
class Lawful:
    """What relations and earlier answers allow to the one row of a problem."""

    problem: Problem
    choices: Choices
    apart: float | None
    taken: list[np.ndarray]

    def forbidden(self, codes: np.ndarray) -> np.ndarray:
        """bool [n]: the codes [n, d] that break a relation, or are too near an earlier answer."""
        broken = ~self.problem.lawful(codes[None])[0]
        if self.apart is not None:
            broken |= like(self.problem, codes, self.taken, self.apart)
        return np.asarray(broken)

    def settle(self, boxes: Boxes, clock: Clock) -> Boxes:
        """Boxes with their cheapest lawful points; what has none costs an infinity."""
        cost, codes = boxes.cost.copy(), boxes.codes.copy()
        for row in range(len(boxes)):
            program = Program()
            columns = self._state(program, _box(self.choices, boxes, row, self.problem.box))
            pricing = Pricing(columns, self.problem.metric)
            program.minimise(pricing.total() * pricing.scale)
            solution = _solved(program, clock).scaled(pricing.scale)
            if solution.values is not None:
                codes[row] = columns.codes_of(solution)
            bound = np.inf if solution.status == "infeasible" else solution.bound
            cost[row] = max(cost[row], bound)
        place = self.choices.places(codes)
        known = np.ones(len(boxes), dtype=bool)
        return replace(boxes, cost=cost, codes=codes, place=place, settled=known)

    def _state(self, program: Program, box: Box) -> Row:
        row = Row.of(program, box)
        for rule in self.problem.relations:
            state(program, row, rule)
        if self.apart is not None:
            for point in self.taken:
                this_far(row, self.problem.metric, point, self.apart)
        return row


def _solved(program: Program, clock: Clock) -> Solution:
    limit = None if clock.left is None else max(clock.left, 0.01)
    if not program.all_whole:
        return solve_loosely(program, (), limit)
    try:
        return solve_by_clauses(program, limit)
    except SolverError:
        return Solution("limit")


def _box(choices: Choices, boxes: Boxes, row: int, whole: Box) -> Box:
    """One of some boxes as what the row may become, of the whole of that."""
    low, high, levels = whole.low.copy(), whole.high.copy(), whole.levels.copy()
    keep, erase = whole.keep.copy(), whole.erase.copy()
    own = choices.own_place[None]
    keep[:] = choices.hold(boxes[np.array([row])], np.maximum(own, 0)) & (own >= 0)
    for j, (values, count) in enumerate(zip(choices.values, choices.numbers, strict=True)):
        first, last = boxes.first[row, j], boxes.last[row, j]
        rest = values[count:][boxes.rest[row, choices.rest(j)]]
        erase[0, j] = np.isnan(rest).any() and not np.isnan(choices.own[j])
        if whole.space.continuous[j]:
            # The row's own value may lie outside of what it could move to.
            ends = (values[first], values[last]) if first <= last else (np.inf, -np.inf)
            low[0, j], high[0, j] = max(low[0, j], ends[0]), min(high[0, j], ends[1])
        else:
            start = whole.space.offsets[j]
            levels[0, start : whole.space.offsets[j + 1]] = False
            levels[0, start + rest[~np.isnan(rest)].astype(np.intp)] = True
    return replace(whole, low=low, high=high, levels=levels, keep=keep, erase=erase)
