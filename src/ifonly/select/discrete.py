"""Numbers of columns that have few values, such as 9, 12, 14 and 16 years of school.

What lies between two such values means nothing to a reader, and no real row has it. A number of a
point therefore comes nearer from one of them to the next, and one that stands between two moves on
to the next, away from the row's, where the outcome allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ifonly.problem.problem import Problem

Discrete = Mapping[int, np.ndarray]
"""The sorted values of a column, by its position."""


def between(
    discrete: Discrete, feature: np.ndarray, low: np.ndarray, high: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """Values [p, c, n], of features [p, c] with few values n of these strictly from low to high.

    They are evenly spread and in order; `low` itself stands where there is none between.
    """
    values = values.copy()
    n = values.shape[2]
    for j, known in discrete.items():
        here = np.nonzero(feature == j)
        if not len(here[0]):
            continue
        start, stop = low[here], high[here]
        first = np.searchsorted(known, np.minimum(start, stop), side="right")
        count = np.searchsorted(known, np.maximum(start, stop), side="left") - first
        rank = np.minimum((np.arange(1, n + 1) * count[:, None]) // (n + 1), count[:, None] - 1)
        rank = np.where((stop > start)[:, None], rank, count[:, None] - 1 - rank)
        found = known[np.clip(first[:, None] + rank, 0, len(known) - 1)]
        values[here] = np.where(count[:, None] > 0, found, start[:, None])
    return values


def next_toward(known: np.ndarray, values: np.ndarray, own: np.ndarray) -> np.ndarray:
    """[p] of values [p] the next known one toward the row's own [p], which stands after the last.

    >>> next_toward(np.array([1.0, 4.0, 9.0]), np.array([9.0, 4.0, 4.0]), np.array([2.0, 9.0, 3.0]))
    array([4., 9., 3.])
    """
    last = len(known) - 1
    below = known[np.clip(np.searchsorted(known, values) - 1, 0, last)]
    above = known[np.clip(np.searchsorted(known, values, side="right"), 0, last)]
    near = np.where(values > own, below, above)
    return np.asarray(np.where((near - own) * (values - near) > 0, near, own))


def known_ones(problem: Problem, points: np.ndarray) -> np.ndarray:
    """Valid points [p, d] whose numbers with few values stand at one of these, where they can.

    All together first, then one column after the other.
    """
    points = points.copy()
    for discrete in _turns(problem.grid.discrete):
        rows, trial = _moved_on(problem, points, discrete)
        if len(rows) and not problem.spent:
            part = problem.take(rows)
            valid = part.clearly(part.margin(trial[:, None]))[:, 0]
            points[rows[valid]] = trial[valid]
    return points


def _turns(discrete: Discrete) -> Iterator[Discrete]:
    if discrete:
        yield discrete
    if len(discrete) > 1:
        yield from ({j: known} for j, known in discrete.items())


def _moved_on(
    problem: Problem, points: np.ndarray, discrete: Discrete
) -> tuple[NDArray[np.intp], np.ndarray]:
    """The points [p, d] of which a changed number is not known, and what they then become."""
    trial = points.copy()
    for j, known in discrete.items():
        value, own = points[:, j], problem.x[:, j]
        place = np.clip(np.searchsorted(known, value), 0, len(known) - 1)
        up, down = known[place], known[np.maximum(place - (known[place] > value), 0)]
        beyond = np.where(value > own, up, down)
        beyond = np.where(np.isnan(own), np.where(up - value < value - down, up, down), beyond)
        inside = (beyond >= problem.box.low[:, j]) & (beyond <= problem.box.high[:, j])
        change = (value != own) & ~np.isnan(value) & ~np.isin(value, known) & inside
        trial[:, j] = np.where(change, beyond, value)
    rows = np.flatnonzero(((trial != points) & ~np.isnan(points)).any(axis=1))
    return rows, trial[rows]
