"""Prototypes and criticisms of a set of rows: MMD-critic (Kim, Khanna and Koyejo, 2016).

The kernel is the one that diversity is measured by, k = 1 / (1 + distance). Prototypes S make the
maximum mean discrepancy between themselves and the rows small: they maximise
2 mean k(rows, S) - mean k(S, S). Criticisms C are the rows that the prototypes represent least:
they maximise the sum of |witness| over C plus log det k(C, C), where the witness of a row is its
mean k to the rows less its mean k to the prototypes. Both are chosen greedily, one by one.
"""

from __future__ import annotations

import numpy as np

from ifonly.space import Metric
from ifonly.space.distance import similarity

PAIRS = 2**20
"""About how many pairs of rows are compared at a time."""
ALIKE = 1e-9
"""A row this near to those chosen, by the determinant, adds nothing to them."""


def mean_similarity(
    metric: Metric, points: np.ndarray, rows: np.ndarray, count: np.ndarray
) -> np.ndarray:
    """[m] the mean k of points [m, d] to rows [n, d], of which each stands for `count` [n]."""
    means, size = np.empty(len(points)), max(1, PAIRS // len(rows))
    for start in range(0, len(points), size):
        part = points[start : start + size, None]
        means[start : start + size] = (similarity(metric.distance(part, rows)) * count).sum(axis=1)
    return np.asarray(means / count.sum())


def prototypes(metric: Metric, points: np.ndarray, mean: np.ndarray, n: int) -> list[int]:
    """The places of n prototypes among points [m, d] with their `mean` similarity [m] to all rows.

    Of equally good points, the first.
    """
    chosen: list[int] = []
    near, total, inside = np.zeros(len(points)), 0.0, 0.0  # k to those chosen; sums over these
    for size in range(1, min(n, len(points)) + 1):
        gain = 2 * (total + mean) / size - (inside + 2 * near + 1.0) / size**2
        gain[chosen] = -np.inf
        best = int(gain.argmax())
        total, inside = total + mean[best], inside + 2 * near[best] + 1.0
        near = near + similarity(metric.distance(points, points[best]))
        chosen.append(best)
    return chosen


def criticisms(
    metric: Metric, points: np.ndarray, mean: np.ndarray, chosen: list[int], n: int
) -> list[int]:
    """The places of n criticisms of the prototypes `chosen` among points [m, d]; or fewer."""
    near = sum(similarity(metric.distance(points, points[one])) for one in chosen)
    witness = np.abs(mean - near / len(chosen))
    left = np.ones(len(points))  # what a point adds to the determinant: a Cholesky step each time
    steps, critics = np.empty((0, len(points))), list[int]()
    barred = np.isin(np.arange(len(points)), chosen)
    for _ in range(n):
        open_to = ~barred & (left > ALIKE)
        if not open_to.any():
            break
        gain = np.where(open_to, witness + np.log(np.where(open_to, left, 1.0)), -np.inf)
        best = int(gain.argmax())
        row = similarity(metric.distance(points, points[best])) - steps[:, best] @ steps
        step = row / np.sqrt(left[best])
        steps, left = np.concatenate([steps, step[None]]), left - step**2
        barred[best] = True
        critics.append(best)
    return critics
