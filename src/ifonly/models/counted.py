"""A model that counts what it is asked."""

from __future__ import annotations

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

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.model.classes

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """The model's scores [n, c]; no rows, no call."""
        if not len(codes):
            return np.empty((0, max(1, len(self.classes))))
        self._count(codes)
        return np.asarray(self.model.scores(codes))

    def decide(self, codes: np.ndarray) -> np.ndarray | None:
        """The model's own decisions [n], or None where scores decide."""
        if not len(codes):
            return None
        decided = self.model.decide(codes)
        if decided is not None:
            self._count(codes)
        return None if decided is None else np.asarray(decided)

    def _count(self, codes: np.ndarray) -> None:
        self.rows += len(codes)
        self.calls += 1
