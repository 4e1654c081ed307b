"""Rows solved one after another: the nearest answer, then the nearest unlike it, and so on.

Further answers are other ways; where none is left, answers that change other features.

Of trees, boxes of points are branched over; layers become a program for a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ifonly.arrays.batches import gather, pick
from ifonly.arrays.keys import point_keys
from ifonly.arrays.ranking import leaders
from ifonly.errors import ModelError, OptionError
from ifonly.models.reading import Trees, holds_around
from ifonly.problem.goal import TINY
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.search.exact.judge import steady
from ifonly.search.exact.layers import cutting_loop
from ifonly.search.exact.program.exclusions import OtherFeatures, OtherPoint, OtherWay, Unlike
from ifonly.search.exact.result import Clock, NearestAnswer, Work
from ifonly.search.exact.trees import branch_and_bound
from ifonly.search.exact.trees.choices import Choices
from ifonly.search.exact.trees.formulation import TreeFormulation

HINTS = 64
"""The candidates of another search that a row starts from, at the most."""
TWIN = 0.02
"""The share by which an answer may be dearer than one with more changes to take its place."""
WAYS = (OtherWay(), OtherFeatures())
"""How further answers differ from those before: of other ways and, where none is left, features."""
Nearest = Callable[[Unlike, float, Clock], NearestAnswer]
"""From points taken and what a known answer costs to the nearest unlike those and cheaper."""


def hints_of(
    problem: Problem, pool: Pool, most: int = HINTS, *, ways: bool = False
) -> list[np.ndarray]:
    """For each row [n, d] those of its nearest candidates that the judge accepts, nearest first.

    With `ways` they are the nearest of each way.
    """
    costs = np.where(pool.valid, problem.price(pool.points), np.inf)
    if ways:
        index, real = leaders(costs, point_keys(problem.ways(pool.points)), most, each=1)
        margin = np.where(real, pick(pool.margin, index), -np.inf)
        near = Pool(gather(pool.points, index), margin)
    else:
        near = pool.nearest(costs, most)
    accepted = problem.accepts(near.points, near.valid)
    return [points[mask] for points, mask in zip(near.points, accepted, strict=True)]


def solve_rows(
    problem: Problem,
    k: int,
    hints: Sequence[np.ndarray],
    limit: float | None,
    unlike: Sequence[Unlike] = WAYS,
) -> tuple[Pool, Proof]:
    """At most k answers to each row, the nearest first, and the bound of that.

    `hints` are answers that are known. Each answer is `unlike` those before it as the first says
    or, where nothing is left, as the next says.
    """
    _check(problem)
    points, proof = np.repeat(problem.x[:, None], k, axis=1), Proof.nothing(len(problem.x))
    there = np.zeros(points.shape[:2], dtype=bool)
    for row, known in enumerate(hints):
        answers, bounds, seconds = _solved(problem.take(np.array([row])), k, known, limit, unlike)
        for place, answer in enumerate(answers):
            points[row, place], there[row, place] = answer, True
        proof.bound[row], proof.seconds[row] = bounds[0], sum(seconds)
    # The judge has accepted them, whatever a score on the edge may say.
    return Pool(points, np.where(there, np.maximum(problem.margin(points), TINY), -np.inf)), proof


def solve_further(
    problem: Problem, k: int, known: np.ndarray, limit: float | None, work: float
) -> tuple[list[np.ndarray], bool]:
    """Further answers of the one row up to k, and whether there are provably no more.

    They are unlike the answers that are `known` [n, d]: other ways, then other features, then other
    points. `limit` are the most seconds of a search, `work` are the most boxes of them all.
    """
    _check(problem)
    kinds = [replace(kind, taken=tuple(known)) for kind in (*WAYS, OtherPoint())]
    left = max(1, k - len(known))
    answers, bounds, _ = _solved(problem, left, known[:0], limit, kinds, Work(work))
    complete = bounds[-1] == np.inf
    if complete and isinstance(problem.reading, Trees):
        choices, steps = Choices.of(problem, problem.reading), 10.0**-problem.space.decimals
        complete = all(choices.stands_alone(one, steps) for one in (*known, *answers))
    return answers, complete


def _solved(
    problem: Problem,
    k: int,
    known: np.ndarray,
    limit: float | None,
    unlike: Sequence[Unlike],
    work: Work | None = None,
) -> tuple[list[np.ndarray], list[float], list[float]]:
    """At most k answers of one row, and the bound and the seconds of each search for one.

    Of two ways that are twins, the one with fewer changes counts, but the nearest answer stays;
    the other fills a place where no further way is left.
    """
    answers: list[np.ndarray] = []
    spare: list[np.ndarray] = []
    bounds: list[float] = []
    seconds: list[float] = []
    kinds, nearest = list(unlike), None
    while len(answers) < k and len(bounds) < 2 * k:
        clock = Clock(limit, work)
        nearest = nearest or _nearest_of(problem)
        found = _next(problem, nearest, kinds, known, clock)
        bounds.append(found.bound)
        seconds.append(clock.seconds)
        if found.point is None:
            break
        kinds = [replace(kind, taken=(*kind.taken, found.point)) for kind in kinds]
        if not isinstance(kinds[0], OtherWay):
            answers, spare = [*answers, *spare, found.point], []
            continue
        twins = [_is_twin(problem, found.point, answer) for answer in answers]
        if any(twins[:1]):
            spare.append(found.point)
            continue
        spare += [answer for answer, twin in zip(answers, twins, strict=True) if twin]
        answers = [answer for answer, twin in zip(answers, twins, strict=True) if not twin]
        answers.append(found.point)
    return [*answers, *spare][:k], bounds, seconds


def _is_twin(problem: Problem, point: np.ndarray, other: np.ndarray) -> bool:
    """Whether a point makes some of the changes of another, and is almost as near."""
    included = OtherWay((point,)).like(problem, other[None])[0]
    return bool(included and _cost(problem, point) <= (1 + TWIN) * _cost(problem, other))


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


def _nearest_of(problem: Problem) -> Nearest:
    """How the one row of a problem is solved.

    Where its reading does not hold around the row, which may lie outside the space, not at all.
    """
    reading = problem.reading
    assert reading is not None
    if problem.spent or not holds_around(reading, problem.model.itself, problem.x[0]):
        return lambda unlike, known, clock: NearestAnswer(None, 0.0)
    if isinstance(reading, Trees):
        return partial(branch_and_bound.nearest, TreeFormulation.of(problem, reading))
    return partial(cutting_loop.nearest, problem, reading)


def _next(
    problem: Problem, nearest: Nearest, kinds: list[Unlike], known: np.ndarray, clock: Clock
) -> NearestAnswer:
    """The nearest answer unlike those taken; a kind of being unlike that has none goes."""
    while True:
        unlike = kinds[0]
        hint = _hint(problem, known[~unlike.like(problem, known)])
        found = _nearer(problem, nearest, unlike, hint, clock)
        if found.point is not None or not unlike.taken or len(kinds) == 1:
            return found
        kinds.pop(0)


def _nearer(
    problem: Problem, nearest: Nearest, unlike: Unlike, hint: np.ndarray | None, clock: Clock
) -> NearestAnswer:
    """The nearest answer unlike those taken; the hint where nothing nearer is found."""
    cost = np.inf if hint is None else _cost(problem, hint)
    found = NearestAnswer(None, 0.0) if problem.spent else nearest(unlike, cost, clock)
    if found.point is None or _cost(problem, found.point) > cost:
        return NearestAnswer(hint, found.bound)
    return found


def _hint(problem: Problem, hints: np.ndarray) -> np.ndarray | None:
    """[d] the nearest of some hints [n, d] that is an answer in any company."""
    sure = isinstance(problem.reading, Trees) or problem.spent
    return next((hint for hint in hints if sure or steady(problem, hint)), None)


def _cost(problem: Problem, point: np.ndarray) -> float:
    return float(problem.price(point[None, None])[0, 0])
