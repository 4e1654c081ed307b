"""The candidates of each row, with the margins that the model has already been asked for.

Rows have different numbers of candidates, so a pool is padded: a margin of -inf marks an empty
slot. A candidate has the wanted outcome where its margin is positive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.arrays.batches import gather, join, pick
from ifonly.arrays.keys import point_keys

FEW = 16
"""The candidates of a row up to which comparing all pairs is faster than sorting."""


@dataclass(frozen=True)
class Pool:
    """Candidates `points` [q, m, d] and their `margin` [q, m]."""

    points: np.ndarray
    margin: np.ndarray

    @classmethod
    def empty(cls, x: np.ndarray) -> Pool:
        """No candidates for rows x [q, d]: one empty slot each."""
        return cls(x[:, None], np.full((len(x), 1), -np.inf))

    @property
    def valid(self) -> np.ndarray:
        """bool [q, m]: the candidates with the wanted outcome."""
        return self.margin > 0

    @property
    def m(self) -> int:
        """How many slots a row has."""
        return int(self.margin.shape[1])

    def join(self, other: Pool) -> Pool:
        """Both pools side by side."""
        return Pool(
            join(self.points, other.points),
            np.concatenate([self.margin, other.margin], axis=1),
        )

    def without(self, mask: np.ndarray) -> Pool:
        """The pool with the slots of a mask [q, m] emptied."""
        return Pool(self.points, np.where(mask, -np.inf, self.margin))

    def without_repeats(self) -> Pool:
        """The pool with all but the first of equal points emptied."""
        return self.without(repeated(self.points, self.margin > -np.inf))

    def take(self, rows: np.ndarray) -> Pool:
        """The candidates of some rows."""
        return Pool(self.points[rows], self.margin[rows])

    def spread(self, rows: np.ndarray, q: int) -> Pool:
        """The pool of some rows as one of all q rows, empty elsewhere."""
        points = np.zeros((q, *self.points.shape[1:]))
        margin = np.full((q, self.margin.shape[1]), -np.inf)
        points[rows], margin[rows] = self.points, self.margin
        return Pool(points, margin)

    def nearest(self, cost: np.ndarray, m: int) -> Pool:
        """The m candidates of least cost [q, m] a row, nearest first."""
        if self.points.shape[1] <= m:
            order = np.argsort(cost, axis=1, kind="stable")
        else:
            # A partition leaves ties to chance: the first of them are taken, in any padding.
            last = np.partition(cost, m - 1, axis=1)[:, m - 1 : m]
            below, tied = cost < last, cost == last
            room = m - below.sum(axis=1, keepdims=True)
            kept = below | (tied & (tied.cumsum(axis=1) <= room))
            order = np.nonzero(kept)[1].reshape(len(cost), m)
            order = pick(order, np.argsort(pick(cost, order), axis=1, kind="stable"))
        return Pool(gather(self.points, order), pick(self.margin, order))


def repeated(points: np.ndarray, present: np.ndarray) -> np.ndarray:
    """bool [q, m]: the present points that equal an earlier present point of their row."""
    return repeated_keys(point_keys(points), present)


def repeated_keys(keys: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The same of points that are given by their keys [q, m]."""
    q, m = keys.shape
    if m <= FEW:
        return _repeated_among_few(np.ascontiguousarray(keys.T), present.T).T
    order = np.lexsort((np.broadcast_to(np.arange(m), (q, m)), keys, ~present), axis=1)
    ranked, here = pick(keys, order), pick(present, order)
    same = np.zeros((q, m), dtype=bool)
    same[:, 1:] = (ranked[:, 1:] == ranked[:, :-1]) & here[:, 1:] & here[:, :-1]
    result = np.empty_like(same)
    np.put_along_axis(result, order, same, axis=1)
    return result


def _repeated_among_few(keys: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The same of keys [m, q]: the rows lie last, so that a comparison is one pass over them."""
    same = np.zeros(keys.shape, dtype=bool)
    for apart in range(1, len(keys)):
        same[apart:] |= (keys[apart:] == keys[:-apart]) & present[:-apart]
    return np.asarray(same & present)
