"""Values tried one by one, and what the model says of them; rules and causes are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ifonly.answers.reasons.scale import Scale
from ifonly.answers.views import Shown
from ifonly.models import Counted
from ifonly.models.decision import Labels
from ifonly.models.routes.lookup import Lookup
from ifonly.problem.goal import Goal
from ifonly.solve.source import MOST_ASKED, Source
from ifonly.space import Continuous
from ifonly.space.table.carry import tagged

CELLS = 4_000_000
"""The most values of the points of one call: about 32 MB."""


@dataclass(frozen=True, eq=False)
class Values:
    """Every value of every feature, one after the other: v of them, of f features."""

    shown: list[Shown]
    values: list[np.ndarray]
    """[n, columns] for each feature."""

    @cached_property
    def ends(self) -> np.ndarray:
        """[f + 1] where the values of each feature begin."""
        return np.cumsum([0, *map(len, self.values)])

    @cached_property
    def owner(self) -> np.ndarray:
        """[v] the feature of each value."""
        return np.repeat(np.arange(len(self.values)), np.diff(self.ends))

    @cached_property
    def column_owner(self) -> np.ndarray:
        """[d] the feature of each column."""
        places = [(j, place) for place, one in enumerate(self.shown) for j in one.columns]
        return np.array([place for _, place in sorted(places)])

    def apart(self, place: int, x: np.ndarray) -> np.ndarray:
        """[n, values] how far the values of a feature are from those of x [n, d]; 0 of levels."""
        one, values = self.shown[place], self.values[place]
        if not isinstance(one.features[0], Continuous):
            return np.zeros((len(x), len(values)))
        return np.asarray(np.nan_to_num(np.abs(values[:, 0] - x[:, one.columns])))

    def around(self, points: np.ndarray) -> np.ndarray:
        """[n, v, d] points [n, d], each with one feature at one of its values."""
        moved = np.repeat(points[:, None], self.ends[-1], axis=1)
        pairs = zip(self.shown, self.values, self.ends[:-1], strict=True)
        for one, values, start in pairs:
            moved[:, start : start + len(values), one.columns] = values
        return moved


@dataclass(frozen=True, eq=False)
class Asker:
    """What the model says of points of some rows, on one scale."""

    source: Source
    model: Counted

    @cached_property
    def scale(self) -> Scale:
        """What margins are measured in."""
        return Scale.of(self.source.setting)

    @property
    def most(self) -> int:
        """About how many points are asked about in one call."""
        return int(min(MOST_ASKED, CELLS // self.source.batch.x.shape[1]))

    def own(self, points: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of points [n, ..., d] of rows [n]: margins, and whether they have the wanted outcome.

        The user's own model says so.
        """
        each = self._each(points, rows)
        goal = self._goal(each)
        itself = Counted(self.model.model, self.model.model)
        decided, scores = itself.own(self._tagged(points, each), decide=not goal.by_scores)
        self.model.count(itself.rows, itself.calls)
        margin, met = _known(self.scale.margin(goal, scores)), goal.reached(scores, decided)
        return margin.reshape(points.shape[:-1]), met.reshape(points.shape[:-1])

    def by_route(self, points: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """[n, ...] what points [n, ..., d] of rows [n] are compared by, by the fastest route."""
        each = self._each(points, rows)
        scores, goal = self.model.scores(self._tagged(points, each)), self._goal(each)
        plain = isinstance(self.model.route, Labels | Lookup)  # labels, or logits already
        margin = goal.margin(scores[:, None])[:, 0] if plain else self.scale.margin(goal, scores)
        return _known(margin).reshape(points.shape[:-1])

    def parts(self, rows: np.ndarray, each: int) -> Iterator[np.ndarray]:
        """Rows in parts of which one call of the model holds `each` points per row."""
        size = max(1, self.most // max(each, 1))
        return (rows[start : start + size] for start in range(0, len(rows), size))

    def _each(self, points: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.repeat(rows, int(np.prod(points.shape[1:-1])))

    def _goal(self, rows: np.ndarray) -> Goal:
        """The wanted outcome itself, without what is demanded beyond it."""
        return replace(self.source.batch.goal.take(rows), beyond=None)

    def _tagged(self, points: np.ndarray, rows: np.ndarray) -> np.ndarray:
        places = self.source.batch.places
        flat = points.reshape(-1, points.shape[-1])
        return tagged(flat, None if places is None else places[rows])


def _known(margin: np.ndarray) -> np.ndarray:
    """Margins of which those that the model fails for are the lowest."""
    return np.where(np.isnan(margin), -np.inf, margin)
