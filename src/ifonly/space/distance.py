"""The distance between points, in one place.

dist = dist_cont + dist_cat (the paper, section 'Choice of distance function'): the mean over
continuous features of |a - b| / MAD, plus the share of categorical features that differ, each part
only where the space has such features. A weight multiplies its feature. A missing value against a
value counts as one MAD, or as a changed category. In units, half the l1 distance over a feature's
one-hot columns is the same number.

A distance is the same both ways. What a row pays to become a point need not be: `cost` is the
distance with the factors of the user's `Cost`s, and where there are none it is the distance.

`price` is what is made small, by every search and every proof: the cost, and the space's `sparsity`
times the share of features that change. With a sparsity of 0 it is the cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ifonly.space.cost import Cost
from ifonly.space.feature import Continuous
from ifonly.space.space import Space

FEW = 32
"""Up to so many points, one call adds up the features faster than a call per feature."""
COPIED = 1 << 13
"""Up to so many numbers, a copy in the order of the features is added up faster."""
SMALL = 1 << 16
"""Numbers that stay in the cache through several passes."""
WIDE = 100
"""From so many features on, most are the same in two points."""
BLOCK = 1 << 18
"""Numbers that are worked on at a time, where there are so many features."""


@dataclass(frozen=True, eq=False)
class Metric:
    """The price of each feature in the distance.

    Sums over features are made in their order, whatever the batch: another order would round a
    point otherwise in another place.
    """

    scale: np.ndarray
    """[d] what a gap of one MAD, or another level, adds to the distance."""
    mad: np.ndarray
    """[d] the unit of a continuous gap; 1 for a category."""
    continuous: np.ndarray
    """[d] bool"""
    missing: bool
    """Whether any feature may be missing."""
    costs: Mapping[int, np.ndarray] = field(default_factory=dict)
    """By the feature's position: its factors up and down [2], or from level to level [L, L]."""
    charge: float = 0.0
    """What each changed feature adds to the price, beside its cost: the sparsity by d."""

    @classmethod
    def of(cls, space: Space) -> Metric:
        """The distance and the price over a space, with its weights and its sparsity."""
        continuous = np.asarray(space.continuous)
        share = np.ones(len(space))  # of a category: another level sets one column, clears another
        for group in space.one_hot:
            share[[space.index(name) for name in group.columns]] = 0.5
        spared = sum(len(group.columns) - 1 for group in space.one_hot)
        counts = np.where(continuous, continuous.sum(), (~continuous).sum() - spared)
        mads = [f.mad if isinstance(f, Continuous) else 1.0 for f in space.features]
        mad = np.array(mads, dtype=np.float64)
        weights = [space.weights.get(name, 1.0) for name in space.names]
        scale = np.array([1.0 if isinstance(w, Cost) else float(w) for w in weights])
        scale *= share / counts
        pairs = enumerate(zip(weights, space.features, strict=True))
        costs = {j: w.factors(feature) for j, (w, feature) in pairs if isinstance(w, Cost)}
        missing = any(f.missing or f.column.unseen for f in space.features)
        return cls(scale, mad, continuous, missing, costs, space.sparsity / len(space))

    @cached_property
    def _limit(self) -> np.ndarray:
        """[d] the largest gap: 1 for another level."""
        return np.where(self.continuous, np.inf, 1.0)

    @cached_property
    def _rate(self) -> np.ndarray:
        """[d] what a gap of one, in codes, adds to the distance."""
        return np.asarray(self.scale / self.mad)

    def gaps(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[..., d] how far a and b are apart in each feature: MADs, or 1 for another level."""
        even = replace(self, scale=np.ones_like(self.scale))
        return _back(even._prices(*_fronts(a, b)))

    def prices(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[..., d] what each feature adds to the price of points a to rows b."""
        a, b = _fronts(a, b)
        prices = self._prices(a, b)
        for j in self.costs:
            prices[j] *= self._factor(j, a[j], b[j])
        return _back(prices + self.charge * self._differ(a, b) if self.charge else prices)

    def price_of(self, j: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[...] what feature j alone adds to the price, of values a [...] to values b [...]."""
        cost = self.cost_of(np.array(j), a, b)
        return cost + self.charge * self._differ(a, b) if self.charge else cost

    def cost_of(self, j: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[...] what features j [...] alone add to the cost of values a [...] to values b [...]."""
        cost = np.asarray(np.minimum(np.abs(a - b), self._limit[j]) * self._rate[j])
        if self.missing:
            gaps = np.isnan(a) != np.isnan(b)
            cost = np.where(gaps, self.scale[j], np.where(np.isnan(cost), 0.0, cost))
        for one in self.costs:
            here = np.broadcast_to(j == one, cost.shape)
            if here.any():
                values = (np.broadcast_to(value, cost.shape)[here] for value in (a, b))
                cost[here] *= self._factor(one, *values)
        return cost

    def price(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[...] the price of points a [..., d] to rows b [..., d]: their cost, and the charge."""
        a, b = _fronts(a, b)
        cost = self._cost(a, b)
        if not self.charge:
            return cost
        changed = self._differ(a, b).view(np.uint8)
        dtype = np.uint8 if len(changed) < 256 else np.uint32
        return np.asarray(cost + self.charge * np.add.reduce(changed, axis=0, dtype=dtype))

    def _differ(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """bool [d, ...]: where a and b [d, ...] differ."""
        return differs(a, b) if self.missing else np.asarray(a != b)

    def cost(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[...] what it costs rows b [..., d] to become points a [..., d]."""
        return self._cost(*_fronts(a, b))

    def _cost(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The same of a and b [d, ...]."""
        if not self.costs:
            return self._distance(a, b)
        total: Any = 0.0
        for j in range(len(self.scale)):
            here = slice(j, j + 1)
            price = self._prices(a[here], b[here], here)[0]
            total = total + (price * self._factor(j, a[j], b[j]) if j in self.costs else price)
        return np.asarray(total)

    def _factor(self, j: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The factor of feature j from values b to values a; 1 to or from a missing value."""
        factors = self.costs[j]
        if factors.ndim == 1:
            return np.where(a > b, factors[0], np.where(a < b, factors[1], 1.0))
        before, after = (np.nan_to_num(code).astype(np.intp) for code in (b, a))
        return np.where(np.isnan(a + b), 1.0, factors[before, after])

    def distance(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[...] the distance between a and b [..., d]."""
        return self._distance(*_fronts(a, b))

    def _distance(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The same of a and b [d, ...].

        Small arrays are worked on whole, large ones a feature at a time.
        """
        if len(a) >= WIDE:
            return self._wide(a, b)
        if max(a.size, b.size) <= SMALL:
            prices = self._prices(a, b)
            # A sum of few would add in another order, and so would one across the memory's order.
            if prices.size <= FEW * len(prices):
                return np.asarray(np.add.accumulate(prices, axis=0)[-1])
            if prices.size <= COPIED:
                prices = np.ascontiguousarray(prices)
            if prices.flags.c_contiguous:
                return np.asarray(np.add.reduce(prices, axis=0))
            first, *rest = prices
            for part in rest:
                first = first + part
            return np.asarray(first)
        if not self.missing:
            return self._summed(a, b)
        total = self._prices(a[:1], b[:1], slice(0, 1))[0]
        for j in range(1, len(self.scale)):
            here = slice(j, j + 1)
            total += self._prices(a[here], b[here], here)[0]
        return np.asarray(total)

    def _wide(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[...] the distance between a and b [d, ...] of many features, a few points at a time.

        Only features that differ are added up: a zero less changes no sum.
        """
        points = np.broadcast_shapes(a.shape[1:], b.shape[1:])
        if len(a) * math.prod(points) > BLOCK and max(points) > 1:
            axis = int(np.argmax(points))
            halves = zip(_halves(a, axis + 1), _halves(b, axis + 1), strict=True)
            return np.concatenate([self._wide(*half) for half in halves], axis=axis)
        part = np.flatnonzero((a != b).any(axis=tuple(range(1, 1 + len(points)))))
        prices = self._prices(a[part], b[part], part)
        if not len(part):
            return np.zeros(points)
        if math.prod(points) <= FEW:
            return np.asarray(np.add.accumulate(prices, axis=0)[-1])
        return np.asarray(np.add.reduce(np.ascontiguousarray(prices), axis=0))

    def _summed(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """[...] the distance between large a and b [d, ...] without missing values.

        Every feature is worked on in one buffer: memory is what a large distance costs.
        """
        total = np.subtract(a[0], b[0])
        buffer = np.empty_like(total)
        for j, rate in enumerate(self._rate):
            part = np.subtract(a[j], b[j], out=buffer) if j else total
            np.abs(part, out=part)
            if not self.continuous[j]:
                np.minimum(part, 1.0, out=part)
            np.multiply(part, rate, out=part, casting="same_kind")
            if j:
                total += part
        return np.asarray(total)

    def pairwise(self, points: np.ndarray) -> np.ndarray:
        """[..., m, m] the distances among points [..., m, d]."""
        return self.distance(points[..., :, None, :], points[..., None, :, :])

    def _prices(
        self, a: np.ndarray, b: np.ndarray, part: slice | np.ndarray = slice(None)
    ) -> np.ndarray:
        """[d, ...] of the features of a part, each gap multiplied by its scale."""
        shape = (-1,) + (1,) * (a.ndim - 1)
        out = np.subtract(a, b)
        np.abs(out, out=out)
        np.minimum(out, self._limit[part].reshape(shape), out=out)
        out *= self._rate[part].reshape(shape)
        if self.missing:
            empty, other = np.isnan(a), np.isnan(b)
            out[np.isnan(out)] = 0
            out = np.where(empty != other, self.scale[part].reshape(shape), out)
        return np.asarray(out)


def priced(space: Space, **prices: Any) -> Space:
    """The space with other `weights` or `sparsity`; what was worked out of it is taken along."""
    other = replace(space, **prices)
    _ = space.fingerprint, space.library == "pandas" and space._level_arrays  # once for all
    for name in space.__dict__.keys() - other.__dict__.keys():
        other.__dict__[name] = space.__dict__[name]
    return other


def _fronts(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a and b [..., d] as [d, ...], with as many axes."""
    axes = max(a.ndim, b.ndim)
    if a.ndim != b.ndim:
        a = a.reshape((1,) * (axes - a.ndim) + a.shape)
        b = b.reshape((1,) * (axes - b.ndim) + b.shape)
    order = (axes - 1, *range(axes - 1))
    return a.transpose(order), b.transpose(order)


def _halves(points: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Both halves along an axis; twice the same where the axis has one place for all."""
    first, second = np.array_split(points, 2, axis) if points.shape[axis] > 1 else (points, points)
    return first, second


def _back(parts: np.ndarray) -> np.ndarray:
    """[d, ...] as [..., d]."""
    return parts.transpose(*range(1, parts.ndim), 0)


def similarity(distance: Any) -> Any:
    """The kernel of diversity, 1 / (1 + distance), for arrays of any library."""
    return 1.0 / (1.0 + distance)


def differs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """bool [...]: where codes a and b differ.

    >>> differs(np.array([1.0, 2.0, np.nan]), np.array([1.0, np.nan, np.nan])).tolist()
    [False, True, False]
    """
    return np.asarray((a != b) & ~(np.isnan(a) & np.isnan(b)))
