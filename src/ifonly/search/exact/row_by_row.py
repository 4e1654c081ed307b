"""Rows solved one after another: the nearest answer, then the nearest unlike it, and so on.

Of trees, boxes of points are branched over; layers become a program for a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ifonly.errors import ModelError, OptionError
from ifonly.models.reading import Trees, holds_around
from ifonly.problem.goal import TINY
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.search.exact.judge import steady
from ifonly.search.exact.layers import cutting_loop
from ifonly.search.exact.layers.formulation import Exclude, Formulation
from ifonly.search.exact.program.exclusions import like, other_features, this_far
from ifonly.search.exact.result import Clock, NearestAnswer
from ifonly.search.exact.trees import branch_and_bound
from ifonly.search.exact.trees.formulation import TreeFormulation

HINTS = 64
"""The candidates of another search that a row starts from, at the most."""
Nearest = Callable[[Sequence[np.ndarray], float, Clock], NearestAnswer]
"""From points taken and what a known answer costs to the nearest unlike those and cheaper."""


def hints_of(problem: Problem, pool: Pool, most: int = HINTS) -> list[np.ndarray]:
    """For each row [n, d] those of its nearest candidates that the judge accepts, nearest first."""
    costs = np.where(pool.valid, problem.distance(pool.points), np.inf)
    near = pool.nearest(costs, most)
    accepted = problem.accepts(near.points, near.valid)
    return [points[mask] for points, mask in zip(near.points, accepted, strict=True)]


def solve_rows(
    problem: Problem,
    k: int,
    hints: Sequence[np.ndarray],
    limit: float | None,
    apart: float | None = None,
    *,
    exclude: Exclude | None = None,
) -> tuple[Pool, Proof]:
    """k answers to each row in the order in which they are found, and the first's bound.

    `hints` are answers that are known. Each answer changes other features than those before it, is
    `apart` from them, or is as `exclude` says, which a model of layers takes.
    """
    _check(problem)
    points, proof = np.repeat(problem.x[:, None], k, axis=1), Proof.nothing(len(problem.x))
    there = np.zeros(points.shape[:2], dtype=bool)
    for row, known in enumerate(hints):
        one = problem.take(np.array([row]))
        taken: list[np.ndarray] = []
        nearest = None
        for place in range(k):
            clock = Clock(limit)
            nearest = nearest or _nearest_of(one, apart, exclude)
            hint = _hint(one, known[~like(one, known, taken, apart)])
            found = _nearer(one, nearest, taken, hint, clock)
            proof.seconds[row] += clock.seconds
            if place == 0:
                proof.bound[row] = found.bound
            if found.point is None:
                break
            points[row, place], there[row, place] = found.point, True
            taken.append(found.point)
    # The judge has accepted them, whatever a score on the edge may say.
    return Pool(points, np.where(there, np.maximum(problem.margin(points), TINY), -np.inf)), proof


def _check(problem: Problem) -> None:
    """Refuse what cannot be stated to a solver."""
    if problem.reading is None:
        raise ModelError(
            "This problem was posed without a reading of its model.",
            "Ask with method='exact' or certify=True.",
        )
    if problem.causes is not None:
        raise OptionError(
            "What follows from an action is not stated to a solver.",
            "Leave `causes` out, or use method='auto' without certify.",
        )


def _nearest_of(problem: Problem, apart: float | None, exclude: Exclude | None) -> Nearest:
    """How the one row of a problem is solved.

    Where its reading does not hold around the row, which may lie outside the space, not at all.
    """
    reading = problem.reading
    assert reading is not None
    if problem.spent or not holds_around(reading, problem.model.itself, problem.x[0]):
        return lambda taken, known, clock: NearestAnswer(None, 0.0)
    if isinstance(reading, Trees):
        formulation = TreeFormulation.of(problem, reading, apart)
        return partial(branch_and_bound.nearest, formulation)
    far = other_features if apart is None else partial(this_far, problem.metric, apart)
    return partial(cutting_loop.nearest, Formulation(problem, reading, exclude or far))


def _nearer(
    problem: Problem,
    nearest: Nearest,
    taken: Sequence[np.ndarray],
    hint: np.ndarray | None,
    clock: Clock,
) -> NearestAnswer:
    """The nearest answer unlike those taken; the hint where nothing nearer is found."""
    cost = np.inf if hint is None else _cost(problem, hint)
    found = NearestAnswer(None, 0.0) if problem.spent else nearest(taken, cost, clock)
    if found.point is None or _cost(problem, found.point) > cost:
        return NearestAnswer(hint, found.bound)
    return found


def _hint(problem: Problem, hints: np.ndarray) -> np.ndarray | None:
    """[d] the nearest of some hints [n, d] that is an answer in any company."""
    sure = isinstance(problem.reading, Trees) or problem.spent
    return next((hint for hint in hints if sure or steady(problem, hint)), None)


def _cost(problem: Problem, point: np.ndarray) -> float:
    return float(problem.distance(point[None, None])[0, 0])
