"""A model that counts what it is asked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.models.direct import Direct
from ifonly.models.memo import Memo
from ifonly.models.protocol import Model


@dataclass
class Counted:
    """The user's `model`, a `route` to it for the search, and how often they were asked.

    The one mutable thing in a search; each call of `explain` has its own, so threads share none.
    """

    model: Model
    route: Model
    memo: Memo | None = None
    """What the route has said, where asking again costs more than remembering."""
    rows: int = 0
    calls: int = 0
    most_rows: int | None = None
    deadline: float | None = None
    """On the clock of time.monotonic."""

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.model.classes

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] the scores by the search's route; no rows, no call."""
        if self.memo is None:
            return self._asked(self.route, codes)
        if not len(codes):
            return self._nothing()
        return self.memo.scores(lambda new: self._asked(self.route, new), codes)

    def own_scores(self, codes: np.ndarray, decided: np.ndarray | None = None) -> np.ndarray:
        """[n, c] the scores of the user's model.

        Where its own decisions [n] are known, they may come by a direct route as far as they
        agree with them; whatever does not is asked of the model itself.
        """
        if decided is None or not isinstance(self.route, Direct):
            return self._asked(self.model, codes)
        scores = self._asked(self.route, codes)
        wrong = scores.argmax(axis=1) != decided
        scores[wrong] = self._asked(self.model, codes[wrong])
        return scores

    def decide(self, codes: np.ndarray, *, by_route: bool = False) -> np.ndarray | None:
        """[n] the user's model's own decisions, or None where scores decide.

        `by_route` takes a route with the same bits; the judge does without.
        """
        short = by_route and isinstance(self.route, Direct)
        decided = (self.route if short else self.model).decide(codes) if len(codes) else None
        if decided is None:
            return None
        self.count(len(codes))
        return np.asarray(decided)

    def count(self, rows: int, calls: int = 1) -> None:
        """Note that the model was asked, by whatever way."""
        self.rows += rows
        self.calls += calls

    @property
    def spent(self) -> bool:
        """Whether the budget is used up; strategies look before each round."""
        late = self.deadline is not None and time.monotonic() >= self.deadline
        return late or (self.most_rows is not None and self.rows >= self.most_rows)

    def _asked(self, model: Model, codes: np.ndarray) -> np.ndarray:
        if not len(codes):
            return self._nothing()
        self.count(len(codes))
        return np.asarray(model.scores(codes))

    def _nothing(self) -> np.ndarray:
        return np.empty((0, max(1, len(self.classes))))
