"""The nearest answer of trees by looking at all that is cheaper, shell after shell.

Between two cuts of the trees nothing changes, so of each stretch of values only the cheapest
matters: a row has few values a feature, and all points up to some cost can be listed. If none of
them is an answer, no answer is cheaper. That is faster than a solver while shells are small; a
relation between features can make other values the cheapest, and then a solver is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ifonly.models.reading import Trees, code_at, step_below
from ifonly.problem import Problem
from ifonly.search.exact.found import Clock, Found
from ifonly.search.exact.outcome import may_reach
from ifonly.space import Continuous

MOST = 400_000
"""The most points of a shell that are listed."""
BLOCK = 8192
"""The points that the reading is asked about at a time."""
JUDGED = 256
"""The points that the judge is shown at a time."""


@dataclass(eq=False)
class Shells:
    """The points of one row in the order of what they cost."""

    problem: Problem
    """Of one row, without relations."""
    reading: Trees
    taken: list[np.ndarray] = field(default_factory=list)
    """Points whose sets of changed features are no longer asked for."""
    floor: float = 0.0
    """What no answer costs less than, as far as shells have shown."""

    def __post_init__(self) -> None:
        self.values, self.costs = [], []
        for j in range(len(self.problem.space)):
            values = self._values(j)
            costs = self._costs(j, values)
            order = np.argsort(costs, kind="stable")
            self.values.append(values[order])
            self.costs.append(costs[order])

    def find(self, known: float, clock: Clock) -> Found | None:
        """The nearest answer cheaper than a known one; None where the shells grow too large."""
        if not all(map(len, self.values)):
            return Found(None, np.inf, clock.seconds)
        whole = sum(float(costs[-1]) for costs in self.costs)
        steps = [float(costs[costs > 0][0]) for costs in self.costs if (costs > 0).any()]
        edge = 4 * min(steps, default=np.inf)
        while True:
            edge = max(min(edge, known), self.floor)
            points = self._shell(edge)
            if points is None:
                return None
            answer = self._first(points, clock)
            if answer is not None:
                self.floor = self._cost(answer)
                return Found(answer, self.floor, clock.seconds)
            if clock.over:
                return Found(None, self.floor, clock.seconds)
            self.floor = edge
            if edge >= known or edge > whole:
                return Found(None, known, clock.seconds)
            edge *= 2

    def without(self, point: np.ndarray) -> None:
        """Ask for answers that change other features than a point [d] does."""
        self.taken.append(point)

    def _values(self, j: int) -> np.ndarray:
        """The codes of feature j that matter, the row's own where it may stay."""
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
        feature = space.features[j]
        assert isinstance(feature, Continuous)
        # The values at both ends of each stretch between two cuts: one is the nearest of it. Of
        # the row's own stretch, those beside its own value are the nearest that are a change.
        cuts = [tree.cut[tree.feature == j] for tree in self.reading.trees]
        below = step_below(feature, np.concatenate([*cuts, [] if np.isnan(own) else [own]]))
        beside = [code_at(feature, below + away) for away in (-1, 0, 1)]
        ends = np.unique(np.concatenate([*beside, [low, high]]))
        inside = ends[(ends >= low) & (ends <= high) & (ends != own)]
        return np.array([*first, *inside, *lost])

    def _costs(self, j: int, values: np.ndarray) -> np.ndarray:
        """What each value of feature j costs the row."""
        points = np.repeat(self.problem.x, len(values), axis=0)
        points[:, j] = values
        return np.asarray(self.problem.metric.prices(points, self.problem.x)[:, j])

    def _shell(self, edge: float) -> np.ndarray | None:
        """[n, d] the points that cost no less than the floor and less than `edge`, cheapest first.

        None where they are too many.
        """
        points, costs = np.zeros((1, 0)), np.zeros(1)
        for values, prices in zip(self.values, self.costs, strict=True):
            # A little more than fits, so that rounding leaves nothing out.
            count = np.searchsorted(prices, (edge - costs) * (1 + 1e-9), side="right")
            if count.sum() > MOST:
                return None
            row = np.repeat(np.arange(len(costs)), count)
            place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
            points = np.concatenate([points[row], values[place][:, None]], axis=1)
            costs = costs[row] + prices[place]
        inside = (costs >= self.floor * (1 - 1e-9)) & (costs < edge)
        points, costs = points[inside], costs[inside]
        return np.asarray(points[np.argsort(costs, kind="stable")])

    def _first(self, points: np.ndarray, clock: Clock) -> np.ndarray | None:
        """[d] the first of points [n, d] that the judge takes for an answer, while there is time.

        The floor rises to what has been looked at.
        """
        for start in range(0, len(points), BLOCK):
            block = points[start : start + BLOCK]
            self.floor = max(self.floor, self._cost(block[0]))
            if clock.over:
                return None
            asked = block[self._unlike(block)]
            asked = asked[may_reach(self.reading, self.problem.goal, asked)]
            for place in range(0, len(asked), JUDGED):
                judged = asked[place : place + JUDGED]
                accepted = np.flatnonzero(self.problem.accepts(judged[None])[0])
                if len(accepted):
                    return np.asarray(judged[accepted[0]])
        return None

    def _unlike(self, points: np.ndarray) -> np.ndarray:
        """bool [n]: the points [n, d] that change something, other features than those taken do."""
        changed = self.problem.changed(points[None])[0]
        asked = changed.any(axis=1)
        for point in self.taken:
            asked &= (changed != self.problem.changed(point[None, None])[0]).any(axis=1)
        return np.asarray(asked)

    def _cost(self, point: np.ndarray) -> float:
        return float(self.problem.distance(point[None, None])[0, 0])
