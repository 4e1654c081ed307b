"""The hinge loss on the margin: no wish to go further than a little past the boundary.

    yloss = max(0, 1 - z logit(f(c)))        (the paper, section 'Choice of yloss')

z is 1 or -1 as the wanted outcome is 1 or 0, so that z logit(f(c)) is the margin. The slope does
not fade where the model is saturated.

The margin of a point between the levels of a category says little about the point that it settles
on. A point that settles on the wrong side can be pressed: with pressure p its loss becomes
p max(0, p - margin). The paper's loss is p = 1, where every point starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ifonly.objective.array import Array, namespace
from ifonly.objective.term import Margin


@final
@dataclass(frozen=True)
class Hinge:
    """The mean hinge loss over a set; `pressure` is 1, or [k, q]."""

    model: Margin
    pressure: Array = 1.0

    def value(self, points: Array) -> Array:
        lack = self.pressure - self.model.margin(points)
        xp = namespace(lack)
        return xp.mean(self.pressure * xp.where(lack > 0.0, lack, xp.zeros_like(lack)), axis=0)

    def gradient(self, points: Array) -> Array:
        margin, gradient = self.model.gradient(points)
        return gradient * ((margin < self.pressure) * (self.pressure * (-1.0 / margin.shape[0])))

    def press(self, points: Array) -> Hinge:
        return Hinge(self.model, self.pressure + points)

    def take(self, rows: Array) -> Hinge:
        pressure = self.pressure
        if not isinstance(pressure, float):
            pressure = namespace(pressure).take(pressure, rows, axis=1)
        return Hinge(self.model.take(rows), pressure)
