"""What the first steps of a pipeline make of the values of one feature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Entries:
    """A table with an entry for every value."""

    codes: np.ndarray
    """[n] sorted; where a value may be missing, NaN is the last."""
    rows: np.ndarray
    """[n, c] what each becomes."""
    gap: bool
    """Whether a value may be missing."""

    def of(self, code: np.ndarray) -> np.ndarray | None:
        """[m, c] what codes [m] become; None where one of them has no entry."""
        place = np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)
        known = np.array_equal(self.codes[place], code, equal_nan=self.gap)
        return np.asarray(self.rows[place]) if known else None


@dataclass(frozen=True)
class Line:
    """A number that is passed on as it is, or scaled: (code - center) / scale."""

    center: float
    scale: float
    low: float
    high: float
    missing: float | None
    """What a missing value becomes; None where there is none."""

    def of(self, code: np.ndarray) -> np.ndarray | None:
        """[m, 1] what codes [m] become; None where one of them is beyond the known ones."""
        inside = (code >= self.low) & (code <= self.high)
        seen = (code - self.center) / self.scale
        if self.missing is not None:
            gap = np.isnan(code)
            inside, seen = inside | gap, np.where(gap, self.missing, seen)
        return np.asarray(seen)[:, None] if inside.all() else None


def line_of(codes: np.ndarray, block: np.ndarray, scales: np.ndarray, *, gap: bool) -> Line | None:
    """The line on which the outputs [n, c] of codes [n] lie to the bit, if there is one.

    `scales` [m, 2] are the centers and scales that are tried. For a number that the steps drop,
    any line will do.
    """
    low, high = float(codes[0]), float(codes[-1 - gap])
    if not block.shape[1]:
        return Line(0.0, 1.0, low, high, np.nan if gap else None)
    missing = float(block[-1, 0]) if gap else None
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = np.flatnonzero((low - scales[:, 0]) / scales[:, 1] == block[0, 0])
    for center, scale in scales[alike]:
        line = Line(float(center), float(scale), low, high, missing)
        found = line.of(codes)
        if found is not None and np.array_equal(found, block, equal_nan=gap):
            return line
    return None


def scales_of(step: Any) -> np.ndarray:
    """[m, 2] centers and scales: first 0 and 1, then those of the scalers inside a fitted step."""
    return np.concatenate([np.array([[0.0, 1.0]]), *_scales(step)])


def _scales(step: Any) -> Iterator[np.ndarray]:
    for name in ("steps", "transformers_", "transformer_list"):
        for part in getattr(step, name, ()):
            yield from _scales(part[1])
    center = getattr(step, "mean_", getattr(step, "center_", None))
    scale = getattr(step, "scale_", None)
    if center is not None and scale is not None and np.shape(center) == np.shape(scale):
        yield np.stack([np.ravel(center), np.ravel(scale)], axis=1).astype(np.float64)
