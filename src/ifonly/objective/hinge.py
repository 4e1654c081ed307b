"""The hinge loss on the margin: no wish to go further than a little past the boundary.

    yloss = max(0, 1 - z logit(f(c)))        (the paper, section 'Choice of yloss')

z is 1 or -1 as the wanted outcome is 1 or 0, so that z logit(f(c)) is the margin. The slope does
not fade where the model is saturated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from array_api_compat import array_namespace

from ifonly.objective.term import Array, Margin


@final
@dataclass(frozen=True)
class Hinge:
    """The mean hinge loss over a set."""

    model: Margin
    pressure: Array | float = 1.0

    def value(self, points: Array) -> Array:
        margin = self.model.margin(points)
        xp = array_namespace(margin)
        lack = self.pressure - margin
        return xp.mean(self.pressure * xp.where(lack > 0.0, lack, xp.zeros_like(lack)), axis=0)

    def gradient(self, points: Array) -> Array:
        margin, gradient = self.model.gradient(points)
        xp = array_namespace(margin)
        return gradient * (xp.astype(margin < self.pressure, margin.dtype) * (-self.pressure / margin.shape[0]))

    def take(self, rows: Array) -> Hinge:
        p = self.pressure
        return Hinge(self.model.take(rows), p if isinstance(p, float) else array_namespace(p).take(p, rows, axis=1))
