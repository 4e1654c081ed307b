"""Points of a space to look at a model from: spread at random, and its corners."""

from __future__ import annotations

import numpy as np

from ifonly.models.reading.steps import code_at, span
from ifonly.space import Continuous, Space

GAPS = 0.15
"""The share of values that are missing, where they may be."""


def spread(space: Space, n: int, seed: int) -> np.ndarray:
    """[n, d] codes on the value grid, evenly spread; a tenth of the numbers stand at an end."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n, len(space)))
    for j, feature in enumerate(space.features):
        if isinstance(feature, Continuous):
            first, last = span(feature)
            if max(abs(first), abs(last)) < 2**53:
                steps = rng.integers(first, last, n, endpoint=True)
            else:  # more steps than whole numbers can count exactly
                steps = np.floor(rng.uniform(float(first), float(last), n))
            ends = rng.choice([float(first), float(last)], n)
            codes[:, j] = code_at(feature, np.where(rng.random(n) < 0.1, ends, steps))
        else:
            codes[:, j] = rng.integers(len(feature.levels), size=n)
        if feature.missing:
            codes[rng.random(n) < GAPS, j] = np.nan
    return codes


def beyond(space: Space, codes: np.ndarray) -> float:
    """By how many times the range of a number codes [..., d] lie outside of it, at the most."""
    units = np.nan_to_num(space.units(codes))
    return max(0.0, float(units.max()) - 1.0, -float(units.min()))
