"""The penalty that makes the columns of a category sum to one.

    penalty = 1/k sum_i sum_f (sum of c_i over the columns of f - 1)^2

over the categorical features f (the paper, section 'Relative scale of features').
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ifonly.objective.array import Array, namespace
from ifonly.space import Categorical, Space


@final
@dataclass(frozen=True)
class OneHot:
    """The mean penalty over a set; `blocks` [f, w] has a 1 where a column belongs to f."""

    blocks: Array

    def value(self, points: Array) -> Array:
        xp = namespace(points)
        excess = self._excess(points).reshape((-1, *points.shape[1:]))
        return xp.mean(xp.sum(excess**2, axis=0), axis=0)

    def gradient(self, points: Array, scale: float = 1.0) -> Array:
        slope = (2.0 * scale / points.shape[1] * self.blocks.T) @ self._excess(points)
        return slope.reshape(points.shape)

    def take(self, rows: Array) -> OneHot:
        return self

    def _excess(self, points: Array) -> Array:
        """[f, k * q] by how much each category's columns exceed one."""
        w, k, q = points.shape
        return self.blocks @ points.reshape((w, k * q)) - 1.0


def column_blocks(space: Space) -> np.ndarray:
    """[f, w] which columns belong to each categorical feature."""
    categories = [j for j, feature in enumerate(space.features) if isinstance(feature, Categorical)]
    blocks = np.zeros((len(categories), space.offsets[-1]))
    for row, j in enumerate(categories):
        blocks[row, space.offsets[j] : space.offsets[j + 1]] = 1.0
    return blocks
