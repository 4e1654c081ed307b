"""A model that counts what it is asked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.models.protocol import Model


@dataclass
class Counted:
    """A model and the number of rows and calls it has answered.

    The one mutable thing in a search; each call of `explain` has its own, so threads share none.
    """

    model: Model
    rows: int = 0
    calls: int = 0
    most_rows: int | None = None
    deadline: float | None = None
    """On the clock of time.monotonic."""

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.model.classes

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """The model's scores [n, c]; no rows, no call."""
        if not len(codes):
            return np.empty((0, max(1, len(self.classes))))
        self.count(len(codes))
        return np.asarray(self.model.scores(codes))

    def decide(self, codes: np.ndarray) -> np.ndarray | None:
        """The model's own decisions [n], or None where scores decide."""
        if not len(codes):
            return None
        decided = self.model.decide(codes)
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
