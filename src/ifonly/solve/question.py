"""What is asked about some rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.errors import OptionError
from ifonly.problem.budget import Budget


@dataclass(frozen=True)
class Question:
    """The options of one call of `explain`."""

    target: Any
    k: int
    threshold: float | None
    """Where the second of two classes begins, if the user states it."""
    seed: int
    budget: Any
    progress: Callable[[int, int], None] | None
    keep: bool

    def __post_init__(self) -> None:
        _check_whole(self.k, "k", least=1)
        _check_whole(self.seed, "seed", least=0)

    @property
    def limit(self) -> Budget:
        """The budget."""
        return Budget.of(self.budget)

    @property
    def options(self) -> dict[str, Any]:
        """What a record keeps of it."""
        return {
            "k": self.k,
            "seed": self.seed,
            "threshold": self.threshold,
            "budget": None if self.budget is None else str(self.budget),
        }


def _check_whole(value: Any, name: str, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(f"{name} is {value!r}.", f"It is a whole number of {least} or more.")
