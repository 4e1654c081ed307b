"""Actions that were tried on some of the refused rows, and which of them are worth a closer look.

An action is compared with others by two figures: how many rows it works for, and its mean cost over
these rows. The *frontier* is what no other action beats in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ifonly.fairness.actions.action import Action, applied
from ifonly.fairness.one_pass import Pass


@dataclass(frozen=True, eq=False)
class Tried:
    """Actions, and what they cost some of the refused rows of a pass."""

    done: Pass
    rows: np.ndarray
    """[n] the positions of the rows among the refused ones."""
    actions: tuple[Action, ...]
    cost: np.ndarray
    """[n, a] infinite where an action does not work."""

    @classmethod
    def of(cls, done: Pass, rows: np.ndarray, actions: Iterable[Action]) -> Tried:
        """Some actions, tried."""
        return cls(done, rows, (), np.empty((len(rows), 0))).also(actions)

    def also(self, actions: Iterable[Action]) -> Tried:
        """With those of some actions that were not tried yet, shorter ones first."""
        new = sorted({*actions} - {*self.actions}, key=lambda one: (len(one.steps), one))
        cost = np.hstack([self.cost, judged(self.done, new, self.rows)])
        return Tried(self.done, self.rows, (*self.actions, *new), cost)

    @cached_property
    def count(self) -> np.ndarray:
        """[a] how many rows each action works for."""
        return np.asarray(np.isfinite(self.cost).sum(axis=0))

    @cached_property
    def mean(self) -> np.ndarray:
        """[a] the mean cost over these rows; infinite where there are none."""
        total = np.where(np.isfinite(self.cost), self.cost, 0.0).sum(axis=0)
        mean = (total / np.maximum(self.count, 1)).round(12)
        return np.where(self.count > 0, mean, np.inf)

    @cached_property
    def order(self) -> np.ndarray:
        """The positions of the actions that work: for the most rows first, then by mean cost."""
        order = np.lexsort((self.mean, -self.count))
        return np.asarray(order[self.count[order] > 0])

    def best(self, most: int) -> list[Action]:
        """Those that work for the most rows, and of as many at the lowest mean cost."""
        return self._at(self.order[:most])

    def frontier(self, most: int) -> list[Action]:
        """Those on the frontier; of more than `most`, some, evenly spread."""
        found = self.order[self._first(self.order)]
        if len(found) > most:
            found = found[np.linspace(0, len(found) - 1, most).round().astype(np.intp)]
        return self._at(found)

    def near(self, low: float, high: float, layers: int) -> list[Action]:
        """Those that work for a share of the rows between two, on the frontier or just behind.

        Behind it is the frontier of the rest, and so on, `layers` in all: what is behind by chance
        on some rows may be on the frontier of all.
        """
        left, found = self.order, []
        for _ in range(layers):
            first = self._first(left)
            found.append(left[first])
            left = left[~first]
        every = np.concatenate(found)
        share = self.count[every] / max(1, len(self.rows))
        return self._at(every[(low <= share) & (share <= high)])

    def _first(self, places: np.ndarray) -> np.ndarray:
        """bool: which of some actions, in their order, cost less than all before them."""
        mean = self.mean[places]
        return np.asarray(mean < np.minimum.accumulate(np.append(np.inf, mean))[:-1])

    def _at(self, places: np.ndarray) -> list[Action]:
        return [self.actions[place] for place in places]


def judged(done: Pass, actions: Sequence[Action], rows: np.ndarray) -> np.ndarray:
    """[n, m] what actions cost some of the refused rows [n]; infinite where they do not work."""
    if not len(actions):
        return np.empty((len(rows), 0))
    points = applied(done.space, actions, done.rows[rows])
    price = np.asarray(done.metric.cost(points, done.rows[rows][:, None]))
    return np.where(done.works(points, rows), price, np.inf)
