"""Boxes grown around points until no side can move out by one step and keep the outcome.

A side is an end of a number, a level, or a missing value. Each box moves out the side that takes in
the largest share of the data's values of its feature, as far as the outcome holds; then the next.
A side that was moved, or cannot move, is done: what stops it lies in every larger box, too. Only
what a side adds has to be proved, since the rest of the box is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ifonly.arrays.powers import powers_of_ten
from ifonly.bounds.boxes import Boxes, owner, whole
from ifonly.space import Space

Holds = Callable[[Boxes, np.ndarray], np.ndarray]
"""From boxes [m], and int [m] the point of each, to bool [m]: whether the outcome holds there."""
DOWN, UP, LEVEL, GAP, FILL = range(5)
"""The kinds of sides; of a number that is missing, all known values are one."""
CLOSE = 1e-6
"""The share of a step within which two values are one."""


def grown(space: Space, points: np.ndarray, data: np.ndarray, holds: Holds) -> Boxes:
    """Maximal boxes around points [n, d], at which the outcome holds.

    Parameters
    ----------
    space
        The features: a box does not leave their known ranges, but for the point's own values.
    points
        [n, d].
    data
        [rows, d] the codes whose shares are gained.
    holds
        Whether the outcome holds in boxes.

    Returns
    -------
    Boxes
    """
    sides, boxes = _Sides(space, data), Boxes.at(space, points)
    at = sides.places(boxes)
    reach = np.broadcast_to(sides.most, at.shape).copy()
    while (waiting := reach > at).any():
        rows = np.flatnonzero(waiting.any(axis=1))
        gain = np.where(waiting[rows], sides.gain(at[rows], reach[rows]), -1.0)
        s, here = gain.argmax(axis=1), np.arange(len(rows))
        found = _furthest(
            sides,
            boxes[rows],
            s,
            at=at[rows, s],
            reach=reach[rows, s],
            rows=rows,
            holds=holds,
        )
        reach[rows, s] = found
        own = sides.gain(at[rows], reach[rows])[here, s]
        gain[here, s] = -1.0
        moves = (found > at[rows, s]) & (own >= gain.max(axis=1))
        rows, s, found = rows[moves], s[moves], found[moves]
        boxes = sides.widened(boxes, rows, s, found)
        reach[rows, s] = at[rows, s] = found
    return boxes


def _furthest(
    sides: _Sides,
    boxes: Boxes,
    s: np.ndarray,
    *,
    at: np.ndarray,
    reach: np.ndarray,
    rows: np.ndarray,
    holds: Holds,
) -> np.ndarray:
    """[n] the last place that a side s [n] of each box can move to, by bisection."""
    good, bad, place = at.copy(), reach + 1, reach
    while len(open_ := np.flatnonzero(bad - good > 1)):
        added = sides.added(boxes[open_], s[open_], good[open_], place[open_])
        held = holds(added, rows[open_])
        good[open_] = np.where(held, place[open_], good[open_])
        bad[open_] = np.where(held, bad[open_], place[open_])
        place = np.floor((good + bad) / 2)
    return good


@dataclass(frozen=True, eq=False)
class _Sides:
    """The s sides of a box: each moves out over places, which are steps of the value grid.

    A level and a missing value are at place 0, and at 1 once they are inside.
    """

    space: Space
    data: np.ndarray

    @cached_property
    def each(self) -> np.ndarray:
        """int [3, s] the kind, the feature and the level of each side."""
        sides = []
        for j, feature in enumerate(self.space.features):
            if self.space.continuous[j]:
                sides += [(DOWN, j, 0), (UP, j, 0)]
            else:
                count = self.space.offsets[j + 1] - self.space.offsets[j]
                sides += [(LEVEL, j, level) for level in range(count)]
            sides += [(GAP, j, 0)] * feature.missing
            sides += [(FILL, j, 0)] * bool(feature.missing and self.space.continuous[j])
        return np.array(sides, dtype=np.intp).T

    @cached_property
    def sign(self) -> np.ndarray:
        """[s] -1 for a lower end, 1 for an upper end, 0 for the others."""
        return np.asarray(np.choose(self.each[0], [-1.0, 1.0, 0.0, 0.0, 0.0]))

    @cached_property
    def most(self) -> np.ndarray:
        """[s] the last place of each side."""
        ends = np.where(self.sign > 0, self.space.high[self.each[1]], self.space.low[self.each[1]])
        return np.where(self.sign == 0, 1.0, self._steps(ends, np.arange(len(ends))))

    def places(self, boxes: Boxes) -> np.ndarray:
        """[n, s] where the sides of boxes are; at the last place where a box has no numbers."""
        kind, j, level = self.each
        number = np.where(self.sign > 0, boxes.high[:, j], boxes.low[:, j])
        inside = np.where(
            kind == LEVEL, boxes.levels[:, self._first[j] + level], boxes.missing[:, j]
        )
        inside = np.where(kind == FILL, ~np.isnan(boxes.low[:, j]), inside)
        steps = self._steps(number, np.arange(len(j)))
        return np.where(self.sign == 0, inside, np.where(np.isnan(steps), self.most, steps))

    def gain(self, at: np.ndarray, to: np.ndarray) -> np.ndarray:
        """[n, s] the share of the data's values that sides take in between two places."""
        kind, j, level = self.each
        gain = np.zeros(at.shape)
        for s in range(len(j)):
            known = self._known[j[s]]
            if self.sign[s]:
                steps = self._steps(known, np.array(s))
                steps = steps if self.sign[s] > 0 else steps[::-1]
                pair = (np.searchsorted(steps, one[:, s], side="right") for one in (to, at))
                gain[:, s] = np.subtract(*pair)
            else:
                gaps = len(self.data) - len(known)
                level_count = (known == level[s]).sum()
                count = {GAP: gaps, FILL: len(known)}.get(kind[s], level_count)
                gain[:, s] = count * (to[:, s] > at[:, s])
        return gain / max(1, len(self.data))

    def added(self, boxes: Boxes, s: np.ndarray, at: np.ndarray, to: np.ndarray) -> Boxes:
        """What sides s [n] of boxes take in beyond a place, up to another."""
        kind, j, level = self.each[:, s]
        sign, rows = self.sign[s], np.arange(len(s))
        own = np.where(kind == UP, boxes.high[rows, j], boxes.low[rows, j])
        start = np.where(self._steps(own, s) == at, own, self._values(at, s))
        past = np.where(whole(self.space)[j], start + sign, np.nextafter(start, start + sign))
        last = self._values(to, s)
        low, high, missing = boxes.low.copy(), boxes.high.copy(), boxes.missing.copy()
        bottom, top = (np.where(kind == FILL, end[j], np.nan) for end in self._ends)
        low[rows, j] = np.where(kind == UP, past, np.where(kind == DOWN, last, bottom))
        high[rows, j] = np.where(kind == UP, last, np.where(kind == DOWN, past, top))
        missing[rows, j] = kind == GAP
        column = np.arange(boxes.levels.shape[1]) == (self._first[j] + level)[:, None]
        levels = np.where(owner(self.space) == j[:, None], False, boxes.levels)
        return Boxes(self.space, low, high, levels | (column & (kind == LEVEL)[:, None]), missing)

    def widened(self, boxes: Boxes, rows: np.ndarray, s: np.ndarray, to: np.ndarray) -> Boxes:
        """Boxes in which sides s [m] of some rows [m] have moved to a place [m]."""
        kind, j, level = self.each[:, s]
        parts = [part.copy() for part in (boxes.low, boxes.high, boxes.levels, boxes.missing)]
        columns = (j, j, self._first[j] + level, j)
        values = self._values(to, s)
        for part, column, one in zip(parts, columns, (DOWN, UP, LEVEL, GAP), strict=True):
            part[rows[kind == one], column[kind == one]] = values[kind == one]
        for part, end in zip(parts, self._ends, strict=False):
            part[rows[kind == FILL], j[kind == FILL]] = end[j[kind == FILL]]
        return Boxes(self.space, *parts)

    @property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """[d] twice: the known ranges of the features."""
        return self.space.low, self.space.high

    @cached_property
    def _first(self) -> np.ndarray:
        """int [d] the first unit column of each feature."""
        return np.asarray(self.space.offsets[:-1])

    def _values(self, places: np.ndarray, s: np.ndarray) -> np.ndarray:
        """The numbers at places of sides s; 1 for a level and a missing value."""
        value = self.sign[s] * places / powers_of_ten(self.space.decimals[self.each[1, s]])
        return np.where(self.sign[s] == 0, 1.0, value + 0.0)

    @cached_property
    def _known(self) -> list[np.ndarray]:
        """The sorted codes of each feature that the data have."""
        columns = (self.data[:, j] for j in range(len(self.space)))
        return [np.sort(column[~np.isnan(column)]) for column in columns]

    def _steps(self, values: np.ndarray, s: np.ndarray) -> np.ndarray:
        """The places of numbers, or the places before them, on sides s."""
        return np.asarray(
            np.floor(
                self.sign[s] * values * powers_of_ten(self.space.decimals[self.each[1, s]]) + CLOSE
            )
        )
