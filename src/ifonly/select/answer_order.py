"""Chosen points in the order in which users see them."""

from __future__ import annotations

import numpy as np

from ifonly.arrays.batches import gather
from ifonly.problem.problem import Problem


def nearest_first(
    problem: Problem, points: np.ndarray, filled: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Points [q, k, d] and their mask [q, k], nearest first; the row itself where none is."""
    distance = np.where(filled, problem.distance(points), np.inf)
    order = np.argsort(distance, axis=1, kind="stable")
    filled = np.take_along_axis(filled, order, axis=1)
    points = gather(points, order)
    row, place = np.nonzero(~filled)
    points[row, place] = problem.x[row]
    return points, filled
