"""Shapley values of a game: what each of n players adds, over all orders in which they join."""

from __future__ import annotations

from math import factorial

import numpy as np

EXACT = 12
"""Up to so many players, every coalition is asked about: 4,096 of 12."""
ORDERS = 128
"""How many orders are drawn of more players; each comes with its reverse."""


def game(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Coalitions, bool [s, n], and weights [n, s]: a value is the weighted sum of what they score.

    Up to `EXACT` players these are all coalitions. Of more, they are those on the way along
    `ORDERS` random orders and their reverses, the same for every game of n players. In either
    case the values sum to what all players score, less what none does.

    >>> coalitions, weights = game(2)
    >>> score = np.where(coalitions.all(axis=1), 10.0, 0.0)  # only both together score
    >>> (weights * score).sum(axis=1)
    array([5., 5.])
    """
    if n > EXACT:
        return _drawn(n)
    inside = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)
    size = inside.sum(axis=1)
    share = [factorial(s) * factorial(n - s - 1) / factorial(n) for s in range(n)]
    joins = np.array([*share, 0.0])  # [n + 1] the weight of joining a coalition of s others
    weights = np.where(inside, joins[np.maximum(size - 1, 0), None], -joins[size, None])
    return inside, weights.T


def _drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The coalitions on the way along random orders, and their weights."""
    rng = np.random.default_rng(n)
    orders = np.array([rng.permutation(n) for _ in range(ORDERS)])
    places = np.argsort(np.concatenate([orders, orders[:, ::-1]]), axis=1)  # [o, n] who joins when
    inside = places[:, None] < np.arange(n + 1)[:, None]  # [o, n + 1, n]
    joined = places[:, None] == np.arange(n + 1)[:, None] - 1
    leaves = places[:, None] == np.arange(n + 1)[:, None]
    weights = (joined.astype(float) - leaves) / len(places)
    return inside.reshape(-1, n), weights.reshape(-1, n).T
