"""What is asked of margins over a box, what is known of them, and how a box is halved."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ifonly.bounds.boxes import Boxes, owner, whole
from ifonly.bounds.needs import needs
from ifonly.models.reading import Layers, Reading
from ifonly.problem.goal import Goal

ROUNDING = 1e-12
"""The share by which sums may differ that are added up in another order."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Sums of margins, each of which must be above its edge for the outcome to hold."""

    factors: np.ndarray
    """[n, s, c]"""
    edge: np.ndarray
    """[n, s] with the rounding of the model; -inf where nothing is asked."""
    one: np.ndarray
    """bool [n] whether one of the sums is enough."""
    room: np.ndarray
    """[n] how far rounding may take a sum, at the most."""

    def __getitem__(self, rows: np.ndarray | slice) -> Sides:
        return Sides(self.factors[rows], self.edge[rows], self.one[rows], self.room[rows])

    @classmethod
    def of(cls, reading: Reading, goal: Goal, boxes: Boxes) -> Sides:
        """What the goal of each box asks of the margins of a reading."""
        last = reading.layers[-1][1] if isinstance(reading, Layers) else reading.base
        c, n = len(last), len(boxes)
        avoided = np.zeros(n, dtype=bool) if goal.avoided is None else goal.avoided
        kinds = np.stack([goal.wanted, np.nan_to_num(goal.low), np.nan_to_num(goal.high), avoided])
        _, first, which = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
        most = max(2, c - 1)
        factors, edge = np.zeros((n, most, c)), np.full((n, most), -np.inf)
        size, room = _size(reading, boxes), np.zeros(n)
        for kind, row in enumerate(first):
            rows, side = np.flatnonzero(which.ravel() == kind), 0
            # Of any class but one, each sum is turned around.
            turn = -1.0 if avoided[row] else 1.0
            for need in needs(reading, c, goal.take(np.array([row])), reading.space.low):
                times = np.zeros(c)
                times[list(need.factors)] = list(need.factors.values())
                slack = need.slack * size[rows] + ROUNDING * _most(reading, times)
                room[rows] = np.maximum(room[rows], slack)
                for sign, end in ((turn, need.low), (-turn, -need.high)):
                    if end > -np.inf:
                        factors[rows, side], edge[rows, side] = sign * times, turn * end + slack
                        side += 1
        used = max(1, int((edge > -np.inf).sum(axis=1).max(initial=0)))
        return cls(factors[:, :used], edge[:, :used], avoided, room)

    def combined(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[n] the sum over its edge [n, s] that decides, and which it is."""
        asked = self.edge > -np.inf
        one = self.one[:, None]
        sums = np.where(asked, sums, np.where(one, -np.inf, np.inf))
        place = np.where(self.one, sums.argmax(axis=1), sums.argmin(axis=1))
        return np.take_along_axis(sums, place[:, None], axis=1)[:, 0], place


@dataclass(frozen=True, eq=False)
class Split:
    """How boxes are halved: what of one feature goes left."""

    there: np.ndarray
    """bool [n] whether there is anything to halve."""
    j: np.ndarray
    """int [n]"""
    cut: np.ndarray
    """[n] numbers up to this one go left."""
    levels: np.ndarray
    """bool [n, w]"""
    missing: np.ndarray
    """bool [n]"""

    def __getitem__(self, rows: np.ndarray) -> Split:
        return Split(*(getattr(self, part.name)[rows] for part in fields(Split)))

    def halves(self, boxes: Boxes) -> tuple[Boxes, Boxes]:
        """The left and the right parts of boxes; all of them have both."""
        at = np.arange(len(boxes)), self.j
        own = owner(boxes.space) == self.j[:, None]
        integer = whole(boxes.space)[self.j]
        below = np.where(integer, np.floor(self.cut), self.cut)
        above = np.where(integer, below + 1, np.nextafter(self.cut, np.inf))
        parts = []
        for left in (True, False):
            low, high, missing = boxes.low.copy(), boxes.high.copy(), boxes.missing.copy()
            if left:
                high[at] = np.minimum(high[at], below)
            else:
                low[at] = np.maximum(low[at], above)
            none = ~(low[at] <= high[at])
            low[at], high[at] = np.where(none, np.nan, low[at]), np.where(none, np.nan, high[at])
            missing[at] &= self.missing == left
            levels = boxes.levels & ~(own & (self.levels != left))
            parts.append(Boxes(boxes.space, low, high, levels, missing))
        return parts[0], parts[1]


@dataclass(frozen=True, eq=False)
class Bound:
    """What is known of the least margin over each of n boxes."""

    least: np.ndarray
    """[n] it is not below this."""
    seen: np.ndarray
    """[n] nor above this."""
    split: Split

    def join(self, *others: Bound) -> Bound:
        """These and others."""
        every = (self, *others)
        parts = (
            np.concatenate([getattr(one.split, part.name) for one in every])
            for part in fields(Split)
        )
        return Bound(
            np.concatenate([one.least for one in every]),
            np.concatenate([one.seen for one in every]),
            Split(*parts),
        )


def _size(reading: Reading, boxes: Boxes) -> np.ndarray:
    """[n] by how many times the rounding of layers grows in boxes outside the range."""
    if not isinstance(reading, Layers):
        return np.ones(len(boxes))
    space = boxes.space
    width = np.where(space.high > space.low, space.high - space.low, 1.0)
    over = np.fmax((boxes.high - space.high) / width, (space.low - boxes.low) / width)
    return np.asarray(1.0 + 2.0 * np.nan_to_num(over).max(axis=1, initial=0.0))


def _most(reading: Reading, times: np.ndarray) -> float:
    """How large the sums of trees can be, of which rounding is a share."""
    if isinstance(reading, Layers):
        return 0.0
    each = sum(float(np.abs(tree.value @ times).max()) for tree in reading.trees)
    return each + abs(float(reading.base @ times))
