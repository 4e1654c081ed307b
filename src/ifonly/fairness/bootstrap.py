"""Intervals by the bootstrap: the rows of each group are drawn again, with replacement."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

DRAWS = 1000
"""How often the rows are drawn again."""
LEVEL = 0.95
"""The share of the draws that an interval covers."""
AT_A_TIME = 2**21
"""About how many weights are made together."""


def weights(n: int, draws: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Parts [b, n], of `draws` in all, that say how often each of n rows was drawn."""
    size = max(1, AT_A_TIME // max(1, n))
    for start in range(0, draws, size):
        count = min(size, draws - start)
        drawn = random.integers(0, n, (count, n)) + n * np.arange(count)[:, None]
        yield np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n).astype(np.float64)


def interval(drawn: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """The ends [...] of the interval that holds a share of the draws [b, ...]; NaNs are no draws.

    Ends are draws themselves: between a number and infinity there is nothing to interpolate.
    """
    ordered = np.sort(drawn, axis=0)  # NaN last
    count = (~np.isnan(drawn)).sum(axis=0)
    tail = (1.0 - level) / 2
    low = np.floor(tail * (count - 1)).astype(np.intp)
    high = np.ceil((1.0 - tail) * (count - 1)).astype(np.intp)
    ends = [np.take_along_axis(ordered, np.maximum(at, 0)[None], axis=0)[0] for at in (low, high)]
    return ends[0], ends[1]


def difference(values: np.ndarray) -> np.ndarray:
    """[...] the largest of [..., g] less the least; groups without a value (NaN) are left out.

    >>> difference(np.array([[0.2, 0.5, np.nan], [1.0, np.inf, 2.0], [np.inf, np.inf, np.nan]]))
    array([0.3, inf, 0. ])
    """
    high, low = _ends(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(high == low, 0.0, high - low))


def ratio(values: np.ndarray) -> np.ndarray:
    """[...] the least of [..., g] as a share of the largest: 1 where all are equal.

    >>> ratio(np.array([[0.2, 0.5, np.nan], [1.0, np.inf, 2.0], [0.0, 0.0, np.nan]]))
    array([0.4, 0. , 1. ])
    """
    high, low = _ends(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(high == low, 1.0, low / high)


def _ends(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest and the least [...]; both NaN where fewer than two groups have a value."""
    known = ~np.isnan(values)
    lone = known.sum(axis=-1) < 2
    high = np.where(known, values, -np.inf).max(axis=-1, initial=-np.inf)
    low = np.where(known, values, np.inf).min(axis=-1, initial=np.inf)
    return np.where(lone, np.nan, high), np.where(lone, np.nan, low)
