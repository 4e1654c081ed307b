"""The nearest answer there is: every whole value in the training range and every level."""

from __future__ import annotations

from itertools import product

import numpy as np

from ifonly.space import Metric
from published import Published

CHUNK = 400_000
"""About how many points the network is asked at once."""


def nearest(problem: Published, x: np.ndarray) -> np.ndarray:
    """[q] the distance from each row x [q, d] to the nearest point of the other outcome.

    A row's own value may stay even where it lies outside the training range.
    """
    space, metric = problem.space, Metric.of(problem.space)
    numeric = np.flatnonzero(space.continuous)
    named = np.flatnonzero(~np.asarray(space.continuous))
    values = [_values(space.low[j], space.high[j], x[:, j]) for j in numeric]
    numbers = np.array(list(product(*values)))
    levels = np.array(
        list(product(*[np.arange(len(space.features[j].levels)) for j in named])), dtype=np.float64
    )
    inside = ((numbers >= space.low[numeric]) & (numbers <= space.high[numeric]))[:, None]
    positive = _positive(problem, numbers, levels, numeric, named)
    before = problem.model.logits(space.units(x))[:, 1] > 0
    found = np.full(len(x), np.inf)
    for q, row in enumerate(x):
        own = numbers == row[numeric]
        allowed = (own | inside[:, 0]).all(axis=1)
        far = (np.abs(numbers - row[numeric]) / metric.mad[numeric]) @ metric.scale[numeric]
        far = np.where(allowed, far, np.inf)
        switched = (levels != row[named]) @ metric.scale[named]
        for step in np.unique(switched):
            if step >= found[q]:
                break
            group = positive[switched == step]
            hit = ~group.all(axis=0) if before[q] else group.any(axis=0)
            found[q] = min(found[q], step + far[hit].min(initial=np.inf))
    return found


def _values(low: float, high: float, own: np.ndarray) -> np.ndarray:
    return np.union1d(np.arange(low, high + 1), own)


def _positive(
    problem: Published,
    numbers: np.ndarray,
    levels: np.ndarray,
    numeric: np.ndarray,
    named: np.ndarray,
) -> np.ndarray:
    """bool [levels, numbers]: whether the network says 1 of every combination, asked in chunks."""
    positive = np.empty((len(levels), len(numbers)), dtype=bool)
    step = max(1, CHUNK // len(numbers))
    for start in range(0, len(levels), step):
        part = levels[start : start + step]
        points = np.empty((len(part), len(numbers), len(problem.space)))
        points[..., numeric], points[..., named] = numbers, part[:, None]
        units = problem.space.units(points.reshape(-1, points.shape[-1]))
        logits = problem.model.logits(units)[:, 1]
        positive[start : start + step] = (logits > 0).reshape(len(part), -1)
    return positive
