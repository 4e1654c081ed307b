"""The paper's loss: a set goes in, one number per row comes out.

    loss = 1/k sum_i yloss(f(c_i), y)  +  lambda1/k sum_i dist(c_i, x)
           -  lambda2 det K(c_1, ..., c_k)                               (the paper, equation 4)

with lambda1 = 0.5 and lambda2 = 1, plus a penalty that keeps the columns of categories one-hot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from array_api_compat import device

from ifonly.objective.array import Array, namespace
from ifonly.objective.diversity import Diversity, pair_maps
from ifonly.objective.hinge import Hinge
from ifonly.objective.onehot import OneHot, column_blocks
from ifonly.objective.proximity import Proximity, column_weights, summed_weights
from ifonly.objective.term import Margin, Outcome
from ifonly.space import Metric, Space


@final
@dataclass(frozen=True)
class Loss:
    """Equation 4 for the rows of a batch."""

    outcome: Outcome
    proximity: Proximity
    diversity: Diversity
    onehot: OneHot
    lambda1: float = 0.5
    lambda2: float = 1.0
    penalty: float = 1.0

    @classmethod
    def of(
        cls,
        space: Space,
        metric: Metric,
        x: Array,
        model: Margin,
        k: int,
        *,
        lambda1: float = 0.5,
        lambda2: float = 1.0,
        penalty: float = 1.0,
        summed: bool = False,
        yloss: Callable[[Margin], Outcome] = Hinge,
    ) -> Loss:
        """The loss for sets of k around the rows x, units [q, w], with the hinge or another yloss.

        Its arrays live where x lives, in the precision of x. `summed` takes the distance as the
        authors' code did: summed over the columns in K, and divided by their number in the
        proximity.
        """
        xp = namespace(x)

        def beside_x(array: np.ndarray) -> Array:
            return xp.asarray(array, dtype=x.dtype, device=device(x))

        near = apart = column_weights(space, metric)
        if summed:
            apart = summed_weights(space, metric)
            near = apart / len(apart)
        contrast, spread = pair_maps(k)
        return cls(
            yloss(model),
            Proximity(xp.asarray(x.T[:, None, :], copy=True), beside_x(near)),
            Diversity(*map(beside_x, (apart, contrast, spread, np.eye(k)[:, :, None]))),
            OneHot(beside_x(column_blocks(space))),
            lambda1,
            lambda2,
            penalty,
        )

    def value(self, points: Array) -> Array:
        """[q] the loss of the sets `points` [w, k, q]."""
        return (
            self.outcome.value(points)
            + self.objective(points)
            + self.penalty * self.onehot.value(points)
        )

    def objective(self, points: Array) -> Array:
        """[q] the part that answers are compared by: lambda1 proximity - lambda2 diversity."""
        objective = self.lambda1 * self.proximity.value(points)
        if self.lambda2:
            objective = objective - self.lambda2 * self.diversity.value(points)
        return objective

    def gradient(self, points: Array) -> Array:
        """[w, k, q] the derivative of each row's loss by its points."""
        gradient = self.outcome.gradient(points)
        gradient += self.proximity.gradient(points, self.lambda1)
        gradient += self.onehot.gradient(points, self.penalty)
        if self._compares(points):
            gradient += self.diversity.gradient(points, -self.lambda2)
        return gradient

    def faults(self, points: Array) -> tuple[Array, Array]:
        """[k, q] bool: which points are on the wrong side, and which are that or repeated.

        Without diversity no point sees another, and none is called a repeat.
        """
        wrong = self.outcome.model.margin(points) <= 0.0
        if not self._compares(points):
            return wrong, wrong
        return wrong, wrong | (self.diversity.repeats(points) > 0.0)

    def take(self, rows: Array) -> Loss:
        """The loss of some of the rows, given as indices."""
        return replace(self, outcome=self.outcome.take(rows), proximity=self.proximity.take(rows))

    def _compares(self, points: Array) -> bool:
        """Whether the points of a set see each other; det K of one point is 1 wherever it is."""
        return bool(self.lambda2) and points.shape[1] > 1
