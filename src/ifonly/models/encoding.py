"""How a pipeline encodes rows, read off its own transform.

A pipeline of one-hot and scaling steps turns each feature into some columns, and adds the features
up: what it gives is `units @ matrix + offset`. The matrix is read by asking the pipeline for one
row a unit column, and believed only where it reproduces the transform of other rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.space import Categorical, Space


@dataclass(frozen=True)
class Encoding:
    """`units @ matrix + offset` is what an estimator at the end of a pipeline sees."""

    matrix: np.ndarray
    """[w, n]"""
    offset: np.ndarray
    """[n]"""


def read_encoding(
    transform: Callable[[Any], Any], space: Space, probe: np.ndarray
) -> Encoding | None:
    """The encoding of a transform of frames, or None where it is not of this kind.

    `probe` [n, d] are codes on which the encoding must agree with the transform.
    """
    base = np.where(space.continuous, space.low, 0.0)
    points = [base]
    for j, feature in enumerate(space.features):
        if isinstance(feature, Categorical):
            values: list[float] = list(range(len(feature.levels)))
        else:
            values = [feature.high]
        for value in values:
            point = base.copy()
            point[j] = value
            points.append(point)
    given = _dense(transform(space.rows(np.array(points))))
    start, matrix = given[0], given[1:] - given[0]
    offset = start.copy()
    for j, feature in enumerate(space.features):
        if not isinstance(feature, Categorical):
            continue
        block = slice(space.offsets[j], space.offsets[j + 1])
        # Levels about their mean, so that no level is special away from the one-hot corners.
        middle = matrix[block].mean(axis=0)
        matrix[block] -= middle
        offset += middle
    wanted = _dense(transform(space.rows(probe)))
    seen = space.units(probe) @ matrix + offset
    if not np.allclose(seen, wanted, rtol=1e-6, atol=1e-6 * (1 + np.abs(wanted).max(initial=0))):
        return None
    return Encoding(matrix, offset)


def _dense(output: Any) -> np.ndarray:
    """The transform's output as a plain array, sparse or not."""
    return np.asarray(output.toarray() if hasattr(output, "toarray") else output, dtype=np.float64)
