"""The cheapest lawful point of a box, where rules relate features or answers must lie apart.

Other values of a stretch than the nearest may then be the cheapest. Which they are, a small program
says, in which no model plays a part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ifonly.problem.problem import Problem
from ifonly.rules import Box
from ifonly.search.exact.program.cpsat import solve_by_cpsat
from ifonly.search.exact.program.exclusions import ThisFar, Unlike
from ifonly.search.exact.program.price import state_price
from ifonly.search.exact.program.relaxation import solve_relaxed
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program, Solution, SolverError
from ifonly.search.exact.result import Clock
from ifonly.search.exact.rules.statement import state
from ifonly.search.exact.trees.choices import Boxes, Choices
from ifonly.search.exact.trees.formulation import TreeFormulation


def forbidden(problem: Problem, codes: np.ndarray, unlike: Unlike) -> np.ndarray:
    """bool [n]: the codes [n, d] that break a relation, or are too near an earlier answer."""
    apart = isinstance(unlike, ThisFar)
    if not problem.relations and not apart:
        return np.zeros(len(codes), dtype=bool)
    broken = ~problem.lawful(codes[None])[0]
    return np.asarray(broken | unlike.like(problem, codes) if apart else broken)


def with_cheapest(
    formulation: TreeFormulation, boxes: Boxes, unlike: Unlike, clock: Clock
) -> Boxes:
    """Boxes with their cheapest lawful points; what has none costs an infinity."""
    problem, choices = formulation.problem, formulation.choices
    cost, codes = boxes.cost.copy(), boxes.codes.copy()
    for place in range(len(boxes)):
        program = Program()
        row = Row.of(program, _box(choices, boxes, place, problem.box))
        for rule in problem.relations:
            state(program, row, rule)
        if isinstance(unlike, ThisFar):
            unlike.state(row, problem.metric)
        price = state_price(row, problem.metric)
        solution = _solved(program, clock).scaled(price.scale)
        if solution.values is not None:
            codes[place] = row.codes_of(solution)
        cost[place] = max(cost[place], solution.lowest)
    known = np.ones(len(boxes), dtype=bool)
    return replace(boxes, cost=cost, codes=codes, place=choices.places(codes), settled=known)


def _solved(program: Program, clock: Clock) -> Solution:
    limit = None if clock.left is None else max(clock.left, 0.01)
    if not program.all_whole:
        return solve_relaxed(program, (), limit, work=clock.work)
    try:
        return solve_by_cpsat(program, limit, clock.work)
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
