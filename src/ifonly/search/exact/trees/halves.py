"""Boxes in parts: beside a leaf that the cheapest point does not reach, at the row's own value, or
beside the way of an earlier answer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ifonly.search.exact.trees.choices import Boxes, Choices


def beside_leaves(choices: Choices, boxes: Boxes, leaves: Boxes) -> tuple[Boxes, Boxes]:
    """The parts of boxes that meet no leaf any longer, and the parts that are left.

    There is a leaf for each box, which its cheapest point does not come to. The cheapest point is
    in the first part; of the features that keep it from the leaf, the dearest is split.
    """
    rows = np.arange(len(boxes))
    outside = ~choices.hold(leaves, boxes.place)
    j = np.where(outside, leaves.price - boxes.price, -np.inf).argmax(axis=1)
    place, low, high = boxes.place[rows, j], boxes.first[rows, j], boxes.last[rows, j]
    first, last = leaves.first[rows, j], leaves.last[rows, j]
    number = place < choices.numbers[j]
    under, over = number & (place < first), number & (place >= first)
    # A value without an order leaves all numbers to the second part.
    outer = _Values(np.where(over, last + 1, low), np.where(under, first - 1, high))
    outer = outer.within(low, np.where(number, high, -1))
    inner = _Values(np.where(under, first, low), np.where(over, last, high)).within(low, high)
    listed = leaves.rest | (choices.owner != j[:, None])
    free = ~leaves.rest | (choices.owner != j[:, None])
    return (
        boxes.around(outer.put(choices, boxes, j, boxes.rest & free)),
        inner.put(choices, boxes, j, boxes.rest & listed),
    )


def beside_own(choices: Choices, boxes: Boxes) -> tuple[Boxes, Boxes]:
    """Boxes in two parts: of a feature that may stay or change, the row's own value and the rest.

    Numbers on both sides of it take two steps. A box in which nothing is left to decide goes.
    """
    own_place = np.broadcast_to(choices.own_place, boxes.first.shape)
    may_stay = choices.hold(boxes, np.maximum(own_place, 0)) & (own_place >= 0)
    undecided = may_stay & (choices.count(boxes) > 1)
    left = np.flatnonzero(undecided.any(axis=1))
    boxes, undecided = boxes[left], undecided[left]
    rows, j = np.arange(len(boxes)), undecided.argmax(axis=1)
    place, low, high = choices.own_place[j], boxes.first[rows, j], boxes.last[rows, j]
    number, own = place < choices.numbers[j], choices.owner == j[:, None]
    above = number & ((place < high) | (boxes.rest & own).any(axis=1))
    stays = _Values(np.where(above, low, place), np.where(number, place, -1))
    moves = _Values(np.where(above, place + 1, low), np.where(number & ~above, place - 1, high))
    at = choices.offsets[j] + place - choices.numbers[j]
    chosen = ~number[:, None] & (np.arange(len(choices.owner)) == at[:, None])
    return (
        stays.put(choices, boxes, j, np.where(own, chosen, boxes.rest)),
        moves.put(choices, boxes, j, boxes.rest & ~chosen),
    )


def beside_way(choices: Choices, boxes: Boxes, way: Boxes) -> list[Boxes]:
    """What boxes have beside one other, in parts: one for each feature of which it lacks values.

    The other has all points that make the changes of an answer, or is one point. Of a number it has
    those on one side of the row's own value, all, none or one.
    """
    parts, count = [], len(boxes)
    whole = choices.count(choices.whole())
    for j in np.flatnonzero((choices.count(way) < whole)[0]):
        first, last, most = way.first[0, j], way.last[0, j], choices.numbers[j] - 1
        listed, other = way.rest[0], choices.owner != j
        ends = [(first, last, listed), (last + 1, most, ~listed)]
        if first > 0:  # what lies below, and what lies above if there is anything
            above = [(last + 1, most, listed & other)] if 0 <= last < most else []
            ends = [ends[0], (0, first - 1, ~listed), *above]
        inner, *outer = (
            _Values(np.full(count, low), np.full(count, high))
            .within(boxes.first[:, j], boxes.last[:, j])
            .put(choices, boxes, np.full(count, j), boxes.rest & (kept | other))
            for low, high, kept in ends
        )
        parts += outer
        boxes = inner
    return parts


class _Values:
    """The first and the last number [n] of one feature of each box."""

    def __init__(self, first: np.ndarray, last: np.ndarray) -> None:
        self.first, self.last = first, last

    def within(self, low: np.ndarray, high: np.ndarray) -> _Values:
        """Those of them between others."""
        return _Values(np.maximum(self.first, low), np.minimum(self.last, high))

    def put(self, choices: Choices, boxes: Boxes, j: np.ndarray, rest: np.ndarray) -> Boxes:
        """Boxes with these numbers of feature j [n], and other values `rest` [n, w]."""
        first, last, rows = boxes.first.copy(), boxes.last.copy(), np.arange(len(boxes))
        first[rows, j], last[rows, j] = self.first, self.last
        inner = choices.boxes(first, last, rest)
        return replace(inner, cost=np.maximum(inner.cost, boxes.cost))
