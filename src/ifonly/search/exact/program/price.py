"""What an answer costs, as a sum over the columns of its program.

Of a number that only cuts are asked of, no column says where it is: what it moves by is read off
the cuts, each of which adds what its stretch is long. A cut that is made later changes that sum, so
the cost is asked for anew before each solve.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from ifonly.rules.formula import NO, Affine
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.row import Row
from ifonly.space import Metric

WIDE = 2.0**20
"""The most values of a whole column that HiGHS is given beside many binaries."""
TINY = 1e-14
"""The share of a feature's largest price below which one is what rounding has left."""
LEAST = 1e-3
"""What the smallest price of a feature is brought to, at the least."""
APART = 1e9
"""How many times a feature's price another's may be, for a solver to be believed."""
Ways = tuple[Affine, Affine]
"""How far a number moves above the row's own value, and how far below."""


@dataclass(frozen=True, eq=False)
class Course:
    """The columns that say by how many places a number moves beyond those beside its own value."""

    part: Number
    over: Affine
    under: Affine
    prices: tuple[float, float]
    """What a place costs each way."""

    @property
    def ways(self) -> set[int]:
        """The columns of how far it moves; none where the row's own value is missing."""
        return {*self.over.terms, *self.under.terms}

    @property
    def wide(self) -> bool:
        """Whether it has very many values, as far as is left of them."""
        high = self.part.program.high
        return any(high[c] > WIDE for c in self.ways or self.part.steps.terms)

    def narrow(self, known: float) -> None:
        """Leave out what alone would cost more than a known answer, and nothing else."""
        program = self.part.program
        for way, price in zip((self.over, self.under), self.prices, strict=True):
            for column in way.terms:
                program.low[column] = 0.0
                program.high[column] = min(way.most, float(np.floor(known / price)) + 1.0)

    def keep_near(self, values: np.ndarray, places: float) -> None:
        """Leave out what is more than so many places from where a point has it."""
        program = self.part.program
        for way in (self.over, self.under):
            for column in way.terms:
                there = round(values[column])
                program.low[column] = max(0.0, there - places)
                program.high[column] = min(way.most, there + places)


@dataclass(eq=False)
class Pricing:
    """The prices of a row's features; those that nothing has changed since are stated once."""

    row: Row
    metric: Metric
    courses: dict[int, Course] = field(default_factory=dict)
    """By the feature's position: of each number that has a column for where it is."""
    stated: dict[int, tuple[int, Affine]] = field(default_factory=dict)
    """By the feature's position: how many cuts it had, -1 with a column of its own; its price."""

    def total(self) -> Affine:
        """What `Metric.cost` says of the point that is read off the program as it is."""
        return Affine.total(_tidied(self._price(j, part)) for j, part in enumerate(self.row.parts))

    @cached_property
    def scale(self) -> float:
        """What a solver's objective is multiplied by, which takes very small prices for zeros."""
        return float(2.0 ** max(0.0, np.ceil(np.log2(LEAST / self._units.min()))))

    @property
    def even(self) -> bool:
        """Whether no prices are so far apart that a solver takes some for zeros."""
        return bool(self._units.max() < APART * self._units.min())

    @cached_property
    def _units(self) -> np.ndarray:
        """[d] what features cost, each the way that is cheapest."""
        factors = [np.asarray(self.metric.costs.get(j, 1.0)) for j in range(len(self.metric.scale))]
        least = [float(np.min(one[one > 0], initial=np.inf)) for one in factors]
        units = self.metric.scale * np.where(np.isinf(least), 1.0, least)
        return units[units > 0] if (units > 0).any() else np.ones(1)

    def narrow(self, known: float) -> None:
        """Leave out what alone would cost more than a known answer."""
        for course in self.courses.values():
            course.narrow(known)

    def _price(self, j: int, part: Number | Category) -> Affine:
        if isinstance(part, Category):
            return _category(part, self.metric, j)
        if j not in self.stated or self.stated[j][0] != _state(part):
            price = self._number(part, j)
            self.stated[j] = _state(part), price
        return self.stated[j][1]

    def _number(self, part: Number, j: int) -> Affine:
        scale = float(self.metric.scale[j])
        if np.isnan(part.own):
            if part.placed:
                self.courses[j] = Course(part, NO, NO, (0.0, 0.0))
            return part.changes * scale
        if part.first > part.last:
            return part.missing * scale
        unit = scale / float(self.metric.mad[j])
        up, down = (unit * float(factor) for factor in self.metric.costs.get(j, (1.0, 1.0)))
        # The first places on both sides of the row's own value, and whether it moves there.
        above = part.place(lambda value: value > part.own)
        below = min(part.top(above), part.last)
        rises = part.cut(above)
        if part.placed:
            over, under = _by_steps(part, above, below)
            self.courses[j] = Course(part, over, under, (up / part.power, down / part.power))
        else:
            over, under = _by_cuts(part, above, below)
        price = over * (up / part.power) + under * (down / part.power) + part.missing * scale
        if above <= part.last:
            price = price + rises * (up * (above / part.power - part.own))
        if below >= part.first:
            price = price + (part.moves - rises) * (down * (part.own - below / part.power))
        return price


def _tidied(price: Affine) -> Affine:
    """A price without what is left of those that cancel out, which would move columns for it."""
    size = max(map(abs, price.terms.values()), default=0.0)
    terms = {column: t for column, t in price.terms.items() if abs(t) > TINY * size}
    return replace(price, terms=terms)


def _state(part: Number) -> int:
    return -1 if part.placed else len(part.cuts)


def _category(part: Category, metric: Metric, j: int) -> Affine:
    """Each other level at its own price; to be filled in or go missing at that of a change."""
    scale = float(metric.scale[j])
    factors = metric.costs.get(j)
    if factors is None or np.isnan(part.own):
        return part.changes * scale
    each = [
        one * float(scale * factors[int(part.own), level]) for level, one in part.levels.items()
    ]
    return Affine.total(each) + part.missing * scale


def _by_steps(part: Number, above: int, below: int) -> Ways:
    """The places beyond the first ones, as columns."""
    program = part.program
    over = program.whole(0.0, float(max(0, part.last - above)))
    under = program.whole(0.0, float(max(0, below - part.first)))
    rises = part.cut(above)
    start = rises * float(above - part.first) + (part.moves - rises) * float(below - part.first)
    program.row(part.steps - start - over + under, 0.0, 0.0)
    return over, under


def _by_cuts(part: Number, above: int, below: int) -> Ways:
    """The places beyond the first ones: each cut that is passed adds those of its stretch."""
    cuts = sorted(part.cuts)
    up = [above, *(place for place in cuts if place > above)]
    over = [part.cut(high) * float(high - low) for low, high in pairwise(up)]
    down = [place for place in reversed(cuts) if place < above]
    tops = [below, *(part.top(place) for place in down)]
    under = [
        (part.moves - part.cut(place)) * float(high - low)
        for place, (high, low) in zip(down, pairwise(tops), strict=True)
    ]
    return Affine.total(over), Affine.total(under)
