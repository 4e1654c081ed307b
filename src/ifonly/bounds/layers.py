"""The least sums of linear models and ReLU networks over boxes.

A linear sum is least where each feature is: at an end, at a level, or missing. The units of a
network are put between two linear functions of what comes before them (Singh et al. 2019, Zhang et
al. 2018), back to the first layer, where the sum is linear in the features again. A box is halved
where the feature matters most to units that can be on or off.
"""

from __future__ import annotations

import numpy as np

from ifonly.bounds.boxes import Boxes, number_columns, owner
from ifonly.bounds.parts import Bound, Sides, Split
from ifonly.models.reading import Layers

CELLS = 1 << 23
"""About how many numbers are held at a time."""
Range = tuple[np.ndarray, np.ndarray]
"""[n, units] what goes into the units of a layer, at the least and at the most."""


def bound_layers(reading: Layers, boxes: Boxes, sides: Sides) -> Bound:
    """What layers come to over boxes at the least, and at a point where that is likely."""
    widest = max(len(bias) for _, bias in reading.layers)
    size = max(1, CELLS // (widest * max(widest, len(number_columns(boxes.space)))))
    parts = [
        _bounded(reading, boxes[start : start + size], sides[start : start + size])
        for start in range(0, len(boxes), size)
    ]
    return parts[0].join(*parts[1:])


def _bounded(reading: Layers, boxes: Boxes, sides: Sides) -> Bound:
    ranges: list[Range] = []
    for depth in range(len(reading.layers) - 1):
        width = len(reading.layers[depth][1])
        each = np.broadcast_to(np.eye(width), (len(boxes), width, width))
        low = _Back(reading, boxes, ranges, each, depth).least
        high = -_Back(reading, boxes, ranges, -each, depth).least
        ranges.append((low, high))
    back = _Back(reading, boxes, ranges, sides.factors, len(reading.layers) - 1)
    least, worst = sides.combined(back.least - sides.edge)
    point = back.point(worst)
    at = np.einsum("nc,nsc->ns", reading.margins(point), sides.factors) - sides.edge
    seen, _ = sides.combined(at)
    return Bound(least, seen, back.split(worst))


class _Back:
    """Sums of a layer [n, r, units], taken back to a linear function of the features below them."""

    def __init__(
        self, reading: Layers, boxes: Boxes, ranges: list[Range], sums: np.ndarray, depth: int
    ) -> None:
        self.boxes, self.space = boxes, boxes.space
        constant = np.zeros(sums.shape[:2])
        self.weight = np.zeros((len(boxes), sums.shape[1], len(reading.layers[0][1])))
        self.open = np.zeros((len(boxes), len(reading.layers[0][1])), dtype=bool)
        for kernel, bias in reversed(reading.layers[1 : depth + 1]):
            constant = constant + sums @ bias
            sums = sums @ kernel.T
            low, high = (part[:, None] for part in ranges[depth - 1])
            self.weight, self.open = np.abs(sums), ((low < 0) & (high > 0))[:, 0]
            slope = np.where(
                low >= 0, 1.0, np.where(high <= 0, 0.0, high / np.maximum(high - low, 1e-300))
            )
            under = np.where((low >= 0) | ((high > -low) & (high > 0)), 1.0, 0.0)
            lift = np.where((low < 0) & (high > 0), -slope * low, 0.0)
            constant = constant + np.where(sums < 0, sums * lift, 0.0).sum(axis=2)
            sums = np.where(sums < 0, sums * slope, sums * under)
            depth -= 1
        kernel, bias = reading.layers[0]
        self.kernel = kernel
        self.columns, self.gaps = sums @ kernel.T, sums @ reading.missing.T
        self.each = self._each()
        self.least = self.each.min(axis=3).sum(axis=2) + constant + sums @ bias

    def _each(self) -> np.ndarray:
        """[n, r, d, 4] what each feature adds: at its two ends, at its best level, missing."""
        space, boxes = self.space, self.boxes
        starts, numbers = np.asarray(space.offsets[:-1]), number_columns(space)
        allowed = boxes.levels[:, None] & ~numbers
        best = np.minimum.reduceat(np.where(allowed, self.columns, np.inf), starts, axis=2)
        ends = []
        for end in (boxes.low, boxes.high):
            unit = _units(boxes, end)[:, None]
            product = np.where(
                np.isnan(unit), np.inf, self.columns[..., starts] * np.nan_to_num(unit)
            )
            ends.append(np.where(space.continuous, product, np.inf))
        gaps = np.where(boxes.missing[:, None], self.gaps, np.inf)
        return np.stack([*ends, best, gaps], axis=3)

    def point(self, side: np.ndarray) -> np.ndarray:
        """[n, d] where the linear function of a side [n] is least."""
        rows, boxes, space = np.arange(len(side)), self.boxes, self.space
        choice = self.each[rows, side].argmin(axis=2)
        columns = np.where(boxes.levels, self.columns[rows, side], np.inf)
        level = np.zeros(choice.shape)
        for j in np.flatnonzero(~np.asarray(space.continuous)):
            level[:, j] = columns[:, space.offsets[j] : space.offsets[j + 1]].argmin(axis=1)
        return np.choose(choice, [boxes.low, boxes.high, level, np.full(choice.shape, np.nan)])

    def split(self, side: np.ndarray) -> Split:
        """Where to halve boxes: the feature that matters most to units that are on or off."""
        rows, boxes, space = np.arange(len(side)), self.boxes, self.space
        of, d = owner(space), len(space)
        weight = self.weight[rows, side] * self.open
        units = [_units(boxes, end) for end in (boxes.low, boxes.high)]
        spread = np.where(space.continuous, np.nan_to_num(units[1] - units[0]), 1.0)[:, of]
        column = (weight @ np.abs(self.kernel).T) * spread
        column = np.where(number_columns(space) | boxes.levels, column, 0.0)
        score = np.zeros((len(boxes), d))
        np.maximum.at(score.T, of, column.T)
        score = np.where(boxes.wide, score + 1e-300, -1.0)
        j = score.argmax(axis=1)
        there = self.open.any(axis=1) & boxes.wide.any(axis=1)
        own = of == j[:, None]
        count = (boxes.levels & own).cumsum(axis=1)
        levels = boxes.levels & own & (count <= (count[:, -1:] + 1) // 2)
        some = ~np.isnan(boxes.low[rows, j]) | (count[:, -1] > 0)
        gap = boxes.missing[rows, j] & some  # a missing value is taken apart first
        cut = np.where(gap, np.inf, (boxes.low[rows, j] + boxes.high[rows, j]) / 2)
        levels = np.where(gap[:, None], boxes.levels & own, levels)
        return Split(there, j, cut, levels, ~gap)


def _units(boxes: Boxes, codes: np.ndarray) -> np.ndarray:
    """[n, d] numbers scaled to their ranges."""
    width = np.where(boxes.space.high > boxes.space.low, boxes.space.high - boxes.space.low, 1.0)
    return np.asarray((codes - boxes.space.low) / width)
