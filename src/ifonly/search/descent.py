"""Gradient descent over whole sets, for all rows at once.

The paper's optimiser ('Implementation'): Adam with a rate of 0.05 from random starts, at most 5,000
steps, or until a row's loss has converged and all its points are valid. What a user gets are points
on the value grid, so that is where a row is looked at: every few steps its set is settled (each
category on its strongest level, each number on its grid), judged by the model, and kept where it is
the best so far. A row that has stopped getting better leaves the batch; the cost follows the rows
that still move.

Bounds hold by projection: a fixed feature has low = high, a forbidden level has high = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, final

from array_api_compat import array_namespace, device

from ifonly.objective import Loss
from ifonly.space import Space

Array = Any

INVALID = 1e3  # what an invalid point costs beside lambda1 proximity - lambda2 diversity


@final
@dataclass(frozen=True)
class Descent:
    """How to descend: Adam's rate, the most steps, and when a row has stopped getting better."""

    rate: float = 0.05
    steps: int = 5000
    every: int = 25
    patience: int = 8
    tolerance: float = 1e-3
    decay: float = 1.0
    memory: int = 2**18
    eps: float = 1e-8
    press: float = 0.0


@final
@dataclass(frozen=True)
class _State:
    row: Array
    points: Array
    mean: Array
    square: Array
    low: Array
    high: Array
    best: Array
    cost: Array
    stale: Array
    rate: Array

    def take(self, rows: Array) -> _State:
        xp = array_namespace(rows)
        parts = {f.name: getattr(self, f.name) for f in fields(self)}
        return _State(**{n: xp.take(a, rows, axis=a.ndim - 1) for n, a in parts.items()})


def descend(loss, space, starts, low, high, settings=Descent(), trace=None):
    xp = array_namespace(starts)
    q, k, w = starts.shape
    chunk = max(1, settings.memory // (w * k * (k + 1) // 2))
    out = []
    for begin in range(0, q, chunk):
        rows = xp.arange(begin, min(q, begin + chunk), device=device(starts))
        first, lo, hi = (
            xp.asarray(xp.permute_dims(xp.take(a, rows, axis=0), (2, 1, 0)), copy=True)
            for a in (starts, low, high)
        )
        best, steps = _descend_chunk(loss.take(rows), space, first, lo, hi, settings, trace)
        out.append((xp.permute_dims(best, (2, 1, 0)), steps))
    return xp.concat([o[0] for o in out], axis=0), xp.concat([o[1] for o in out])


def _descend_chunk(loss, space, points, low, high, s, trace):
    xp = array_namespace(points)
    w, k, q = points.shape
    points = xp.minimum(xp.maximum(points, low), high)
    import numpy as np

    points = (
        xp.asarray(points, copy=True, order="C")
        if xp.__name__.endswith("numpy")
        else points.contiguous()
    )
    zero = points[0, 0] * 0.0
    state = _State(
        xp.arange(q, device=device(points)),
        points,
        xp.zeros_like(points),
        xp.zeros_like(points),
        low,
        high,
        xp.asarray(points, copy=True),
        zero + xp.inf,
        zero,
        zero + s.rate,
    )
    final = xp.zeros_like(points)
    taken = xp.zeros_like(state.row)
    step = 0
    while True:
        for _ in range(s.every):
            step += 1
            _adam(loss, state, step, s)
        settled = _settle(space, state.points, state.high)
        wrong = xp.astype(loss.margin(settled) <= 0, points.dtype)
        invalid = xp.sum(wrong, axis=0)
        if s.press:
            loss = replace(loss, outcome=replace(loss.outcome, pressure=loss.outcome.pressure + s.press * wrong))
        if loss.lambda2 and k > 1:
            invalid = invalid + loss.diversity.repeats(settled)
        cost = INVALID * invalid + loss.objective(settled)
        better = cost < state.cost - s.tolerance
        state = replace(
            state,
            best=xp.where(better, settled, state.best),
            cost=xp.where(better, cost, state.cost),
            stale=xp.where(better, xp.zeros_like(cost), state.stale + 1.0),
        )
        state = replace(state, rate=s.rate * s.decay**state.stale)
        if trace is not None:
            trace(step, state)
        done = (state.stale >= s.patience) & (state.cost < INVALID / 2) | (
            state.stale >= 10 * s.patience
        )
        if step >= s.steps:
            done = done | True
        going = xp.nonzero(~done)[0]
        n = going.shape[0]
        if n < 0.8 * state.row.shape[0]:
            gone = xp.nonzero(done)[0]
            final[:, :, state.row[gone]] = state.best[:, :, gone]
            taken[state.row[gone]] = step
            if n == 0:
                return final, taken
            state = state.take(going)
            loss = loss.take(going)


def _adam(loss, state, step, s):
    xp = array_namespace(state.points)
    gradient = loss.gradient(state.points)
    mean, square, points = state.mean, state.square, state.points
    mean *= 0.9
    mean += 0.1 * gradient
    gradient *= gradient
    square *= 0.999
    square += 0.001 * gradient
    size = state.rate * ((1 - 0.999**step) ** 0.5 / (1 - 0.9**step))
    points -= size * mean / (xp.sqrt(square) + s.eps)
    xp.clip(points, state.low, state.high, out=points) if False else None
    points[...] = xp.minimum(xp.maximum(points, state.low), state.high)


def _settle(space, points, high):
    xp = array_namespace(points)
    allowed = points - xp.astype(high <= 0.0, points.dtype)
    return xp.permute_dims(space.units(space.snap(xp.permute_dims(allowed, (1, 2, 0)))), (2, 0, 1))
