"""What a row may become, as far as trees can tell: few values of each feature, and boxes of them.

Between two cuts of the trees nothing changes, so of each stretch of a number's values only the
cheapest matters. A value is known by its place among those of its feature: numbers stand in order,
and after them what has no order, which are the levels of a category and a value that goes missing.
A box has neighbouring numbers of each feature, from the first to the last, and some of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from ifonly.models.reading import Regions, Trees, code_at, step_below
from ifonly.problem.problem import Problem
from ifonly.space import Continuous
from ifonly.space.distance import differs


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes, and the cheapest point of each."""

    first: np.ndarray
    """int [n, d] the first number; a box without numbers has its last before all firsts."""
    last: np.ndarray
    """int [n, d]"""
    rest: np.ndarray
    """bool [n, w] which of the values without an order it has, feature after feature."""
    price: np.ndarray
    """[n, d] what the cheapest value of each feature costs; infinite in a box without values."""
    cost: np.ndarray
    """[n] what every point costs at least."""
    place: np.ndarray
    """int [n, d] the cheapest point: its values, or those of the stretches that they are in."""
    codes: np.ndarray
    """[n, d] the cheapest point itself."""
    settled: np.ndarray
    """bool [n] whether it is the cheapest of those that relations allow."""

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, rows: np.ndarray) -> Boxes:
        return Boxes(*(getattr(self, name)[rows] for name in _PARTS))

    def join(self, *others: Boxes) -> Boxes:
        """These and others."""
        every = (self, *others)
        return Boxes(*(np.concatenate([getattr(one, name) for one in every]) for name in _PARTS))

    def around(self, inner: Boxes) -> Boxes:
        """Boxes inside these, one in each, that have their cheapest points."""
        names = ("cost", "place", "codes", "settled")
        return replace(inner, **{name: getattr(self, name) for name in names})


_PARTS = tuple(part.name for part in fields(Boxes))


@dataclass(frozen=True, eq=False)
class Choices:
    """The values of each feature that matter for one row, and what each costs."""

    values: tuple[np.ndarray, ...]
    costs: tuple[np.ndarray, ...]
    numbers: np.ndarray
    """int [d] how many values of a feature stand in order."""
    own: np.ndarray
    """[d] the row's codes."""

    @classmethod
    def of(cls, problem: Problem, reading: Trees) -> Choices:
        """The choices of the one row of a problem."""
        values = tuple(_values(problem, reading, j) for j in range(len(problem.space)))
        costs = tuple(_costs(problem, j, one) for j, one in enumerate(values))
        ordered = np.asarray(problem.space.continuous)
        known = np.array([np.isfinite(one).sum() for one in values])
        return cls(values, costs, np.where(ordered, known, 0), problem.x[0])

    @cached_property
    def sizes(self) -> np.ndarray:
        """int [d] how many values a feature has."""
        return np.array([len(one) for one in self.values])

    @cached_property
    def offsets(self) -> np.ndarray:
        """int [d + 1] where the values without an order of each feature start."""
        return np.concatenate([[0], np.cumsum(self.sizes - self.numbers)])

    def rest(self, j: int) -> slice:
        """The columns of feature j's values without an order."""
        return slice(int(self.offsets[j]), int(self.offsets[j + 1]))

    def whole(self) -> Boxes:
        """The box of everything."""
        first, last = np.zeros_like(self.numbers)[None], self.numbers[None] - 1
        return self.boxes(first, last, np.ones((1, self.offsets[-1]), dtype=bool))

    def way(self, point: np.ndarray) -> Boxes:
        """The box of all points that make the changes of a point [d], whatever else they change."""
        whole = self.whole()
        first, last, rest = whole.first[0], whole.last[0], whole.rest[0]
        for j in np.flatnonzero(differs(point, self.own)).tolist():
            values, count, own = self.values[j], self.numbers[j], self.own[j]
            rest[self.rest(j)] = ~differs(values[count:], point[j])
            if np.isnan(point[j]):
                last[j] = -1
            elif point[j] > own:
                first[j] = np.searchsorted(values[:count], own, side="right")
            elif point[j] < own:
                last[j] = np.searchsorted(values[:count], own) - 1
        return self.boxes(first[None], last[None], rest[None])

    def points(self, place: np.ndarray) -> Boxes:
        """Boxes of one point each, by its places [n, d]."""
        ordered = place < self.numbers
        rest = np.zeros((len(place), self.offsets[-1]), dtype=bool)
        n, j = np.nonzero(~ordered)
        rest[n, self.offsets[j] + (place - self.numbers)[n, j]] = True
        return self.boxes(np.where(ordered, place, 0), np.where(ordered, place, -1), rest)

    def regions(self, regions: Regions, offsets: np.ndarray) -> Boxes:
        """Boxes of the values that come to regions; `offsets` are those of the unit columns."""
        first, last = np.zeros((2, *regions.low.shape), dtype=np.intp)
        rest = np.zeros((len(first), self.offsets[-1]), dtype=bool)
        for j, (values, count) in enumerate(zip(self.values, self.numbers, strict=True)):
            first[:, j] = np.searchsorted(values[:count], regions.low[:, j], side="right")
            last[:, j] = np.searchsorted(values[:count], regions.high[:, j], side="right") - 1
            gap = np.isnan(values[count:])
            level = np.where(gap, 0, values[count:]).astype(np.intp) + offsets[j]
            listed = np.where(gap, regions.missing[:, [j]], regions.levels[:, level])
            rest[:, self.rest(j)] = listed
        return self.boxes(first, last, rest)

    def boxes(self, first: np.ndarray, last: np.ndarray, rest: np.ndarray) -> Boxes:
        """Boxes with their cheapest points."""
        none = first > last
        first, last = np.where(none, self.numbers, first), np.where(none, -1, last)
        place, price = np.empty(first.shape, dtype=np.intp), np.empty(first.shape)
        for j, costs in enumerate(self.costs):
            count, nothing = self.numbers[j], len(costs)
            # Numbers cost the more, the further they are from the row's own: two are nearest.
            turn = np.searchsorted(self.values[j][:count], self.own[j])
            over, under = np.maximum(first[:, j], turn), np.minimum(last[:, j], turn - 1)
            options = [
                np.where(over <= last[:, j], over, nothing),
                np.where(under >= first[:, j], under, nothing),
            ]
            prices = [np.append(costs, np.inf)[one] for one in options]
            if count < nothing:
                others = np.where(rest[:, self.rest(j)], costs[count:], np.inf)
                options.append(count + others.argmin(axis=1))
                prices.append(others.min(axis=1))
            place[:, j] = np.choose(np.argmin(prices, axis=0), options)
            price[:, j] = np.min(prices, axis=0)
        codes = self.codes(np.minimum(place, self.sizes - 1))
        none = np.zeros(len(first), dtype=bool)
        return Boxes(first, last, rest, price, price.sum(axis=1), place, codes, none)

    @cached_property
    def owner(self) -> np.ndarray:
        """int [w] the feature of each value without an order."""
        return np.repeat(np.arange(len(self.numbers)), np.diff(self.offsets))

    @cached_property
    def own_place(self) -> np.ndarray:
        """int [d] where the row's own values stand; -1 where one may not stay."""
        same = [
            np.flatnonzero((values == own) | (np.isnan(values) & np.isnan(own)))
            for values, own in zip(self.values, self.own, strict=True)
        ]
        return np.array([int(place[0]) if len(place) else -1 for place in same])

    def hold(self, boxes: Boxes, place: np.ndarray) -> np.ndarray:
        """bool [n, d]: whether boxes have values, by their places [n, d]."""
        inside = (place >= boxes.first) & (place <= boxes.last)
        if not len(self.owner):
            return inside
        column = np.clip(self.offsets[:-1] + place - self.numbers, 0, len(self.owner) - 1)
        listed = np.take_along_axis(boxes.rest, column, axis=1)
        return np.asarray(np.where(place < self.numbers, inside, listed))

    def count(self, boxes: Boxes) -> np.ndarray:
        """int [n, d] how many values boxes have."""
        rest = boxes.rest.astype(np.intp) @ (self.owner[:, None] == np.arange(len(self.numbers)))
        return np.asarray(np.maximum(boxes.last - boxes.first + 1, 0) + rest)

    def places(self, codes: np.ndarray) -> np.ndarray:
        """int [n, d] where codes [n, d] stand; a number, where one of its own stretch does."""
        place = np.empty(codes.shape, dtype=np.intp)
        for j, (values, count) in enumerate(zip(self.values, self.numbers, strict=True)):
            place[:, j] = np.searchsorted(values[:count], codes[:, j], side="right") - 1
            rest = np.isnan(codes[:, j]) | (count == 0)
            same = codes[rest, j, None] == values[count:]
            same |= np.isnan(codes[rest, j, None]) & np.isnan(values[count:])
            place[rest, j] = count + same.argmax(axis=1) if rest.any() else 0
        return place

    def stands_alone(self, point: np.ndarray, steps: np.ndarray) -> bool:
        """Whether no other point is to the trees what a point [d] is; `steps` [d] are numbers'."""
        place = self.places(point[None])
        listed = ~differs(self.codes(place)[0], point)
        for j in np.flatnonzero(place[0] + 1 < self.numbers):
            low, high = self.values[j][place[0, j] : place[0, j] + 2]
            listed[j] &= high - low < 1.5 * steps[j]
        return bool(listed.all())

    def codes(self, place: np.ndarray) -> np.ndarray:
        """[n, d] the codes of places [n, d]."""
        return np.stack([one[place[:, j]] for j, one in enumerate(self.values)], axis=1)


def _values(problem: Problem, reading: Trees, j: int) -> np.ndarray:
    """The codes of feature j that matter, the row's own where it may stay; NaN last."""
    box, space, own = problem.box, problem.space, float(problem.x[0, j])
    keep = [own] if box.contains(problem.x[:, None])[0, 0, j] else []
    lost = [np.nan] if box.erase[0, j] and not np.isnan(own) else []
    if not space.continuous[j]:
        levels = np.flatnonzero(box.levels[0, space.offsets[j] : space.offsets[j + 1]])
        return np.array([*keep, *(float(one) for one in levels if one != own), *lost])
    low, high = float(box.low[0, j]), float(box.high[0, j])
    if low > high:
        return np.array([*keep, *lost])
    feature = space.features[j]
    assert isinstance(feature, Continuous)
    # The values at both ends of each stretch between two cuts: one is the nearest of it. Of the
    # row's own stretch, those beside its own value are the nearest that are a change.
    cuts = [tree.cut[tree.feature == j] for tree in reading.trees]
    below = step_below(feature, np.concatenate([*cuts, [] if np.isnan(own) else [own]]))
    beside = [code_at(feature, below + away) for away in (-1, 0, 1)]
    ends = np.unique(np.concatenate([*beside, [low, high]]))
    inside = ends[(ends >= low) & (ends <= high) & (ends != own)]
    return np.sort(np.array([*keep, *inside, *lost]))


def _costs(problem: Problem, j: int, values: np.ndarray) -> np.ndarray:
    """What each value of feature j costs the row."""
    points = np.repeat(problem.x, len(values), axis=0)
    points[:, j] = values
    return np.asarray(problem.metric.prices(points, problem.x)[:, j])
