"""What is proved of each row: how near an answer can be at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Proof:
    """Bounds on the price of every answer, and how long they took to prove."""

    bound: np.ndarray
    """[q] what no answer's price is below; inf: there is none, -inf: nothing is proved."""
    seconds: np.ndarray
    """[q]"""

    @classmethod
    def nothing(cls, q: int) -> Proof:
        """Of q rows nothing is proved."""
        return cls(np.full(q, -np.inf), np.zeros(q))

    def join(self, other: Proof) -> Proof:
        """What both prove of the same rows."""
        return Proof(np.maximum(self.bound, other.bound), self.seconds + other.seconds)
