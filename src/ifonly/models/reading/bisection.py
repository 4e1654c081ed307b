"""The last code that goes one way, found by bisection over every number that a row can hold.

A column is a rising or a falling function of its feature, so a comparison with a threshold changes
once over the feature's codes. All thresholds are bisected together, one transform a step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.errors import ModelError, ReadingError
from ifonly.models.reading.inputs import Inputs, blocks
from ifonly.models.reading.steps import span
from ifonly.models.reading.trees.grown import Comparison
from ifonly.space import Continuous, Feature
from ifonly.space.table.dtypes import digits_of, holds_whole, number_dtype

FAR = 1e18
"""Beyond the range of any feature, and within that of single precision."""
WHOLE = 2.0**53
"""Beyond it double precision has no odd numbers."""


@dataclass(frozen=True)
class Window:
    """The codes of one feature that are looked through, and whether only whole ones exist."""

    low: float
    high: float
    whole: bool
    power: float = 1.0
    """What makes codes of a value grid whole; 1 where all whole numbers are meant."""


def last_codes(
    inputs: Inputs,
    asked: np.ndarray,
    owner: np.ndarray,
    compare: Comparison,
    *,
    grid: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """For each of asked [t, 2], (column, threshold), where it changes sides.

    [t] the last code that goes as the lowest codes go, inf where all do; bool [t] whether the
    lowest codes go left. With `grid`, only codes on the value grid are looked through.
    """
    column = asked[:, 0].astype(np.intp)
    feature = owner[column]
    ways = {
        int(j): _grid_window(inputs.space.features[j])
        if grid
        else _window(inputs, int(j), np.unique(column[feature == j]))
        for j in {*feature}
    }
    windows = [ways[int(j)] for j in feature]
    whole = np.array([one.whole for one in windows], dtype=bool)
    power = np.array([one.power for one in windows])
    low = _key(np.array([one.low for one in windows]) * power, whole)
    high = _key(np.array([one.high for one in windows]) * power, whole)

    def left(keys: np.ndarray) -> np.ndarray:
        points = np.tile(inputs.base, (len(keys), 1))
        points[np.arange(len(keys)), feature] = _code(keys, whole) / power
        return compare(inputs.see(points)[np.arange(len(keys)), column], asked[:, 1])

    first = left(low)
    constant = left(high) == first
    middle = _between(low, high)
    while (middle > low).any():
        alike = left(middle) == first
        low, high = np.where(alike, middle, low), np.where(alike, high, middle)
        middle = _between(low, high)
    return np.where(constant, np.inf, _code(low, whole) / power), first


def _window(inputs: Inputs, j: int, columns: np.ndarray) -> Window:
    """As wide as the feature's dtype and the pipeline allow; at least the feature's range."""
    feature = inputs.space.features[j]
    assert isinstance(feature, Continuous)
    whole, *ends = _reach(feature.column.dtype)
    codes = inputs.values(j)
    # A logarithm or a table of values has nothing to say so far out: then the range is the window.
    for wide in (np.array([ends[0], *codes, ends[1]]), codes):
        try:
            with np.errstate(all="ignore"):
                parts = [inputs.alone(j, part)[:, columns] for part in blocks(np.sort(wide))]
        except ModelError:
            continue
        seen = np.concatenate(parts)
        rises = np.diff(seen, axis=0)
        if np.isfinite(seen).all() and ((rises >= 0).all(axis=0) | (rises <= 0).all(axis=0)).all():
            return Window(float(wide.min()), float(wide.max()), whole)
    turn = _turn(np.sort(codes), rises) if len(seen) == len(codes) else ""
    raise ReadingError(
        f"The pipeline turns {feature.name!r} into columns that are not monotone in it{turn}.",
        "Trees are read behind steps that keep the order of numbers, as scalers do. "
        "Use method='auto', which works for any model.",
    )


def _grid_window(feature: Feature) -> Window:
    """The value grid of a feature, whose columns are taken for monotone."""
    assert isinstance(feature, Continuous)
    power = 10.0**feature.decimals
    first, last = span(feature)
    return Window(first / power, last / power, whole=True, power=power)


def _turn(codes: np.ndarray, rises: np.ndarray) -> str:
    """Between which codes [n] columns with `rises` [n - 1, p] turn: a step unlike most others."""
    up = (rises > 0).sum(axis=0) >= (rises < 0).sum(axis=0)
    odd = np.flatnonzero((np.where(up, -rises, rises) > 0).any(axis=1))
    return f", as between {codes[odd[0]]:g} and {codes[odd[0] + 1]:g}" if len(odd) else ""


def _reach(name: str) -> tuple[bool, float, float]:
    """Whether a column of a dtype holds whole numbers alone, and between what its numbers are."""
    dtype, digits = number_dtype(name), digits_of(name)
    far = FAR if digits is None else digits.limit - 1
    if dtype is None:
        return holds_whole(name), -far, far
    if dtype.kind == "f":
        far = min(far, float(np.finfo(dtype).max))
        return False, -far, far
    far = min(WHOLE, float(np.iinfo(dtype).max))
    return True, 0.0 if dtype.kind == "u" else -far, far


def _key(codes: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """int64 [t] in the codes' order; neighbours in double precision have neighbouring keys."""
    bits = (codes + 0.0).view(np.int64)
    ordered = np.where(bits < 0, -(bits & np.int64(2**63 - 1)), bits)
    return np.where(whole, np.round(codes).astype(np.int64), ordered)


def _code(keys: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """[t] the codes of keys."""
    codes = np.abs(keys).view(np.float64)
    return np.where(whole, keys.astype(np.float64), np.copysign(codes, keys))


def _between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The middle of two keys, without the overflow of their sum."""
    return np.asarray((low >> 1) + (high >> 1) + (low & high & 1))
