"""A limit on what a question may cost."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.errors import OptionError


@dataclass(frozen=True)
class Budget:
    """The most seconds and model rows; nothing means no limit.

    A search looks at the time before each round, so that one round can end late. Model rows are
    never exceeded: what the model is not asked about is not an answer.
    """

    seconds: float | None = None
    model_rows: int | None = None

    @classmethod
    def of(cls, budget: Any) -> Budget:
        """The budget of a number of seconds, or of {'seconds': ..., 'model_rows': ...}."""
        if budget is None or isinstance(budget, cls):
            return budget or cls()
        limits = dict(budget) if isinstance(budget, Mapping) else {"seconds": budget}
        for name, limit in limits.items():
            wrong = isinstance(limit, bool) or not isinstance(limit, int | float | np.number)
            if name not in ("seconds", "model_rows") or wrong or not limit > 0:
                raise OptionError(
                    f"The budget has {name}={limit!r}.",
                    "Give seconds, such as budget=2, or budget={'model_rows': 100_000}.",
                )
        rows = limits.get("model_rows")
        if rows is not None:
            limits["model_rows"] = None if rows == float("inf") else int(rows)
        return cls(**limits)

    def deadline(self) -> float | None:
        """When the seconds are over, on the clock of time.monotonic."""
        return None if self.seconds is None else time.monotonic() + self.seconds
