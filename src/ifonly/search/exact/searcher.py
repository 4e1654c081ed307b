"""Search by solving: the nearest answer of all, then the nearest unlike those before it.

Each row is a program of its own, so that rows are solved one after another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from ifonly.errors import ModelError, OptionError
from ifonly.models.reading import Reading, Trees, holds_around
from ifonly.problem.goal import TINY
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search.engine import Engine
from ifonly.search.exact.judge import steady
from ifonly.search.exact.layers.nearest import Nearest
from ifonly.search.exact.program.apart import like
from ifonly.search.exact.proof import Clock, Found
from ifonly.search.exact.trees.branch_and_bound import Branching

HINTS = 64
"""The candidates of the default search that a row is told of."""


@dataclass(frozen=True)
class Exact:
    """k answers, each the nearest that changes other features than those before it.

    With `apart`, each lies at least that far from those before it instead. Answers are taken one
    after another and none is taken back: a row has fewer than k where nothing is left that far from
    those taken, although k answers that far apart may exist without the nearest. `limit` is the
    most seconds for an answer; what is found by then comes back with a bound.
    """

    limit: float | None = 60.0
    apart: float | None = None
    needs: ClassVar[frozenset[str]] = frozenset({"reading"})
    in_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("limit", "apart"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise OptionError(f"{name} is {value!r}.", "It is a number above 0, or None.")

    def search(self, problem: Problem, k: int) -> Pool:
        """The answers of each row in the order in which they were found, and the first's bound.

        What the default search finds is known from the start: nothing dearer is looked at.
        """
        pool = Engine().search(problem, k)
        costs = np.where(pool.valid, problem.distance(pool.points), np.inf)
        hints = pool.nearest(costs, HINTS)
        accepted = problem.accepts(hints.points, hints.valid)

        def ask(row: int) -> Asked:
            own = hints.points[row][accepted[row]]
            return asked_of(problem, row, self.limit, self.apart, own)

        return one_after_another(problem, k, ask)


class Asking(Protocol):
    """A row that can be asked for its nearest answer, again and again."""

    def find(self) -> Found:
        """The nearest answer that is left."""

    def without(self, point: np.ndarray) -> None:
        """Ask for answers unlike a point [d]."""


def one_after_another(problem: Problem, k: int, ask: Callable[[int], Asking]) -> Pool:
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
    return Pool(points, margin, bound, seconds)


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

    def find(self, known: float = np.inf) -> Found:
        """The nearest answer; `known` is what the nearest known one costs."""
        clock, hint = Clock(self.limit), self._hint()
        if self.problem.spent or not self.readable:
            return Found(hint, 0.0, clock.seconds)
        cost = known if hint is None else min(known, self._cost(hint))
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
