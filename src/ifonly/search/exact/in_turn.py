"""Rows solved one after another: the nearest answer, then the nearest unlike it, and so on.

Each row is a program of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ifonly.errors import ModelError, OptionError
from ifonly.models.reading import Reading, Trees, holds_around
from ifonly.problem.goal import TINY
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.search.exact.judge import steady
from ifonly.search.exact.layers.nearest import Nearest
from ifonly.search.exact.program.apart import like
from ifonly.search.exact.result import Clock, NearestAnswer
from ifonly.search.exact.trees.branch_and_bound import Branching

HINTS = 64
"""The candidates of another search that a row starts from, at the most."""


def hints_of(problem: Problem, pool: Pool, most: int = HINTS) -> list[np.ndarray]:
    """For each row [n, d] those of its nearest candidates that the judge accepts, nearest first."""
    costs = np.where(pool.valid, problem.distance(pool.points), np.inf)
    near = pool.nearest(costs, most)
    accepted = problem.accepts(near.points, near.valid)
    return [points[mask] for points, mask in zip(near.points, accepted, strict=True)]


def answer_in_turn(
    problem: Problem,
    k: int,
    hints: Sequence[np.ndarray],
    limit: float | None,
    apart: float | None = None,
) -> tuple[Pool, Proof]:
    """k answers to each row, and the first's bound; `hints` are answers that are known."""
    return one_after_another(
        problem, k, lambda row: asked_of(problem, row, limit, apart, hints[row])
    )


class Asking(Protocol):
    """A row that can be asked for its nearest answer, again and again."""

    def find(self) -> NearestAnswer:
        """The nearest answer that is left."""

    def without(self, point: np.ndarray) -> None:
        """Ask for answers unlike a point [d]."""


def one_after_another(problem: Problem, k: int, ask: Callable[[int], Asking]) -> tuple[Pool, Proof]:
    """The answers of each row in the order in which they are found, and the first's bound."""
    q = len(problem.x)
    points = np.repeat(problem.x[:, None], k, axis=1)
    there = np.zeros((q, k), dtype=bool)
    bound, seconds = np.full(q, -np.inf), np.zeros(q)
    for row in range(q):
        asked = ask(row)
        for place in range(k):
            found = asked.find()
            seconds[row] += found.seconds
            if place == 0:
                bound[row] = found.bound
            if found.point is None:
                break
            points[row, place], there[row, place] = found.point, True
            asked.without(found.point)
    # The judge has accepted them, whatever a score on the edge may say.
    margin = np.where(there, np.maximum(problem.margin(points), TINY), -np.inf)
    return Pool(points, margin), Proof(bound, seconds)


def asked_of(
    problem: Problem,
    row: int,
    limit: float | None,
    apart: float | None = None,
    hints: np.ndarray | None = None,
) -> Asked:
    """One row of a problem, ready to be asked for its nearest answers."""
    if problem.reading is None:
        raise ModelError(
            "This problem was posed without a reading of its model.",
            "Ask with method='exact' or certify=True.",
        )
    hints = problem.x[:0] if hints is None else hints
    return Asked(problem.take(np.array([row])), problem.reading, limit, apart, hints)


@dataclass(eq=False)
class Asked:
    """A row that is asked for its nearest answer, then for the nearest unlike it, and so on.

    Of trees, boxes of points are branched over; layers become a program for a solver.
    """

    problem: Problem
    reading: Reading
    limit: float | None
    apart: float | None
    hints: np.ndarray
    """[n, d] answers, the nearest first."""
    taken: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.problem.causes is not None:
            raise OptionError(
                "What follows from an action is not stated to a solver.",
                "Leave `causes` out, or use method='auto' without certify.",
            )

    @cached_property
    def readable(self) -> bool:
        """Whether the reading holds for the row, which may lie outside the space."""
        return holds_around(self.reading, self.problem.model.itself, self.problem.x[0])

    @cached_property
    def searched(self) -> Branching | Nearest:
        if isinstance(self.reading, Trees):
            return Branching(self.problem, self.reading, self.apart, self.taken)
        return Nearest(self.problem, self.reading, self.apart)

    def find(self) -> NearestAnswer:
        """The nearest answer that is left."""
        clock, hint = Clock(self.limit), self._hint()
        if self.problem.spent or not self.readable:
            return NearestAnswer(hint, 0.0, clock.seconds)
        cost = np.inf if hint is None else self._cost(hint)
        found = self.searched.find(cost, clock)
        if found.point is None or self._cost(found.point) > cost:
            found = replace(found, point=hint)
        return replace(found, seconds=clock.seconds)

    def without(self, point: np.ndarray) -> None:
        """Ask for answers unlike a point [d]."""
        self.taken.append(point)
        if isinstance(self.searched, Nearest):
            self.searched.without(point)

    def _hint(self) -> np.ndarray | None:
        """[d] the nearest hint that is left."""
        for hint in self.hints[~like(self.problem, self.hints, self.taken, self.apart)]:
            sure = isinstance(self.reading, Trees) or self.problem.spent
            if sure or steady(self.problem, hint):
                return np.asarray(hint)
        return None

    def _cost(self, point: np.ndarray) -> float:
        return float(self.problem.distance(point[None, None])[0, 0])
