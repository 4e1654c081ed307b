"""From a formulation to its nearest answer: solve, judge, cut off what is rejected, solve again.

Numbers of very many values are fractions at first; that bounds the cost, and an answer is not far.
Where rounding puts many points in doubt, an answer is looked for further inside the goal: it comes
with a bound, and between the two is the gap.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from ifonly.models.reading import Layers
from ifonly.problem.problem import Problem
from ifonly.search.exact.judge import accepted
from ifonly.search.exact.layers.formulation import Formulation, StatedProgram
from ifonly.search.exact.program.exclusions import Unlike
from ifonly.search.exact.program.price import ROOM, Displacement, evenly_priced
from ifonly.search.exact.program.relaxation import beside
from ifonly.search.exact.program.solver import Solution
from ifonly.search.exact.result import Clock, NearestAnswer

REJECTED = 200
"""The most points that are cut off before a row is given up."""
PATIENCE = 10
"""The points that are cut off before an answer is looked for that no rounding can put in doubt."""
NEAR = 64
"""The places around a fraction among which an answer is looked for."""
INSIDE = (0.0, -0.25, -1.0, -4.0)
"""How many times the rounding an answer is looked for outside the goal: ever further inside."""


@dataclass(frozen=True, eq=False)
class _Progress:
    """What is known of the nearest answer by now."""

    known: float
    """What the nearest known answer costs."""
    best: np.ndarray | None = None
    bound: float = 0.0

    def bounded(self, bound: float) -> _Progress:
        """No answer that is still of interest costs less than a bound."""
        return replace(self, bound=max(self.bound, min(bound, self.known)))


def nearest(
    problem: Problem, reading: Layers, unlike: Unlike, known: float, clock: Clock
) -> NearestAnswer:
    """The nearest answer unlike those taken and cheaper than a known one, and its bound."""
    formulation, progress = Formulation(problem, reading, unlike), _Progress(known)
    stated, done = formulation.stated(known), False
    if stated.wide:
        progress, done = _relax(formulation, stated, progress, clock)
        stated = formulation.stated(progress.known)
    if not done:
        progress = _cut(formulation, stated, progress, clock)
    bound = min(progress.bound, progress.known)
    return NearestAnswer(progress.best, bound if evenly_priced(problem.metric) else 0.0)


def _relax(
    formulation: Formulation, stated: StatedProgram, progress: _Progress, clock: Clock
) -> tuple[_Progress, bool]:
    """What is known once wide numbers were fractions, and whether nothing is left to find out."""
    solution = stated.solve(clock, stated.wide)
    while formulation.problem.relations and solution.values is not None and not clock.over:
        # In fractions, an equation may hold with fewer changes than on the grid.
        changes = formulation.broken_by(stated.row.codes_of(solution), clock)
        if not changes:
            break
        formulation = replace(formulation, impossible=(*formulation.impossible, changes))
        stated = formulation.stated(progress.known)
        solution = stated.solve(clock, stated.wide)
    wide = stated.wide
    if solution.values is not None:
        progress, _ = _judged(formulation, stated, solution, progress, wide)
        again = formulation.stated(progress.known)
        again = replace(again, program=again.near(solution.values, wide, NEAR))
        progress, _ = _judged(formulation, again, again.solve(clock), progress)
    bound = solution.lowest
    if np.isinf(bound) and stated.program.all_whole:
        return progress, False  # there is another solver to ask
    # Tolerances are a small part of a place.
    progress = progress.bounded(bound - 0.1 * sum(max(one.prices) for one in wide))
    if progress.best is None and bound < np.inf:
        progress, found = _inside(formulation, progress, clock, relax=True)
        if not found:
            return progress, False
    closed = progress.bound >= progress.known * (1 - ROOM)
    return progress, closed or bool(formulation.stated(progress.known).wide)


def _cut(
    formulation: Formulation, stated: StatedProgram, progress: _Progress, clock: Clock
) -> _Progress:
    """Solve, judge, cut off what is rejected, and solve again."""
    while len(formulation.rejected) < REJECTED and not clock.over:
        solution = stated.solve(clock)
        if stated.trusted:
            progress = progress.bounded(solution.lowest)
        if solution.values is None:
            return progress
        progress, found = _judged(formulation, stated, solution, progress)
        if found:
            done = solution.status == "optimal" and stated.trusted
            return replace(progress, bound=progress.known) if done else progress
        few = stated.program.all_whole and len(formulation.rejected) < PATIENCE
        if progress.best is not None and stated.spread and not few:
            return progress  # too many points are in doubt to be cut off one by one
        point = stated.row.codes_of(solution)
        formulation = replace(formulation, rejected=(*formulation.rejected, point))
        if len(formulation.rejected) == PATIENCE:
            progress, _ = _inside(formulation, progress, clock, relax=False)
        stated = formulation.stated(progress.known)
    return progress


def _judged(
    formulation: Formulation,
    stated: StatedProgram,
    solution: Solution,
    progress: _Progress,
    relaxed: Collection[Displacement] = (),
) -> tuple[_Progress, bool]:
    """What is known with a solution, and whether it, or a point beside it, is an answer."""
    if solution.values is None:
        return progress, False
    problem, points = formulation.problem, beside(stated.row, relaxed, solution)
    if problem.relations:
        # Fractions that a relation ties together are not rounded each for itself.
        points = np.concatenate([points, problem.repaired(points[None])[0]])
    like = formulation.unlike.like(problem, points)
    like[0] = False  # the solution itself, which is as unlike as it was asked for
    point = accepted(problem, points[~like])
    if point is None:
        return progress, False
    cost = formulation.cost(point)
    if progress.best is None or cost < formulation.cost(progress.best):
        progress = replace(progress, best=point)
    return replace(progress, known=min(progress.known, cost)), True


def _inside(
    formulation: Formulation, progress: _Progress, clock: Clock, *, relax: bool
) -> tuple[_Progress, bool]:
    """What is known with an answer inside the goal, where no rounding puts it in doubt, if any."""
    for slack in INSIDE:
        stated = formulation.stated(progress.known, slack)
        relaxed = stated.wide if relax else []
        solution = stated.solve(clock, relaxed)
        progress, found = _judged(formulation, stated, solution, progress, relaxed)
        if found:
            return progress, True
    return progress, False
