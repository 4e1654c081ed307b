"""The squared loss on the probability, which the paper argues against; here to compare.

yloss = (y - f(c))^2 = 1 / (1 + exp(margin))^2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from array_api_compat import array_namespace

from ifonly.objective.l1 import shortfall
from ifonly.objective.term import Array, Margin


@final
@dataclass(frozen=True)
class L2:
    """The mean square of what the wanted outcome's probability lacks to one, over a set."""

    model: Margin

    def value(self, points: Array) -> Array:
        lack = shortfall(self.model.margin(points))
        return array_namespace(lack).mean(lack**2, axis=0)

    def gradient(self, points: Array) -> Array:
        margin, gradient = self.model.gradient(points)
        lack = shortfall(margin)
        return gradient * (-2.0 * lack**2 * (1.0 - lack) / margin.shape[0])

    def take(self, rows: Array) -> L2:
        return L2(self.model.take(rows))
