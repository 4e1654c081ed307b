"""The absolute loss on the probability, which the paper argues against; here to compare.

    yloss = |y - f(c)| = 1 / (1 + exp(margin))

It goes on asking for a higher probability after the outcome is as wanted, and its slope fades
where the model is sure of itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ifonly.objective.array import Array, namespace
from ifonly.objective.term import Margin


@final
@dataclass(frozen=True)
class L1:
    """The mean of what the wanted outcome's probability lacks to one, over a set."""

    model: Margin

    def value(self, points: Array) -> Array:
        lack = shortfall(self.model.margin(points))
        return namespace(lack).mean(lack, axis=0)

    def gradient(self, points: Array) -> Array:
        margin, gradient = self.model.gradient(points)
        lack = shortfall(margin)
        return gradient * (-lack * (1.0 - lack) / margin.shape[0])

    def press(self, points: Array) -> L1:
        return self  # it asks for all that there is already

    def take(self, rows: Array) -> L1:
        return L1(self.model.take(rows))


def shortfall(margin: Array) -> Array:
    """1 / (1 + exp(margin)), written with tanh, which cannot overflow."""
    return 0.5 - 0.5 * namespace(margin).tanh(0.5 * margin)
