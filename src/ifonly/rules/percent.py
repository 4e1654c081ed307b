"""Rules that bound a change by a share of the row's own value: `income changes by at most 10%`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ifonly.rules.intervals import Shift, check_number
from ifonly.space import Space


@dataclass(frozen=True)
class PercentShift(Shift):
    """A number that goes up, or down, or changes, by a share of the size of the row's own value.

    A share of 0 is 0: a value of 0 does not change by at most 10%, and increases by at least 10%
    wherever it increases.
    """

    kind: ClassVar[str] = "shift in percent"
    unit: ClassVar[str] = "%"

    def check(self, space: Space) -> None:
        check_number(space, self.name, self)

    def amounts(self, own: np.ndarray) -> tuple[Any, Any]:
        size = np.abs(own) / 100
        return self.least * size, self.most * size if math.isfinite(self.most) else math.inf
