"""The codes of a number, counted: the step s of a value grid is the code s / 10 ** decimals."""

from __future__ import annotations

import numpy as np

from ifonly.space import Continuous


def code_at(feature: Continuous, steps: np.ndarray) -> np.ndarray:
    """float64 [...] the codes of steps, bit for bit those of `Space.round`."""
    return np.asarray(steps / 10.0**feature.decimals)


def step_below(feature: Continuous, values: np.ndarray) -> np.ndarray:
    """int [...] the last step whose code is at most the value, kept to the feature's range.

    One below the range says that the value lies under it; an infinite value is welcome.

    >>> step_below(Continuous("rate", 0, 1, decimals=1), np.array([0.3, 0.29999, 7.0, -7.0]))
    array([ 3,  2, 10, -1])
    """
    first, last = span(feature)
    near = np.clip(values, *code_at(feature, np.array([first - 1, last])))
    steps = np.floor(near * 10.0**feature.decimals).astype(np.int64)
    # The product may round past a whole number: the code itself is what counts.
    steps += code_at(feature, steps + 1) <= near
    steps -= code_at(feature, steps) > near
    return np.asarray(np.clip(steps, first - 1, last))


def span(feature: Continuous) -> tuple[int, int]:
    """The first and the last step of a feature's range."""
    power = 10.0**feature.decimals
    return round(feature.low * power), round(feature.high * power)
