"""How many different ways rows have at all, where every point of a table can be tried.

A way counts if one of its points is needed (no set of its changes can be reverted) and tight (no
number can come a step, or half of the way, nearer), by the pipeline's own predict.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

import ifonly


def least_extra(answers: ifonly.Answers, predict: Any) -> float:
    """The least share of k answers of each row that cannot be of different ways."""
    space = answers.space
    values = [
        np.arange(one.low, one.high + one.step / 2, one.step)
        if space.continuous[j]
        else np.arange(len(one.levels))
        for j, one in enumerate(space.features)
    ]
    points = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, len(values))
    said = np.asarray(predict(space.rows(points.astype(float))))
    outcome = {tuple(point): one for point, one in zip(points.tolist(), said, strict=True)}
    lacking = 0
    for row in answers.x:
        own = outcome[tuple(row.tolist())]
        changed = points != row
        among = np.flatnonzero((said != own) & changed.any(axis=1))
        ways = set()
        for place in among[np.argsort(changed[among].sum(axis=1), kind="stable")]:
            point, features = points[place], np.flatnonzero(changed[place])
            numbers = space.continuous[features]
            nearer = [_with(point, j, v) for j in features[numbers] for v in _nearer(point, row, j)]
            less = [
                _with(point, list(some), row[list(some)])
                for count in range(1, len(features))
                for some in combinations(features, count)
            ]
            if all(outcome[tuple(one)] == own for one in (*less, *nearer)):
                way = np.where(space.continuous, np.sign(point - row), point + 1)
                ways.add(tuple(np.where(changed[place], way, 0)))
        lacking += max(0, answers.k - len(ways))
    return lacking / (len(answers.x) * answers.k)


def _with(point: np.ndarray, features: Any, values: Any) -> list[float]:
    other = point.astype(float)
    other[features] = values
    return other.tolist()


def _nearer(point: np.ndarray, row: np.ndarray, j: int) -> list[float]:
    """The values a step, and half of the way, nearer to the row's, where these are others."""
    step, half = point[j] - np.sign(point[j] - row[j]), np.round((point[j] + row[j]) / 2)
    return [float(one) for one in (step, half) if one not in (row[j], point[j])]
