"""What a selector is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem


@runtime_checkable
class Selector(Protocol):
    """A way to choose a set of answers from a pool."""

    def select(self, problem: Problem, pool: Pool, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The chosen points [q, k, d], nearest first, and which places are filled, bool [q, k]."""
