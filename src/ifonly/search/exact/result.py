"""What a search for the nearest answer of a row returns, and the time that it may take."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class NearestAnswer:
    """The nearest answer to a row as far as it is known, and the bound of all answers."""

    point: np.ndarray | None
    """[d] its codes; None where none was found."""
    bound: float
    """What no answer costs less than; infinite where there is none."""


@dataclass(frozen=True)
class Clock:
    """The time since a question was asked; `limit` are the seconds that it may take."""

    limit: float | None = None
    start: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """What is gone."""
        return time.monotonic() - self.start

    @property
    def left(self) -> float | None:
        """What is left, never below 0; None where there is no limit."""
        return None if self.limit is None else max(0.0, self.limit - self.seconds)

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.left == 0.0
