"""The nearest answer of trees by looking at all that is cheaper, shell after shell.

Between two cuts of the trees nothing changes, so of each stretch of values only the cheapest
matters: a row has few values a feature, and all points up to some cost can be listed. If none of
them is an answer, no answer is cheaper. That is faster than a solver while shells are small; a
relation between features can make other values the cheapest, and then a solver is asked.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from ifonly.models.reading import Trees, code_at, step_below
from ifonly.problem import Problem
from ifonly.search.exact.found import Found
from ifonly.search.exact.outcome import may_reach
from ifonly.space import Continuous

MOST = 400_000
"""The most points of a shell that are listed."""
BLOCK = 256
"""The points that the judge is shown at a time."""


@dataclass(eq=False)
class Shells:
    """The points of one row in the order of what they cost."""

    problem: Problem
    """Of one row, without relations."""
    reading: Trees
    taken: list[np.ndarray] = field(default_factory=list)
    """Points whose sets of changed features are no longer asked for."""

    def __post_init__(self) -> None:
        self.values = [self._values(j) for j in range(len(self.problem.space))]
        self.costs = [self._costs(j, values) for j, values in enumerate(self.values)]

    def find(self, known: float = np.inf) -> Found | None:
        """The nearest answer cheaper than a known one; None where the shells grow too large."""
        start = time.monotonic()
        whole = sum(float(costs.max()) for costs in self.costs)
        least = min((float(c[c > 0].min()) for c in self.costs if (c > 0).any()), default=0.0)
        edge = min(known, 4 * least) if known < np.inf else 4 * least
        below = 0.0
        while True:
            edge = min(edge, known)
            points = self._shell(below, edge)
            if points is None:
                return None
            answer = self._first(points)
            taken = time.monotonic() - start
            if answer is not None:
                return Found(answer, self._cost(answer), taken)
            if edge >= known or edge > whole:
                return Found(None, known, taken)
            below, edge = edge, 2 * edge

    def without(self, point: np.ndarray) -> None:
        """Ask for answers that change other features than a point [d] does."""
        self.taken.append(point)

    def _values(self, j: int) -> np.ndarray:
        """The codes of feature j that matter, the row's own first where it may stay."""
        box, own = self.problem.box, float(self.problem.x[0, j])
        space = self.problem.space
        keep = box.contains(self.problem.x[:, None])[0, 0, j]
        first = [own] if keep else []
        lost = [np.nan] if box.erase[0, j] and not np.isnan(own) else []
        if not space.continuous[j]:
            levels = np.flatnonzero(box.levels[0, space.offsets[j] : space.offsets[j + 1]])
            return np.array([*first, *(float(one) for one in levels if one != own), *lost])
        low, high = float(box.low[0, j]), float(box.high[0, j])
        if low > high:
            return np.array([*first, *lost])
        # The values at both ends of each stretch between two cuts: one is the nearest of it.
        feature = space.features[j]
        assert isinstance(feature, Continuous)
        cuts = np.concatenate([tree.cut[tree.feature == j] for tree in self.reading.trees])
        below = step_below(feature, cuts)
        ends = np.unique([*code_at(feature, below), *code_at(feature, below + 1), low, high])
        inside = ends[(ends >= low) & (ends <= high) & (ends != own)]
        return np.array([*first, *inside, *lost])

    def _costs(self, j: int, values: np.ndarray) -> np.ndarray:
        """What each value of feature j costs the row."""
        points = np.repeat(self.problem.x, len(values), axis=0)
        points[:, j] = values
        return np.asarray(self.problem.metric.prices(points, self.problem.x)[:, j])

    def _shell(self, below: float, edge: float) -> np.ndarray | None:
        """[n, d] the points that cost at least `below` and less than `edge`; None if too many."""
        points, costs = np.zeros((1, 0)), np.zeros(1)
        for values, prices in zip(self.values, self.costs, strict=True):
            if not len(values):
                return np.zeros((0, len(self.values)))
            total = costs[:, None] + prices
            row, place = np.nonzero(total < edge)
            if len(row) > MOST:
                return None
            points = np.concatenate([points[row], values[place][:, None]], axis=1)
            costs = total[row, place]
        inside = costs >= below
        points, costs = points[inside], costs[inside]
        return points[np.argsort(costs, kind="stable")]

    def _first(self, points: np.ndarray) -> np.ndarray | None:
        """[d] the first of points [n, d] that the judge takes for an answer."""
        changed = self.problem.changed(points[None])[0]
        asked = changed.any(axis=1)
        for point in self.taken:
            asked &= (changed != self.problem.changed(point[None, None])[0]).any(axis=1)
        points = points[asked]
        points = points[may_reach(self.reading, self.problem.goal, points)]
        for start in range(0, len(points), BLOCK):
            block = points[start : start + BLOCK]
            accepted = np.flatnonzero(self.problem.accepts(block[None])[0])
            if len(accepted):
                return np.asarray(block[accepted[0]])
        return None

    def _cost(self, point: np.ndarray) -> float:
        return float(self.problem.distance(point[None, None])[0, 0])
