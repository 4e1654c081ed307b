"""How different the points of a set are from each other.

    diversity = det K,    K_ij = 1 / (1 + dist(c_i, c_j))          (the paper, equation 1)

Points become the gaps of their pairs, gaps become K, and K its determinant; the gradient walks the
same road back, each linear map transposed. The derivative of the determinant is the adjugate,
det(K) times the inverse. K is positive definite while the points differ and singular where two are
equal: the inverse is then infinite and the adjugate is not, so that both come from one elimination,
whose pivots cancel between the two. Nothing is added to the diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from array_api_compat import device

from ifonly.objective.array import Array, namespace, sign
from ifonly.space.distance import similarity


@final
@dataclass(frozen=True)
class Diversity:
    """det K of a set under column weights [w]; p is the number of pairs, k (k - 1) / 2."""

    weights: Array
    contrast: Array
    """[p, k] from points to the gaps of pairs: 1 for the first of a pair, -1 for the second."""
    spread: Array
    """[k * k, p] from pairs to the two places of each in K."""
    identity: Array
    """[k, k, 1]"""

    def value(self, points: Array) -> Array:
        _, matrix = self._kernel(differences(points))
        return adjugate(matrix)[1]

    def gradient(self, points: Array, scale: float = 1.0) -> Array:
        gaps = differences(points)
        kernel, matrix = self._kernel(gaps)
        by_entry, _ = adjugate(matrix)
        by_kernel = self.spread.T @ by_entry.reshape((-1, points.shape[2]))
        by_gap = sign(gaps)
        by_gap *= by_kernel * kernel**2
        slope = self.contrast.T @ by_gap
        slope *= (-scale * self.weights)[:, None, None]
        return slope

    def repeats(self, points: Array) -> Array:
        """[k, q] how many earlier points of its set each point repeats."""
        kernel, _ = self._kernel(differences(points))
        xp = namespace(points)
        later = xp.astype(self.contrast.T < 0.0, points.dtype)
        return later @ xp.astype(kernel == 1.0, points.dtype)

    def take(self, rows: Array) -> Diversity:
        return self

    def _kernel(self, gaps: Array) -> tuple[Array, Array]:
        """[p, q] the kernel of each pair's gaps [w, p, q], and [k, k, q] the matrix K."""
        xp = namespace(gaps)
        w, p, q = gaps.shape
        k = self.identity.shape[0]
        distance = (self.weights @ xp.abs(gaps).reshape((w, p * q))).reshape((p, q))
        kernel = similarity(distance)
        return kernel, (self.spread @ kernel).reshape((k, k, q)) + self.identity


def adjugate(matrix: Array) -> tuple[Array, Array]:
    """[k, k, q] the adjugates of positive semidefinite matrices [k, k, q], and [q] determinants.

    Gauss-Jordan elimination by symmetric sweeps, for all matrices at once. No pivoting is needed
    where no pivot can exceed the diagonal; a pivot that rounding leaves at zero or below is raised
    to the resolution of the numbers, which moves the adjugate by no more than that.
    """
    xp = namespace(matrix)
    swept = xp.asarray(matrix, copy=True)
    smallest = xp.full_like(matrix[0, 0], xp.finfo(matrix.dtype).eps)
    determinant: Array = 1.0
    for i in range(matrix.shape[0]):
        pivot = xp.maximum(swept[i, i], smallest)
        determinant = pivot * determinant
        swept[i, i] = -1.0
        row = swept[i] / pivot
        swept -= swept[i][:, None] * row
        swept[i] = row
        swept[:, i] = row
    return swept * -determinant, determinant


def differences(points: Array) -> Array:
    """[w, p, q] the gaps of all pairs of points [w, k, q]: `contrast` @ points, in less time."""
    xp = namespace(points)
    w, k, q = points.shape
    gaps = xp.empty((w, k * (k - 1) // 2, q), dtype=points.dtype, device=device(points))
    start = 0
    for first in range(k - 1):
        end = start + k - 1 - first
        xp.subtract(points[:, first : first + 1], points[:, first + 1 :], out=gaps[:, start:end])
        start = end
    return gaps


def pair_maps(k: int) -> tuple[np.ndarray, np.ndarray]:
    """The matrices `contrast` and `spread` for sets of k points."""
    first, second = np.triu_indices(k, 1)
    pairs = np.arange(len(first))
    contrast = np.zeros((len(first), k))
    contrast[pairs, first], contrast[pairs, second] = 1.0, -1.0
    spread = np.zeros((k * k, len(first)))
    spread[first * k + second, pairs] = spread[second * k + first, pairs] = 1.0
    return contrast, spread
