"""How a pipeline encodes rows, measured: the columns of a point are `units @ matrix + offset`.

The pipeline is asked for a base point and for one change a unit column, and the measure is believed
only where it gives the columns of other points too. A missing value has no units; what a pipeline
puts in its place is measured as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ifonly.errors import ReadingError
from ifonly.models.reading.inputs import Inputs, blocks
from ifonly.space import Continuous
from ifonly.space.rows import value_of


@dataclass(frozen=True, eq=False)
class Affine:
    """`units @ matrix + missing values @ missing + offset` are the columns of codes."""

    matrix: np.ndarray
    """[w, p]"""
    missing: np.ndarray
    """[d, p]"""
    offset: np.ndarray
    """[p]"""


def measure(inputs: Inputs, probe: np.ndarray, tolerances: Sequence[float]) -> tuple[Affine, float]:
    """The encoding of a pipeline, and the first of the tolerances within which it holds.

    It must for codes `probe` [n, d], for the rows of the data and for each value by itself, and
    tolerances are relative to the columns' size. One that is not of this kind is refused by the
    feature's name.
    """
    space, base = inputs.space, inputs.base
    offset = inputs.see(base[None])[0]
    matrix = np.zeros((space.offsets[-1], len(offset)))
    missing = np.zeros((len(space), len(offset)))
    for j, feature in enumerate(space.features):
        if isinstance(feature, Continuous):
            codes = np.array([feature.high if feature.high > feature.low else feature.low + 1])
        else:
            codes = np.arange(len(feature.levels), dtype=np.float64)
        if feature.missing:
            codes = np.append(codes, np.nan)
        steps = inputs.alone(j, codes) - offset
        if feature.missing:
            missing[j] = steps[-1]
        matrix[space.offsets[j] : space.offsets[j + 1]] = steps[: len(codes) - feature.missing]
    encoding = Affine(matrix, missing, offset)
    size = 1 + np.abs(inputs.see(probe)).max(axis=0, initial=0)
    for tolerance in tolerances:
        if all(
            _holds(encoding, inputs, part, tolerance * size).all()
            for points in (probe, *_values(inputs), inputs.witness.rows)
            for part in blocks(points)
        ):
            return encoding, tolerance
    raise _refusal(encoding, inputs, tolerances[-1] * size)


def _values(inputs: Inputs) -> Iterator[np.ndarray]:
    """For each feature the base [n, d] with each of its values."""
    for j in range(len(inputs.space)):
        codes = inputs.values(j)
        points = np.tile(inputs.base, (len(codes), 1))
        points[:, j] = codes
        yield points


def _holds(
    encoding: Affine, inputs: Inputs, codes: np.ndarray, tolerance: np.ndarray
) -> np.ndarray:
    """bool [n]: whether each column [p] of codes [n, d] is within its tolerance [p]."""
    wanted = inputs.see(codes)
    given = inputs.space.units(codes) @ encoding.matrix + encoding.offset
    given += np.isnan(codes) @ encoding.missing
    return np.asarray((np.abs(given - wanted) <= tolerance).all(axis=1))


def _refusal(encoding: Affine, inputs: Inputs, tolerance: np.ndarray) -> ReadingError:
    """Which feature is not encoded in a straight line, or that features are mixed."""
    hint = (
        "Networks and linear models are read behind scalers and one-hot or ordinal encoders. "
        "Use method='auto', which works for any model."
    )
    for j, points in enumerate(_values(inputs)):
        feature = inputs.space.features[j]
        for part in blocks(points):
            odd = np.flatnonzero(~_holds(encoding, inputs, part, tolerance))
            if len(odd):
                value = value_of(feature, part[odd[0], j])
                return ReadingError(
                    f"The pipeline does not encode {feature.name!r} in a straight line: not at "
                    f"{value}.",
                    hint,
                )
    return ReadingError("The pipeline mixes features: it does not add up their columns.", hint)
