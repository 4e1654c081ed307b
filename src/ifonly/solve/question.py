"""What is asked about some rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.errors import OptionError
from ifonly.problem.budget import Budget
from ifonly.problem.goal import Target

SECONDS = 60.0
"""What a proof may take for a row unless the user says otherwise."""


@dataclass(frozen=True)
class Question:
    """The options of one question."""

    target: Target
    k: int
    threshold: float | None
    """Where the second of two classes begins, if the user states it."""
    certify: bool | float
    seed: int
    budget: Any
    progress: Callable[[int, int], None] | None
    keep: bool

    def __post_init__(self) -> None:
        _check_whole(self.k, "k", least=1)
        _check_whole(self.seed, "seed", least=0)
        given: Any = self.certify
        if not isinstance(given, bool | int | float) or (given is not False and not given > 0):
            raise OptionError(f"certify is {given!r}.", "It is True, or the most seconds per row.")

    @property
    def limit(self) -> Budget:
        """The budget."""
        return Budget.of(self.budget)

    @property
    def proof_seconds(self) -> float | None:
        """The seconds that a proof may take for a row; None where none is asked for."""
        if self.certify is False:
            return None
        return SECONDS if self.certify is True else float(self.certify)

    @property
    def options(self) -> dict[str, Any]:
        """What a record keeps of it."""
        limit = self.limit
        return {
            "target": _plain(self.target),
            "k": int(self.k),
            "threshold": self.threshold,
            "certify": self.certify,
            "seed": int(self.seed),
            "budget": {name: value for name, value in vars(limit).items() if value is not None}
            or None,
        }


def _plain(target: Any) -> Any:
    """A target without the types of numpy and pandas, which JSON does not hold."""
    if isinstance(target, np.generic):
        return target.item()
    if isinstance(target, tuple):
        return tuple(_plain(one) for one in target)
    if isinstance(target, list | np.ndarray) or hasattr(target, "to_list"):
        return [_plain(one) for one in target]
    return target


def _check_whole(value: Any, name: str, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(f"{name} is {value!r}.", f"It is a whole number of {least} or more.")
