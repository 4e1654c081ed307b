"""Gradient descent over whole sets, for all rows at once.

The paper's optimiser ('Implementation'): Adam with a rate of 0.05 from random starts, at most 5,000
steps, or until a row's loss has converged and all its points are valid. What a user gets are points
on the value grid, so that is where a row is looked at: every few steps its set is *settled* (each
category on its strongest level, each number on its grid), judged by the model, and kept where it is
the best so far. A row whose best set has long been the best leaves the batch, so that the cost
follows the rows that still move. A point that settles on the wrong side is pressed (`Hinge`).

Bounds hold by projection: a fixed feature has low = high, a forbidden level has high = 0. What
rules say of several features at once is mended where a set is settled, before it is judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import final

from array_api_compat import device

from ifonly.objective import Loss
from ifonly.objective.array import Array, namespace
from ifonly.search.adam import adam, bound, warmed
from ifonly.space import Space

Mend = Callable[[Array, Array], Array]
"""From the codes [q, k, d] of settled sets and their rows' positions [q] to codes that obey."""
Record = Callable[[Callable[[], Array]], Callable[[], Array]]
"""From a computation to one that does the same, faster; see `search.device.recorded`."""
FEW = 2**24
"""The numbers up to which a GPU takes less time for a step than Python takes to start it."""
CACHED, RESIDENT = 2**17, 2**29
"""The most numbers in an array of pairs: on a CPU, where it should fit the cache, and elsewhere."""


@final
@dataclass(frozen=True)
class Pace:
    """How a descent goes, and when a row has stopped getting better."""

    rate: float = 0.05
    """Adam's step."""
    steps: int = 5000
    """The most steps."""
    every: int = 25
    """Steps between two looks at the settled sets."""
    patience: int = 5
    """Looks without a better set after which a row stops, once its set has no fault."""
    stubborn: int = 80
    """The same while a point of its set is invalid or repeated."""
    gain: float = 1e-3
    """By how much the objective must fall to count as better."""
    press: float = 0.5
    """What each look adds to the pressure on a point that settles on the wrong side."""
    again: int = 0
    """Looks without a better set after which faulty points start again; the paper has 0: never."""


@final
@dataclass(frozen=True)
class Descended:
    """What a descent came to."""

    points: Array
    """[q, k, w] the best set of each row, settled, in units."""
    steps: Array
    """[q] the steps that each row took."""


def descend(
    loss: Loss,
    space: Space,
    starts: Array,
    low: Array,
    high: Array,
    *,
    pace: Pace | None = None,
    mend: Mend | None = None,
    steady: bool = False,
) -> Descended:
    """Where the loss leads to from `starts` [q, k, w], units between low and high [q, 1, w].

    Rows do not see each other. Memory is bounded by a chunk of rows that the shapes decide. A
    `steady` loss takes the same steps for whatever numbers, so that a GPU can record them.
    """
    xp = namespace(starts)
    parts, record = [], None
    if steady and "cuda" in str(device(starts)):
        from ifonly.search.device.recorded import recorder

        record = recorder(device(starts))
    for rows in _chunks(starts):
        here = [xp.permute_dims(part[rows], (2, 1, 0)) for part in (starts, low, high)]
        index = xp.arange(rows.start, rows.stop, device=device(starts))
        batch = replace(_Batch.of(*here), whole=index)
        own, settle = loss.take(index), _Settle(space, mend)
        parts.append(_descend(own, settle, batch, pace or Pace(), record))
    points, steps = zip(*parts, strict=True)
    return Descended(xp.permute_dims(xp.concat(points, axis=2), (2, 1, 0)), xp.concat(steps))


@final
@dataclass(frozen=True)
class _Batch:
    """The rows that still move. Adam changes `points` and its moments in place."""

    row: Array
    """[q] where each stands in its chunk."""
    whole: Array
    """[q] where each stands among all rows."""
    starts: Array
    """[w, k, q] where a point starts if it has to start again."""
    points: Array
    """[w, k, q]"""
    mean: Array
    """[w, k, q] Adam's first moment."""
    square: Array
    """[w, k, q] Adam's second moment."""
    low: Array
    """[w, 1, q]"""
    high: Array
    """[w, 1, q]"""
    best: Array
    """[w, k, q] the best settled set so far."""
    faults: Array
    """[q] how many of its points are invalid or repeated."""
    objective: Array
    """[q] its objective."""
    stale: Array
    """[q] looks since it was found."""

    @classmethod
    def of(cls, starts: Array, low: Array, high: Array) -> _Batch:
        """The batch at its starts [w, k, q], moved between the bounds."""
        xp = namespace(starts)
        inside = xp.minimum(xp.maximum(starts, low), high)
        points = xp.zeros(starts.shape, dtype=starts.dtype, device=device(starts))
        points += inside  # rows last in memory, too
        worst = xp.full_like(points[0, 0], xp.inf)
        return cls(
            row=xp.arange(starts.shape[2], device=device(starts)),
            whole=xp.arange(starts.shape[2], device=device(starts)),
            starts=low + high - points,
            points=points,
            mean=xp.zeros_like(points),
            square=xp.zeros_like(points),
            low=xp.asarray(low, copy=True),
            high=xp.asarray(high, copy=True),
            best=points,
            faults=worst,
            objective=worst,
            stale=xp.zeros_like(worst),
        )

    def take(self, rows: Array) -> _Batch:
        """The batch of some of its rows, given as indices."""
        xp = namespace(rows)
        parts = vars(self).items()
        return _Batch(**{name: xp.take(part, rows, axis=part.ndim - 1) for name, part in parts})


def _descend(
    loss: Loss, settle: _Settle, batch: _Batch, pace: Pace, record: Record | None = None
) -> tuple[Array, Array]:
    """[w, k, q] the best sets of a chunk, and [q] the steps that they took."""
    xp = namespace(batch.points)
    found, steps = xp.zeros_like(batch.points), xp.zeros_like(batch.row)
    slope = _slope(loss, batch, record)
    for step in range(1, pace.steps + 1):
        _step(slope(), batch, step, pace.rate)
        last = step == pace.steps
        if step % pace.every and not last:
            continue
        batch, loss = _look(loss, settle, batch, pace)
        faulty = batch.faults > 0.0
        moves = (batch.stale < pace.patience) | (faulty & (batch.stale < pace.stubborn))
        # The only question that a host asks of a device.
        moving = xp.nonzero(moves)[0]
        if last or moving.shape[0] < batch.row.shape[0]:
            # A row that moves on is written too, and written again when it stops.
            found[:, :, batch.row] = batch.best
            steps[batch.row] = step
            if last or moving.shape[0] == 0:
                break
            batch, loss = batch.take(moving), loss.take(moving)
        slope = _slope(loss, batch, record)
    return found, steps


def _slope(loss: Loss, batch: _Batch, record: Record | None) -> Callable[[], Array]:
    """A function that returns the gradient at the points, wherever these are by then."""
    slope = partial(loss.gradient, batch.points)
    if record is None or math.prod(batch.points.shape) > FEW:
        return slope
    return record(slope)


def _step(gradient: Array, batch: _Batch, step: int, rate: float) -> None:
    """One step of Adam, in place, and back between the bounds."""
    adam(batch.points, gradient, (batch.mean, batch.square), warmed(rate, step))
    bound(batch.points, batch.low, batch.high)


def _look(loss: Loss, settle: _Settle, batch: _Batch, pace: Pace) -> tuple[_Batch, Loss]:
    """The batch with its best sets brought up to date, and the loss, pressed where needed."""
    xp = namespace(batch.points)
    settled = settle(batch)
    wrong, faulty = loss.faults(settled)
    faults = xp.sum(xp.astype(faulty, settled.dtype), axis=0)
    objective = loss.objective(settled)
    nearer = (faults == batch.faults) & (objective < batch.objective - pace.gain)
    better = (faults < batch.faults) | nearer
    batch = replace(
        batch,
        best=xp.where(better, settled, batch.best),
        faults=xp.where(better, faults, batch.faults),
        objective=xp.where(better, objective, batch.objective),
        stale=xp.where(better, xp.zeros_like(batch.stale), batch.stale + 1.0),
    )
    if pace.again:
        batch = _start_again(batch, faulty & (batch.stale % pace.again == pace.again - 1.0))
    return batch, replace(loss, outcome=loss.outcome.press(pace.press * wrong))


def _start_again(batch: _Batch, lost: Array) -> _Batch:
    """The batch with the lost points [k, q] at their starts, and those mirrored for the next time.

    A mirrored start is as random as the first, needs no further random numbers, and belongs to the
    row alone.
    """
    xp = namespace(batch.points)
    return replace(
        batch,
        points=xp.where(lost, batch.starts, batch.points),
        mean=xp.where(lost, xp.zeros_like(batch.mean), batch.mean),
        square=xp.where(lost, xp.zeros_like(batch.square), batch.square),
        starts=xp.where(lost, batch.low + batch.high - batch.starts, batch.starts),
    )


@final
@dataclass(frozen=True)
class _Settle:
    """How a set comes to lie on the value grid."""

    space: Space
    mend: Mend | None

    def __call__(self, batch: _Batch) -> Array:
        """[w, k, q] the points on the grid, never on a level that the bounds forbid."""
        xp = namespace(batch.points)
        allowed = batch.points - xp.astype(batch.high <= 0.0, batch.points.dtype)
        codes = self.space.snap(xp.permute_dims(allowed, (2, 1, 0)))
        if self.mend is not None:
            codes = self.mend(codes, batch.whole)
        settled = xp.empty_like(batch.points)  # rows last in memory, too
        settled[...] = xp.permute_dims(self.space.units(codes), (2, 1, 0))
        return settled


def _chunks(starts: Array) -> Iterator[slice]:
    """Slices of rows whose arrays of pairs fit the memory that is fast."""
    q, k, w = starts.shape
    numbers = CACHED if str(device(starts)) == "cpu" else RESIDENT
    size = max(1, numbers // (w * k * (k + 1) // 2))
    return (slice(begin, min(q, begin + size)) for begin in range(0, q, size))
