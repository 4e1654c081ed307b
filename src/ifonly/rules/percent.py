"""Rules that bound a change by a share of the row's own value: `income changes by at most 10%`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.intervals import Shift, check_number
from ifonly.rules.language.dates import Written, to_number
from ifonly.rules.rule import Rule
from ifonly.space import Space

Amount = float | str
"""By how much a number changes: a number, or a share of the row's own value such as '10%'."""


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


def shift(name: str, way: str, least: Amount, most: Amount | None) -> Rule:
    """The rule of amounts as Python gives them: numbers, or shares as text, such as '10%'."""
    given = [end for end in (least, most) if end not in (None, 0)]
    texts = [end for end in given if isinstance(end, str) and end.endswith("%")]
    try:
        if not any(isinstance(end, str) and not _is_duration(end) for end in given):
            return Shift(name, way, least, most)  # type: ignore[arg-type]
        shares = [float(end.removesuffix("%")) for end in texts]
    except ValueError:
        shares = []
    if len(shares) < len(given):
        listed = " and ".join(map(repr, given))
        raise RuleError(
            f"{name!r} {way} by {listed}.", "Give numbers, or shares of its value such as '10%'."
        )
    ends = iter(shares)
    low, high = (next(ends) if isinstance(end, str) else end for end in (least, most))
    return PercentShift(name, way, low, high)  # type: ignore[arg-type]


def _is_duration(text: str) -> bool:
    return not text.endswith("%") and isinstance(to_number(text), Written)
