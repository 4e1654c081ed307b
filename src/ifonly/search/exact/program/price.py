"""The price of an answer, as a sum over the columns of its program.

Of a number that only cuts are asked of, no column says where it is: what it moves by is read off
the cuts, each of which adds what its stretch is long. So the price is stated last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ifonly.rules.formula import NO, Affine
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program
from ifonly.space import Metric

WIDE = 2.0**20
"""The most values of a whole column that HiGHS is given beside many binaries."""
ROOM = 1e-9
"""The share by which a cost may be above a known one, and is then as good."""
TINY = 1e-14
"""The share of a feature's largest price below which one is what rounding has left."""
LEAST = 1e-3
"""What the smallest price of a feature is brought to, at the least."""
APART = 1e9
"""How many times a feature's price another's may be, for a solver to be believed."""


@dataclass(frozen=True, eq=False)
class Displacement:
    """The columns that say by how many places a number moves beyond those beside its own value."""

    part: Number
    over: Affine
    under: Affine
    prices: tuple[float, float]
    """What a place costs each way."""

    @property
    def columns(self) -> set[int]:
        """The columns of how far it moves; none where the row's own value is missing."""
        return {*self.over.terms, *self.under.terms}

    def is_wide(self, program: Program) -> bool:
        """Whether it has very many values, as far as is left of them."""
        return any(program.high[c] > WIDE for c in self.columns or self.part.steps.terms)


@dataclass(frozen=True, eq=False)
class Price:
    """The price of an answer, which its program makes small."""

    displacements: tuple[Displacement, ...]
    """Of the numbers that have a column for where they are."""
    scale: float
    """What the objective is multiplied by: solvers take very small prices for zeros."""
    most: float
    """What the objective may be at the most."""


def state_price(row: Row, metric: Metric, known: float = np.inf) -> Price:
    """Let a program make small what `Metric.price` says of its point, and at most a known price.

    What would cost more by one feature alone is left out, too.
    """
    scale = float(2.0 ** max(0.0, np.ceil(np.log2(LEAST / _units(metric).min()))))
    prices, displacements = [], []
    for j, part in enumerate(row.parts):
        if isinstance(part, Category):
            prices.append(_category(part, metric, j) + part.changes * metric.charge)
            continue
        price, displacement = _number(part, metric, j, known)
        prices.append(price + part.changes * metric.charge)
        if displacement is not None:
            displacements.append(displacement)
    cost = Affine.total(map(_tidied, prices)) * scale
    most = known * scale * (1 + ROOM)
    row.program.minimise(cost)
    if known < np.inf:
        row.program.row(cost, high=most)
    return Price(tuple(displacements), scale, most)


def evenly_priced(metric: Metric) -> bool:
    """Whether no prices are so far apart that a solver takes some for zeros."""
    units = _units(metric)
    return bool(units.max() < APART * units.min())


def _units(metric: Metric) -> np.ndarray:
    """[d] what features cost, each the way that is cheapest, those that cost nothing aside."""
    factors = [np.asarray(metric.costs.get(j, 1.0)) for j in range(len(metric.scale))]
    least = [float(np.min(one[one > 0], initial=np.inf)) for one in factors]
    units = metric.scale * np.where(np.isinf(least), 1.0, least)
    return units[units > 0] if (units > 0).any() else np.ones(1)


def _number(
    part: Number, metric: Metric, j: int, known: float
) -> tuple[Affine, Displacement | None]:
    """The price of a number, and its displacement where a column says where it is."""
    scale = float(metric.scale[j])
    if np.isnan(part.own):
        unpriced = Displacement(part, NO, NO, (0.0, 0.0)) if part.placed else None
        return part.changes * scale, unpriced
    if part.first > part.last:
        return part.missing * scale, None
    unit = scale / float(metric.mad[j])
    up, down = (unit * float(factor) for factor in metric.costs.get(j, (1.0, 1.0)))
    # The first places on both sides of the row's own value, and whether it moves there.
    above = part.place(lambda value: value > part.own)
    below = min(part.top(above), part.last)
    rises, displacement = part.cut(above), None
    if part.placed:
        displacement = _by_steps(part, above, below, (up / part.power, down / part.power), known)
        over, under = displacement.over, displacement.under
    else:
        over, under = _by_cuts(part, above, below)
    price = over * (up / part.power) + under * (down / part.power) + part.missing * scale
    if above <= part.last:
        price = price + rises * (up * (above / part.power - part.own))
    if below >= part.first:
        price = price + (part.moves - rises) * (down * (part.own - below / part.power))
    return price, displacement


def _tidied(price: Affine) -> Affine:
    """A price without what is left of those that cancel out, which would move columns for it."""
    size = max(map(abs, price.terms.values()), default=0.0)
    terms = {column: t for column, t in price.terms.items() if abs(t) > TINY * size}
    return replace(price, terms=terms)


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


def _by_steps(
    part: Number, above: int, below: int, prices: tuple[float, float], known: float
) -> Displacement:
    """The places beyond the first ones, as columns; at most those that a known cost allows."""
    program = part.program
    most = (float(max(0, part.last - above)), float(max(0, below - part.first)))
    with np.errstate(divide="ignore", invalid="ignore"):
        allowed = np.floor(np.divide(known, prices)) + 1.0
    over, under = (program.whole(0.0, float(n)) for n in np.fmin(most, allowed))
    rises = part.cut(above)
    start = rises * float(above - part.first) + (part.moves - rises) * float(below - part.first)
    program.row(part.steps - start - over + under, 0.0, 0.0)
    return Displacement(part, over, under, prices)


def _by_cuts(part: Number, above: int, below: int) -> tuple[Affine, Affine]:
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
