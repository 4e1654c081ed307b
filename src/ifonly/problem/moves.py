"""The values that a search tries for each feature, and where each row may go.

A continuous feature has more values than a search can try. Half of its grid stands at quantiles of
the data, where rows are, and half evenly over the range, where an answer may have to go. A model of
trees says better which values matter: those beside its split points, between which nothing changes.

`Moves` holds, for each feature, a table [q, n] of the values that a row may take: first the row's
own (or, where a rule forbids it, the nearest value allowed), then the grid's, each clipped into the
box; a level that is not allowed becomes the row's own value again. So every point made by looking
up these tables is inside the box, and an edit is a place in a table, the same place for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from ifonly.arrays.batches import Points, blank
from ifonly.arrays.powers import powers_of_ten
from ifonly.rules import Box
from ifonly.space import Continuous, Space


@dataclass(frozen=True, eq=False)
class Moves:
    """`origin` [q, d], and for each feature the values [q, 1 + n] that it may take."""

    origin: np.ndarray
    values: tuple[np.ndarray, ...]
    free: np.ndarray
    """bool [q, d] whether the feature may change at all."""

    @classmethod
    def of(cls, box: Box, grid: Sequence[np.ndarray]) -> Moves:
        """The tables of a box's rows over a grid, sorted values per feature."""
        origin = box.clip(box.x[:, None])[:, 0]
        tables, free = [], []
        for j, codes in enumerate(grid):
            own, values = origin[:, j : j + 1], codes[~np.isnan(codes)]
            if box.space.continuous[j]:
                low, high = box.low[:, j : j + 1], box.high[:, j : j + 1]
                inside, allowed = np.clip(values, low, np.maximum(low, high)), low <= high
            else:
                start = box.space.offsets[j]
                inside, allowed = values, box.levels[:, start : start + len(values)]
            inside = np.where(allowed, inside, own)
            other = allowed & (inside != own)
            if len(values) < len(codes):
                erased = np.where(box.erase[:, j : j + 1], np.nan, own)
                inside = np.concatenate([inside, erased], axis=1)
                other = np.concatenate([other, np.isnan(erased) & ~np.isnan(own)], axis=1)
            tables.append(np.concatenate([own, inside], axis=1))
            free.append(other.any(axis=1))
        return cls(origin, tuple(tables), np.stack(free, axis=1))

    def points(self, choice: Sequence[np.ndarray], more: Points) -> Points:
        """The points [q, m, d] at the places `choice` (d arrays) of the tables, then `more`."""
        q, d, m = len(self.origin), len(choice), len(choice[0])
        out = blank(q, m + more.shape[1], d, self.origin.dtype)
        for j, place in enumerate(choice):
            np.take(self.values[j], place, axis=1, out=out[:, :m, j], mode="clip")
        out[:, m:] = more
        return out

    def alike(self) -> Iterator[np.ndarray]:
        """Positions of rows that may change the same features.

        Such rows share a list of edits, so that a row's list does not depend on which rows come
        with it. One pattern is the rule; a rule that fixes a feature for some rows adds one.
        """
        if (self.free == self.free[:1]).all():
            yield np.arange(len(self.free))
            return
        _, kind = np.unique(self.free, axis=0, return_inverse=True)
        order = np.argsort(kind.ravel(), kind="stable")
        for start, stop in pairwise(np.flatnonzero(np.diff(kind[order], prepend=-1, append=-1))):
            yield order[start:stop]


def settle(
    box: Box, value: np.ndarray, feature: np.ndarray, stops: Mapping[int, np.ndarray]
) -> np.ndarray:
    """Values [q, ...] of continuous features `feature`, on the value grid and in each row's box.

    A row may lie outside its range, so that what is between it and a point inside need not be
    allowed. Where a model of trees has `stops`, a value goes to the next one toward the row:
    between two of them nothing changes.
    """
    power = powers_of_ten(box.space.decimals)[feature]
    value = np.round(value * power) / power
    row = np.arange(len(value)).reshape(-1, *[1] * (value.ndim - 1))
    own = box.x[row, feature]
    if stops:
        whole, kind = np.broadcast_arrays(own, feature, value)[:2]
        value = _to_stops(value, whole, kind, stops)
    low, high = box.low[row, feature], box.high[row, feature]
    inside = np.minimum(np.maximum(value, low), high)
    return np.asarray(np.where(low <= high, inside, own))


def _to_stops(
    value: np.ndarray, own: np.ndarray, feature: np.ndarray, stops: Mapping[int, np.ndarray]
) -> np.ndarray:
    """Values [...] of features [...], each moved to the next of its stops toward the row's own."""
    moved, kind = value.ravel(), feature.ravel()
    order = np.argsort(kind, kind="stable")
    starts = np.flatnonzero(np.diff(kind[order], prepend=-1))
    for places in np.split(order, starts[1:]):
        known = stops.get(int(kind[places[0]])) if len(places) else None
        if known is not None:
            moved[places] = _toward(known, moved[places], own.reshape(-1)[places])
    return moved.reshape(value.shape)


def _toward(stops: np.ndarray, value: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Values moved to the next of sorted stops toward the row's own, which they do not pass."""
    last = len(stops) - 1
    below = stops[np.clip(np.searchsorted(stops, value, side="right") - 1, 0, last)]
    above = stops[np.clip(np.searchsorted(stops, value, side="left"), 0, last)]
    up = (value > own) & (below <= value) & (below > own)
    down = (value < own) & (above >= value) & (above < own)
    return np.where(up, below, np.where(down, above, value))


FINE, COARSE = 64, 12


@dataclass(frozen=True, eq=False)
class Grid:
    """Sorted codes a feature to try alone, and the places among them of a few to combine."""

    fine: tuple[np.ndarray, ...]
    coarse: tuple[np.ndarray, ...]
    stops: Mapping[int, np.ndarray]
    """All codes beside a tree model's split points, by the feature's position."""
    discrete: Mapping[int, np.ndarray] = field(default_factory=dict)
    """The values of numbers that have few of them, by the feature's position."""

    @classmethod
    def of(
        cls,
        space: Space,
        data: np.ndarray | None = None,
        stops: Mapping[int, np.ndarray] | None = None,
    ) -> Grid:
        """The grid of a space and, where there are any, of training codes [n, d].

        `stops` are the codes beside a model's split points, by the feature's position.
        """
        fine = [_values(space, data, j, FINE) for j in range(len(space))]
        coarse = [_values(space, data, j, COARSE) for j in range(len(space))]
        few = {
            j: np.array(feature.discrete)
            for j, feature in enumerate(space.features)
            if isinstance(feature, Continuous) and len(feature.discrete) > 1
        }
        for j, codes in {**(stops or {}), **few}.items():
            if len(codes) > 1:
                fine[j], coarse[j] = _thinned(codes, FINE), _thinned(codes, COARSE)
        places = list(map(_places, fine, coarse))
        return cls(tuple(fine), tuple(places), dict(stops or {}), few).erasing(space)

    def erasing(self, space: Space) -> Grid:
        """The grid in which no value is one more to try, where a feature is erasable."""
        fine, places = list(self.fine), list(self.coarse)
        for j, feature in enumerate(space.features):
            if feature.erasable and not np.isnan(fine[j][-1]):
                places[j] = np.append(places[j], len(fine[j]))
                fine[j] = np.append(fine[j], np.nan)
        return replace(self, fine=tuple(fine), coarse=tuple(places))


def _thinned(codes: np.ndarray, most: int) -> np.ndarray:
    """At most so many of sorted codes, evenly spread, the ends included."""
    return codes[np.unique(np.linspace(0, len(codes) - 1, min(len(codes), most)).astype(np.intp))]


def _places(fine: np.ndarray, coarse: np.ndarray) -> np.ndarray:
    """The places in a sorted fine grid that are nearest to the values of a coarse one."""
    above = np.clip(np.searchsorted(fine, coarse), 1, max(len(fine) - 1, 1))
    above = np.minimum(above, len(fine) - 1)
    below = np.maximum(above - 1, 0)
    nearer = np.abs(fine[below] - coarse) <= np.abs(fine[above] - coarse)
    return np.unique(np.where(nearer, below, above))


def _values(space: Space, data: np.ndarray | None, j: int, most: int) -> np.ndarray:
    feature = space.features[j]
    if not isinstance(feature, Continuous):
        return np.arange(len(feature.levels), dtype=np.float64)
    steps = round((feature.high - feature.low) / feature.step)
    if steps < most:
        values = feature.low + feature.step * np.arange(steps + 1)
    else:
        even = np.linspace(feature.low, feature.high, most if data is None else most // 2)
        known = np.empty(0) if data is None else data[~np.isnan(data[:, j]), j]
        shares = np.linspace(0, 1, most - len(even))
        values = np.concatenate([even, np.quantile(known, shares) if len(known) else known])
    return np.unique(np.clip(np.round(values, feature.decimals), feature.low, feature.high))
