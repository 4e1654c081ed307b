"""How a pipeline encodes rows, measured: the columns of a point are `units @ matrix + offset`.

The pipeline is asked once, for a base point and one change per unit column. The measure is believed
only where it gives the columns of other points too: of a probe for a gradient, of all that is known
for a solver. A missing value has no units; what a pipeline puts in its place is measured as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ifonly.errors import ReadingError
from ifonly.models.reading.inputs import Inputs, blocks
from ifonly.models.reading.layers.layers import Layer
from ifonly.space import Categorical, Continuous, Feature, Space
from ifonly.space.table.values import value_of


@dataclass(frozen=True, eq=False)
class Encoding:
    """`units @ matrix + missing values @ missing + offset` are the columns of codes."""

    matrix: np.ndarray
    """[w, p]"""
    missing: np.ndarray
    """[d, p]"""
    offset: np.ndarray
    """[p]"""

    def centred(self, space: Space) -> Encoding:
        """The encoding with levels about their mean, and nothing in place of a missing value.

        No level is then special away from the one-hot corners, where a gradient is followed.
        """
        matrix, offset = self.matrix.copy(), self.offset.copy()
        for j, feature in enumerate(space.features):
            if isinstance(feature, Categorical):
                block = slice(space.offsets[j], space.offsets[j + 1])
                middle = matrix[block].mean(axis=0)
                matrix[block] -= middle
                offset += middle
        return Encoding(matrix, np.zeros_like(self.missing), offset)

    def before(self, layers: Sequence[Layer]) -> tuple[Layer, ...]:
        """Layers over columns as layers over units."""
        (kernel, bias), *rest = layers
        return ((self.matrix @ kernel, self.offset @ kernel + bias), *rest)

    def errors(self, inputs: Inputs, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[n, p] how far off the columns of codes [n, d] are, and [n, p] the columns themselves."""
        wanted = inputs.see(codes)
        given = inputs.space.units(codes) @ self.matrix + self.offset
        gaps = np.isnan(codes)
        if gaps.any():
            given += gaps @ self.missing
        return np.abs(given - wanted), wanted


def measure(inputs: Inputs) -> Encoding:
    """The encoding of a pipeline, if it has one: nothing is checked."""
    codes = [_asked(feature) for feature in inputs.space.features]
    feature = np.repeat(np.arange(len(codes)), [len(one) for one in codes])
    points = np.tile(inputs.base, (1 + len(feature), 1))
    points[1 + np.arange(len(feature)), feature] = np.concatenate(codes)
    columns = inputs.see(points)
    offset = columns[0].copy()
    steps = columns[1:] - offset
    gap = np.isnan(np.concatenate(codes))
    missing = np.zeros((len(codes), len(offset)))
    missing[feature[gap]] = steps[gap]
    return Encoding(steps[~gap], missing, offset)


def check_encoding(
    encoding: Encoding, inputs: Inputs, probe: np.ndarray, tolerances: Sequence[float]
) -> float:
    """The first of the tolerances within which an encoding holds.

    It must for codes `probe` [n, d], for the rows of the data and for each value by itself, and
    tolerances are relative to the columns' size. One that is not of this kind is refused by the
    feature's name.
    """
    size = 1 + np.abs(inputs.see(probe)).max(axis=0, initial=0)
    for tolerance in tolerances:
        if all(
            _holds(encoding, inputs, part, tolerance * size).all()
            for points in (probe, *_values(inputs), inputs.witness.rows)
            for part in blocks(points)
        ):
            return tolerance
    raise _refusal(encoding, inputs, tolerances[-1] * size)


def _asked(feature: Feature) -> np.ndarray:
    """The codes of a feature that are looked at: an end or all levels, then the missing value."""
    if isinstance(feature, Continuous):
        codes = np.array([feature.high if feature.high > feature.low else feature.low + 1])
    else:
        codes = np.arange(len(feature.levels), dtype=np.float64)
    return np.append(codes, [np.nan] * feature.missing)


def _values(inputs: Inputs) -> Iterator[np.ndarray]:
    """For each feature the base [n, d] with each of its values."""
    for j in range(len(inputs.space)):
        codes = inputs.values(j)
        points = np.tile(inputs.base, (len(codes), 1))
        points[:, j] = codes
        yield points


def _holds(
    encoding: Encoding, inputs: Inputs, codes: np.ndarray, tolerance: np.ndarray
) -> np.ndarray:
    """bool [n]: whether each column [p] of codes [n, d] is within its tolerance [p]."""
    return np.asarray((encoding.errors(inputs, codes)[0] <= tolerance).all(axis=1))


def _refusal(encoding: Encoding, inputs: Inputs, tolerance: np.ndarray) -> ReadingError:
    """Which feature is not encoded linearly, or that features are mixed."""
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
                    f"The pipeline does not encode {feature.name!r} linearly: not at {value}.",
                    hint,
                )
    return ReadingError("The pipeline mixes features: it does not add up their columns.", hint)
