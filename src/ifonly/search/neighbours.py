"""Search by neighbours: the nearest known rows of the wanted outcome, copied feature by feature.

A training row that has the wanted outcome shows that it can be had. Each of the nearest is first
moved inside what the rules allow; then the row asked takes over its values one feature after
another, the cheapest changes first and, on a second path, the dearest first. Every point on the
way is a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem


@dataclass(frozen=True)
class Neighbours:
    """Paths to the nearest reference rows with the wanted outcome.

    Parameters
    ----------
    count
        How many reference rows per row.

    Examples
    --------
    >>> Neighbours(count=5)
    Neighbours(count=5)
    """

    count: int = 12

    def search(self, problem: Problem, k: int) -> Pool:
        """All points on the paths from each row to its neighbours."""
        goals = nearest_wanted(problem, self.count)
        return problem.ask(paths(problem, goals))


def nearest_wanted(problem: Problem, count: int) -> np.ndarray:
    """[q, count, d] the nearest reference rows with the wanted outcome, moved inside the box.

    A row for which there are fewer gets itself in the remaining places.
    """
    reference = problem.reference
    q, n = len(problem.x), len(reference.codes)
    count = min(count, n)
    if count == 0:
        return problem.x[:, None][:, :0]
    scores = np.broadcast_to(reference.scores, (q, *reference.scores.shape))
    inside = problem.box.clip(np.broadcast_to(reference.codes, (q, *reference.codes.shape)))
    price = np.where(problem.goal.margin(scores) > 0, problem.price(inside), np.inf)
    order = np.argsort(price, axis=1, kind="stable")[:, :count]
    chosen = np.take_along_axis(inside, order[:, :, None], axis=1)
    known = np.take_along_axis(price, order, axis=1) < np.inf
    return np.where(known[:, :, None], chosen, problem.x[:, None])


def paths(problem: Problem, goals: np.ndarray) -> np.ndarray:
    """[q, 2 m d, d] every point on two paths to each of goals [q, m, d]."""
    gaps = problem.metric.gaps(goals, problem.x[:, None]) * problem.metric.scale
    rank = np.argsort(np.argsort(gaps, axis=-1, kind="stable"), axis=-1, kind="stable")
    d = goals.shape[-1]
    steps = np.arange(1, d + 1)
    cheap = rank[:, :, None, :] < steps[:, None]
    dear = rank[:, :, None, :] >= d - steps[:, None]
    copied = np.concatenate([cheap, dear], axis=2)
    points = np.where(copied, goals[:, :, None, :], problem.x[:, None, None, :])
    return points.reshape(len(goals), -1, d)
