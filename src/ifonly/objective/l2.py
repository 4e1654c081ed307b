"""The squared loss on the probability, which the paper argues against; here to compare.

yloss = (y - f(c))^2 = 1 / (1 + exp(margin))^2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ifonly.objective.array import Array, namespace
from ifonly.objective.l1 import shortfall
from ifonly.objective.term import Margin


@final
@dataclass(frozen=True)
class L2:
    """The mean square of what the wanted outcome's probability lacks to one, over a set."""

    model: Margin

    def value(self, points: Array) -> Array:
        lack = shortfall(self.model.margin(points))
        return namespace(lack).mean(lack**2, axis=0)

    def gradient(self, points: Array) -> Array:
        margin, gradient = self.model.gradient(points)
        lack = shortfall(margin)
        return gradient * (-2.0 * lack**2 * (1.0 - lack) / margin.shape[0])

    def press(self, points: Array) -> L2:
        return self  # it asks for all that there is already

    def take(self, rows: Array) -> L2:
        return L2(self.model.take(rows))
