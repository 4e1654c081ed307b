"""Training rows that a search starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.models.emulator import Emulator
from ifonly.problem.goal import Goal


@dataclass(frozen=True)
class Reference:
    """Training rows: `codes` [n, d] and the model's `scores` [n, c] of them."""

    codes: np.ndarray
    scores: np.ndarray
    emulator: Emulator | None = None
    """A cheap model fitted to them, where the method needs one."""

    def margin(self, goal: Goal, q: int) -> np.ndarray:
        """[q, n] the margins of the rows for each of q goals."""
        return goal.margin(np.broadcast_to(self.scores, (q, *self.scores.shape)))
