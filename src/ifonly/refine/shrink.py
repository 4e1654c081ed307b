"""Points nearer to the row, with the outcome kept.

A few rounds, one model call each. In a round every kept point tries to give one of its dearest
changes back, and tries values between the row's and its own for its widest continuous changes; of
the moves that keep the outcome it takes the one that saves most. What fails is remembered:
a refused change is not offered again, and the nearest failing value bounds the next sections, so
that a few rounds bisect as finely as many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import Points, change_sets, changes, edited, gather, pick, read, written
from ifonly.arrays.ranking import best, leaders
from ifonly.problem.effort import Effort, check_effort, size_of
from ifonly.problem.moves import settle
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem

_INF = np.float32(np.inf)


@dataclass(frozen=True)
class Shrink:
    """The nearest valid candidates, made nearer.

    Parameters
    ----------
    effort
        'small', 'base', 'thorough' or 'auto': how many candidates, and in how many rounds.
    each
        How many candidates are kept per set of changed features.
    gifts
        How many changes a candidate tries to revert per round.
    widest
        How many continuous changes are bisected per round.
    sections
        How many values are tried per bisected change.

    Raises
    ------
    OptionError
        There is no such effort.

    Examples
    --------
    >>> Shrink("small", each=1)
    Shrink(effort='small', each=1, gifts=4, widest=2, sections=3)
    """

    effort: Effort = "auto"
    each: int = 2
    gifts: int = 4
    widest: int = 2
    sections: int = 3

    def __post_init__(self) -> None:
        check_effort(self.effort)

    def refine(self, problem: Problem, pool: Pool) -> Pool:
        """The nearest candidates with fewer and smaller changes."""
        if not pool.margin.shape[1]:
            return pool
        size = size_of(self.effort, problem)
        cost = np.where(pool.valid, problem.price(pool.points), _INF)
        sets = change_sets(changes(pool.points, problem.moves.origin))
        index, found = leaders(cost, sets, size.keep, each=self.each)
        origin = _spread(problem.moves.origin, index.shape[1])
        state = _State(
            gather(pool.points, index),
            np.where(found, pick(pool.margin, index), -_INF),
            pick(cost, index),
            origin,
            np.zeros_like(origin, bool),
        )
        for _ in range(size.shrinks):
            if problem.spent:
                break
            state = self._round(problem, origin, state)
        return Pool(state.points, state.margin)

    def _round(self, problem: Problem, origin: Points, state: _State) -> _State:
        q, n, _ = state.points.shape
        gifts = self._gifts(problem, origin, state)
        features, values = self._sections(problem, state)
        g, s = gifts.shape[2], self.sections
        feature = np.concatenate([gifts, np.repeat(features, s, axis=2)], axis=2)
        value = np.concatenate([read(origin, gifts), values.reshape(q, n, -1)], axis=2)
        a = feature.shape[2]
        tried = problem.repaired(edited(state.points, feature, value))
        margin = problem.margin(tried, inside=True)
        price = problem.price(tried)
        kept = ((margin > 0) & (price > 0)).reshape(q, n, a) & (state.margin > 0)[:, :, None]
        move = np.where(kept, price.reshape(q, n, a), _INF).argmin(2) + np.arange(n) * a
        better = pick(kept.reshape(q, n * a), move) & (pick(price, move) < state.price)
        return _State(
            np.where(better[:, :, None], gather(tried, move), state.points),
            np.where(better, pick(margin, move), state.margin),
            np.where(better, pick(price, move), state.price),
            _raised(state.floor, features, values, kept[:, :, g:].reshape(q, n, -1, s)),
            written(state.refused, gifts, ~kept[:, :, :g] | read(state.refused, gifts)),
        )

    def _gifts(self, problem: Problem, origin: Points, state: _State) -> NDArray[np.intp]:
        """The dearest changes not refused before [q, n, gifts]."""
        gaps = problem.metric.prices(state.points, origin)
        gaps[state.refused] = 0
        return best(-gaps, min(self.gifts, gaps.shape[2]))[0]

    def _sections(self, problem: Problem, state: _State) -> tuple[NDArray[np.intp], Points]:
        """The widest continuous changes [q, n, widest]; values inside [q, n, widest, sections]."""
        continuous = problem.space.continuous
        widest = min(self.widest, int(continuous.sum()))
        gaps = problem.metric.prices(state.points, state.floor)
        feature = best(np.where(continuous, -gaps, np.float32(1)), max(widest, 1))[0][..., :widest]
        low, high = read(state.floor, feature)[..., None], read(state.points, feature)[..., None]
        share = (np.arange(1, self.sections + 1) / (self.sections + 1)).astype(low.dtype)
        between = low + (high - low) * share
        return feature, settle(problem.box, between, feature[..., None], problem.grid.stops)


@dataclass(frozen=True)
class _State:
    """The points kept, and what they tried: the last failing value, and refused returns."""

    points: Points
    margin: NDArray[np.floating]
    price: NDArray[np.floating]
    floor: Points
    refused: NDArray[np.bool_]


def _spread(row: NDArray[Any], n: int) -> NDArray[Any]:
    """[q, d] -> [q, n, d], stored feature by feature."""
    q, d = row.shape
    out = np.empty((d, q, n), row.dtype)
    out[...] = row.T[:, :, None]
    return out.transpose(1, 2, 0)


def _raised(
    floor: Points, feature: NDArray[np.intp], value: Points, kept: NDArray[np.bool_]
) -> Points:
    """The floors raised to the last value that failed before the first that held."""
    if not feature.shape[2]:
        return floor
    steps = np.concatenate([read(floor, feature)[..., None], value], axis=3)
    fails = np.where(kept.any(3), kept.argmax(3), kept.shape[3])
    last = steps.reshape(-1).take(
        fails + (np.arange(fails.size) * steps.shape[3]).reshape(fails.shape)
    )
    return written(floor, feature, last)
