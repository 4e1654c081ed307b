"""Which s of many actions to take: greedily, and then by exchange.

A set of actions gives every row the cheapest of those that work for it. Of two sets, the better one
works for more rows, up to `enough` of them; of as many, the one with the lower mean cost is better;
and of as costly ones, again the one that works for more rows.
"""

from __future__ import annotations

import numpy as np


def choose(cost: np.ndarray, most: int, enough: float = 1.0) -> list[tuple[int, ...]]:
    """Sets of 1, 2, ... actions, each better than the one before.

    `cost` [r, a] is infinite where an action does not work. The list ends where another action
    adds nothing.
    """
    chosen: tuple[int, ...] = ()
    sets: list[tuple[int, ...]] = []
    value: Value = (np.inf, np.inf, np.inf)
    while len(chosen) < most and cost.size:
        place, better = _values(cost, chosen, enough)
        if not (better < value and better[1] < np.inf):
            break
        chosen, value = _exchanged(cost, (*chosen, place), better, enough)
        sets.append(tuple(sorted(chosen)))
    return sets


Value = tuple[float, float, float]
"""What is made small: the rows that a set lacks to enough, its mean cost, all that it lacks."""


def _exchanged(
    cost: np.ndarray, chosen: tuple[int, ...], value: Value, enough: float
) -> tuple[tuple[int, ...], Value]:
    """A set in which no single exchange is better, and its value."""
    before: Value | None = None
    while value != before:
        before = value
        for one in chosen:
            rest = tuple(other for other in chosen if other != one)
            place, better = _values(cost, rest, enough)
            if better < value:
                chosen, value = (*rest, place), better
    return chosen, value


def _values(cost: np.ndarray, chosen: tuple[int, ...], enough: float) -> tuple[int, Value]:
    """The action that makes the best set together with those chosen, and the value of that set."""
    best = cost[:, list(chosen)].min(axis=1, initial=np.inf)
    each = np.minimum(best[:, None], cost)
    reached = np.isfinite(each)
    count = reached.sum(axis=0)
    mean = np.where(reached, each, 0.0).sum(axis=0) / np.maximum(count, 1)
    failed = np.maximum(0, np.ceil(enough * len(cost) - 1e-9) - count)
    mean = np.where(count > 0, mean.round(12), np.inf)
    lacking = len(cost) - count
    place = int(np.lexsort((lacking, mean, failed))[0])
    return place, (float(failed[place]), float(mean[place]), float(lacking[place]))
