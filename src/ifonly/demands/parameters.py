"""The demand that an answer stays one however the parameters of the model move a little."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ifonly.errors import OptionError
from ifonly.models.reading import Layers, Reading
from ifonly.problem.goal import Goal
from ifonly.space import Space


@dataclass(frozen=True, eq=False)
class Parameters:
    """Layers of which every weight and bias may move by `delta`."""

    layers: Layers
    delta: float
    known: bool = True
    """Whether the layers say something of all values of the rows."""
    asks: ClassVar[int] = 0

    def __str__(self) -> str:
        return f"every parameter may move by {self.delta:g}"

    def margin(self, goal: Goal, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        """[n] how far points [n, d] stay inside the target, in the margins of the layers."""
        if not self.known:
            return np.full(len(points), -np.inf)
        low, high = self.bounds(points)
        low, high = low - self.layers.rounding, high + self.layers.rounding
        if not self.layers.classes:
            return np.minimum(low[:, 0] - goal.low, goal.high - high[:, 0])
        cut = 0.0 if goal.threshold is None else np.log(goal.threshold / (1 - goal.threshold))
        if low.shape[1] == 1:
            return np.where(goal.wanted == 1, low[:, 0] - cut, cut - high[:, 0])
        rows = np.arange(len(points))
        own, others = low[rows, goal.wanted], high.copy()
        others[rows, goal.wanted] = -np.inf
        if goal.avoided is not None:
            avoided = high[rows, goal.wanted]
            rest = low.copy()
            rest[rows, goal.wanted] = -np.inf
            lead = rest.max(axis=1) - avoided
            return np.where(goal.avoided, lead, own - others.max(axis=1))
        return np.asarray(own - others.max(axis=1) - np.where(goal.wanted == 1, cut, -cut))

    def bounds(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[n, c] twice: the least and the greatest margins of points [n, d].

        Each layer is exact for the values that reach it; layers after the first may take more of
        them to be possible together than are.
        """
        (kernel, bias), *rest = self.layers.layers
        units, gaps = self.layers.space.units(points), np.isnan(points)
        middle = units @ kernel + bias + gaps @ self.layers.missing
        moved = np.abs(units).sum(axis=1, keepdims=True) + gaps.sum(axis=1, keepdims=True) + 1
        low, high = middle - self.delta * moved, middle + self.delta * moved
        for kernel, bias in rest:
            low, high = np.maximum(low, 0), np.maximum(high, 0)
            least, most = kernel - self.delta, kernel + self.delta
            low, high = (
                low @ np.maximum(least, 0) + high @ np.minimum(least, 0) + bias - self.delta,
                high @ np.maximum(most, 0) + low @ np.minimum(most, 0) + bias + self.delta,
            )
        return low, high

    def over(self, space: Space) -> Parameters:
        """The demand as nothing meets it: no layers are known for values that the data lack."""
        return replace(self, known=False)


def parameters_of(reading: Reading | None, delta: float, unread: str) -> Parameters:
    """The demand on a model that was read into layers; another is refused."""
    if isinstance(reading, Layers):
        return Parameters(reading, delta)
    why = unread or "It is read into trees, which have none."
    raise OptionError(
        f"robust=Within({delta:g}) needs the parameters of a linear model or a network of ReLU. "
        f"{why}",
        "Use ifonly.Refits(fit, data, outcome), which takes any model.",
    )
