"""Linear equations: an intercept, a slope for each number, an amount for each level.

Least squares over the causes of an effect. Terms are added up cause by cause, in their order, so
that a row's number does not depend on the rows beside it, as it would in a matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ifonly.causal.equation import ask_frame
from ifonly.space import Categorical, Feature
from ifonly.space.table.frame import Frame

ROUNDING = 1e-12
"""The share of a column's size below which its spread is rounding: the column is constant."""


@dataclass(frozen=True, repr=False)
class Linear:
    """The intercept, and for each cause its slope or the amounts of its levels, the first 0."""

    causes: tuple[Feature, ...]
    intercept: float
    terms: tuple[tuple[float, ...], ...]

    @classmethod
    def fit(cls, causes: Sequence[Feature], codes: np.ndarray, values: np.ndarray) -> Linear:
        """The equation nearest to values [n] over the causes' codes [n, c], none missing.

        Columns are centred and scaled first, so that a cause in millions weighs no more in the
        arithmetic than one in units. A level that no row has gets the amount of the first.
        """
        blocks = [_columns(cause, codes[:, j]) for j, cause in enumerate(causes)]
        columns = np.concatenate(blocks, axis=1)
        middle, spread = columns.mean(axis=0), columns.std(axis=0)
        spread[spread <= ROUNDING * np.abs(columns).max(axis=0)] = np.inf  # and has no slope
        scaled = (columns - middle) / spread
        weights = np.linalg.lstsq(scaled, values - values.mean(), rcond=None)[0] / spread
        ends = np.cumsum([block.shape[1] for block in blocks])[:-1]
        return cls(
            tuple(causes),
            float(values.mean() - np.sum(weights * middle)),
            tuple(
                (0.0, *part.tolist()) if isinstance(cause, Categorical) else tuple(part.tolist())
                for cause, part in zip(causes, np.split(weights, ends), strict=True)
            ),
        )

    def __call__(self, frame: Frame) -> np.ndarray:
        """[n] the numbers of a frame with the causes; NaN where one is missing."""
        return ask_frame(self, frame)

    def on_codes(self, codes: np.ndarray) -> np.ndarray:
        """[n] the numbers of codes [n, c]."""
        total = np.full(len(codes), self.intercept)
        for j, (cause, term) in enumerate(zip(self.causes, self.terms, strict=True)):
            if isinstance(cause, Categorical):
                total += np.array(term).take(codes[:, j].astype(np.intp))
            else:
                total += codes[:, j] * term[0]
        return total

    def __repr__(self) -> str:
        parts = [f"{self.intercept:.6g}"]
        for cause, term in zip(self.causes, self.terms, strict=True):
            if isinstance(cause, Categorical):
                levels = zip(cause.levels[1:], term[1:], strict=True)
                parts += [f"{amount:.6g} ({cause.name} {level})" for level, amount in levels]
            else:
                parts.append(f"{term[0]:.6g} {cause.name}")
        return f"Linear({' + '.join(parts)})"


def _columns(cause: Feature, codes: np.ndarray) -> np.ndarray:
    """[n, w] the number itself, or an indicator of each level but the first."""
    if isinstance(cause, Categorical):
        return np.asarray(codes[:, None] == np.arange(1, len(cause.levels)), dtype=np.float64)
    return codes[:, None]
