"""The paper's loss: a set goes in, one number a row comes out.

    loss = 1/k sum_i yloss(f(c_i), y)  +  lambda1/k sum_i dist(c_i, x)
           -  lambda2 det K(c_1, ..., c_k)                               (the paper, equation 4)

with lambda1 = 0.5 and lambda2 = 1, plus a penalty that keeps the columns of categories one-hot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np
from array_api_compat import array_namespace, device

from ifonly.objective.diversity import Diversity, pair_maps
from ifonly.objective.hinge import Hinge
from ifonly.objective.onehot import OneHot, column_blocks
from ifonly.objective.proximity import Proximity, column_weights
from ifonly.objective.term import Array, Margin, Outcome
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
        k: int,
        model: Margin,
        kernel="mean",
        **options: float,
    ) -> Loss:
        """The loss with the hinge for sets of k around the rows x, units [q, w].

        Its arrays live where `x` lives, in the precision of `x`. `options` are lambda1, lambda2 and
        penalty; `dataclasses.replace` puts another outcome term in.
        """
        xp = array_namespace(x)

        def like_x(array: np.ndarray) -> Array:
            return xp.asarray(array, dtype=x.dtype, device=device(x))

        weights = like_x(column_weights(space, metric))
        kw = weights
        if kernel == "sum":
            cont = np.asarray(space.continuous)
            n = np.where(cont, cont.sum(), 2 * (~cont).sum())
            kw = weights * like_x(np.repeat(n, np.diff(space.offsets)))
        contrast, spread = map(like_x, pair_maps(k))
        return cls(
            Hinge(model),
            Proximity(xp.asarray(x.T[:, None, :], copy=True), weights),
            Diversity(kw, contrast, spread, like_x(np.eye(k)[:, :, None])),
            OneHot(like_x(column_blocks(space))),
            **options,
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
        gradient += self.lambda1 * self.proximity.gradient(points)
        gradient += self.penalty * self.onehot.gradient(points)
        if self.lambda2 and points.shape[1] > 1:  # one point alone has det K = 1 wherever it is
            gradient -= self.lambda2 * self.diversity.gradient(points)
        return gradient

    def margin(self, points: Array) -> Array:
        """[k, q] how far each point is on the wanted side."""
        return self.outcome.model.margin(points)

    def take(self, rows: Array) -> Loss:
        """The loss of some of the rows, given as indices."""
        return replace(self, outcome=self.outcome.take(rows), proximity=self.proximity.take(rows))
