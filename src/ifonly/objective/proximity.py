"""How far a set is from its row, on average.

    proximity = 1/k sum_i dist(c_i, x),    dist(a, b) = sum_w weight_w |a_w - b_w|

The weights make the distance in units the distance between codes (`Metric`): a continuous column
weighs its range in MADs, shared among the continuous features, and a one-hot column half a changed
category, since a changed category moves two columns by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ifonly.objective.array import Array, namespace, sign
from ifonly.space import Continuous, Metric, Space


@final
@dataclass(frozen=True)
class Proximity:
    """The mean distance of a set to its row `x` [w, 1, q] under column weights [w]."""

    x: Array
    weights: Array

    def value(self, points: Array) -> Array:
        xp = namespace(points)
        w, k, q = points.shape
        gaps = xp.abs(points - self.x).reshape((w, k * q))
        return xp.mean((self.weights @ gaps).reshape((k, q)), axis=0)

    def gradient(self, points: Array, scale: float = 1.0) -> Array:
        slope = sign(points - self.x)
        slope *= (self.weights / points.shape[1] * scale)[:, None, None]
        return slope

    def take(self, rows: Array) -> Proximity:
        xp = namespace(self.x)
        return Proximity(xp.take(self.x, rows, axis=2), self.weights)


def column_weights(space: Space, metric: Metric) -> np.ndarray:
    """[w] what one unit of each column adds to the distance."""
    weights = np.empty(space.offsets[-1])
    for j, feature in enumerate(space.features):
        width = feature.high - feature.low if isinstance(feature, Continuous) else 0.5
        weights[space.offsets[j] : space.offsets[j + 1]] = metric.scale[j] * width / metric.mad[j]
    return weights


def summed_weights(space: Space, metric: Metric) -> np.ndarray:
    """[w] the same, as the authors' code had it: the distance summed over the columns.

    The paper's text averages over features. A changed category then counts 2, not 1 / d_cat.
    """
    counts = np.where(space.continuous, space.continuous.sum(), 2 * (~space.continuous).sum())
    return np.asarray(column_weights(space, metric) * np.repeat(counts, np.diff(space.offsets)))
