"""A linear model or a network as plain layers over units.

    h_0 = units,    h_l = relu(h_(l-1) W_l + b_l),    margins = h_(L-1) W_L + b_L

Units are those of `Space.units`; where a value is missing its units are zero, and what the model
makes of the gap is added to the first layer's sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ifonly.models.reading.link import decisions_of, scores_of
from ifonly.models.reading.witness import Checked
from ifonly.space import Space

Layer = tuple[np.ndarray, np.ndarray]
"""A kernel [in, out] and a bias [out]."""


@final
@dataclass(frozen=True, eq=False)
class Layers:
    """Layers of (kernel [in, out], bias [out]), ReLU between them; one layer is a linear model."""

    space: Space
    classes: tuple[Any, ...]
    layers: tuple[Layer, ...]
    missing: np.ndarray
    """[d, out of the first layer] what a missing value of each feature adds to its sums."""
    link: str
    """'logit', 'softmax', 'odds' or 'number': see `link`."""
    rounding: float
    """How far rounding may take the model's own margins from these."""
    checked: Checked | None = None
    """Where it was found to say what the model says."""

    def margins(self, codes: np.ndarray) -> np.ndarray:
        """[n, 1] or [n, c] what the last layer gives for codes [n, d]."""
        (kernel, bias), *rest = self.layers
        passed = self.space.units(codes) @ kernel + bias
        gaps = np.isnan(codes)
        if gaps.any():
            passed = passed + gaps @ self.missing
        for kernel, bias in rest:
            passed = np.maximum(passed, 0) @ kernel + bias
        return np.asarray(passed)

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] the probabilities of codes [n, d]; [n, 1] the numbers of a regression."""
        return scores_of(self.link, self.margins(codes))

    def decide(self, codes: np.ndarray) -> np.ndarray | None:
        """[n] the class index; None for a regression."""
        return decisions_of(self.link, self.margins(codes))
