"""The model as the loss sees it: how far a point is on the wanted side, and which way leads there.

A classifier's margin is the logit of the wanted class minus the best other logit; for two classes
that is z logit(f(c)) of the paper. A regression's margin is the distance into the wanted range, in
a unit that the caller chooses, since the hinge loss asks for a margin of 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, final

import numpy as np
from array_api_compat import device

from ifonly.objective.array import Array, namespace


class Logits(Protocol):
    """What a margin asks of a differentiable model (`ifonly.models.protocol.Differentiable`)."""

    def logits(self, units: Array) -> Array:
        """[n, c] the logits of units [n, w]."""

    def logits_gradient(self, units: Array, weights: Array) -> tuple[Array, Array]:
        """[n, c] the logits, and [n, w] the derivative of their sum under weights [n, c]."""


@final
@dataclass(frozen=True)
class ClassMargin:
    """The wanted class against the best other; `wanted` [c, k, q] is 1 for it and 0 elsewhere."""

    model: Logits
    wanted: Array
    short: Array | None = None
    """[1, q] how far beyond the others' its logit must be."""

    @classmethod
    def of(cls, model: Logits, wanted: Array, k: int, c: int, x: Array) -> ClassMargin:
        """The margin for sets of k; `wanted` [q] are class indices. Its arrays live beside x."""
        xp = namespace(x)
        chosen = np.equal(np.arange(c)[:, None, None], np.asarray(wanted))
        wanted = np.repeat(chosen, k, axis=1)
        return cls(model, xp.asarray(wanted, dtype=x.dtype, device=device(x)))

    def margin(self, points: Array) -> Array:
        logits = _apart(self.model.logits(_together(points)), points)
        return self._beyond(namespace(logits).sum(logits * self._sides(logits), axis=0))

    def gradient(self, points: Array) -> tuple[Array, Array]:
        units = _together(points)
        if self.wanted.shape[0] == 2:  # the sides are known before the logits
            sides = self._sides(self.wanted)
        else:
            sides = self._sides(_apart(self.model.logits(units), points))
        logits, gradient = self.model.logits_gradient(units, _together(sides))
        margin = namespace(logits).sum(_apart(logits, points) * sides, axis=0)
        return self._beyond(margin), _apart(gradient, points)

    def take(self, rows: Array) -> ClassMargin:
        xp = namespace(self.wanted)
        short = None if self.short is None else xp.take(self.short, rows, axis=1)
        return ClassMargin(self.model, xp.take(self.wanted, rows, axis=2), short)

    def _beyond(self, margin: Array) -> Array:
        return margin if self.short is None else margin - self.short

    @cached_property
    def _two_sides(self) -> Array:
        return 2.0 * self.wanted - 1.0

    def _sides(self, logits: Array) -> Array:
        """[c, k, q] 1 for the wanted class, -1 for the best other (shared in a tie), else 0."""
        if self.wanted.shape[0] == 2:
            return self._two_sides
        xp = namespace(logits)
        others = xp.where(self.wanted > 0.0, xp.full_like(logits, -xp.inf), logits)
        best = xp.astype(others == xp.max(others, axis=0, keepdims=True), logits.dtype)
        return self.wanted - best / xp.sum(best, axis=0, keepdims=True)


@final
@dataclass(frozen=True)
class RangeMargin:
    """The distance into the range from `low` [1, q] to `high` [1, q], divided by `unit`."""

    model: Logits
    low: Array
    high: Array
    unit: float = 1.0

    def margin(self, points: Array) -> Array:
        return self._inside(_apart(self.model.logits(_together(points)), points)[0])[0]

    def gradient(self, points: Array) -> tuple[Array, Array]:
        xp = namespace(points)
        units = _together(points)
        values, gradient = self.model.logits_gradient(units, xp.ones_like(units[:, :1]))
        margin, side = self._inside(_apart(values, points)[0])
        return margin, _apart(gradient, points) * side

    def take(self, rows: Array) -> RangeMargin:
        xp = namespace(self.low)
        low, high = xp.take(self.low, rows, axis=1), xp.take(self.high, rows, axis=1)
        return RangeMargin(self.model, low, high, self.unit)

    def _inside(self, values: Array) -> tuple[Array, Array]:
        """[k, q] the margins of values [k, q], and the derivative of each by its value."""
        xp = namespace(values)
        above, below = (values - self.low) / self.unit, (self.high - values) / self.unit
        side = xp.where(above < below, xp.ones_like(values), -xp.ones_like(values))
        return xp.minimum(above, below), side / self.unit


def _together(points: Array) -> Array:
    """[n, w] the points [w, k, q] one under the other: a view."""
    return points.reshape((points.shape[0], -1)).T


def _apart(values: Array, points: Array) -> Array:
    """[a, k, q] what a model said of the points: values [n, a], set by set again."""
    return values.T.reshape((-1, *points.shape[1:]))
