"""What a search for the nearest answer of a row returns, and the time and work it may take."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

NODE = 5.0
"""How many boxes of trees a node of HiGHS costs about."""
TICKS = 5e-4
"""How much of CP-SAT's deterministic time a box costs about."""


@dataclass(frozen=True, eq=False)
class NearestAnswer:
    """The nearest answer to a row as far as it is known, and the bound of all answers."""

    point: np.ndarray | None
    """[d] its codes; None where none was found."""
    bound: float
    """What no answer costs less than; infinite where there is none."""


@dataclass
class Work:
    """What a row may still cost, in boxes; it is the same on any machine, unlike a time."""

    left: float

    @property
    def nodes(self) -> int:
        """The same in nodes of HiGHS, at least one."""
        return max(1, int(self.left / NODE))

    @property
    def ticks(self) -> float:
        """The same in CP-SAT's deterministic time."""
        return max(self.left, 1.0) * TICKS


@dataclass(frozen=True)
class Clock:
    """The time since a question was asked; `limit` are the seconds that it may take.

    `work` limits what it may cost besides; other questions may share it.
    """

    limit: float | None = None
    work: Work | None = None
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
        return self.left == 0.0 or (self.work is not None and self.work.left <= 0)

    def spend(self, work: float) -> None:
        """Note what was done."""
        if self.work is not None:
            self.work.left -= work
