"""What an answer costs, as a sum over the columns of its program.

It is stated last: of a number that only cuts are asked of, no column says where it is, and what it
moves by is read off the cuts, each of which adds what its stretch is long.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ifonly.search.exact.affine import Affine
from ifonly.search.exact.category import Category
from ifonly.search.exact.number import Number
from ifonly.search.exact.row import Row
from ifonly.space import Metric


def price(row: Row, metric: Metric) -> Affine:
    """The cost of a row's answer: what `Metric.cost` says of the point that is read off."""
    return Affine.total(
        _category(part, metric, j) if isinstance(part, Category) else _number(part, metric, j)
        for j, part in enumerate(row.parts)
    )


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


def _number(part: Number, metric: Metric, j: int) -> Affine:
    scale = float(metric.scale[j])
    if np.isnan(part.own):
        return part.changes * scale
    up, down = (scale / float(metric.mad[j]) * float(f) for f in metric.costs.get(j, (1.0, 1.0)))
    over, under = away(part)
    return over * up + under * down + part.missing * scale


def away(part: Number) -> tuple[Affine, Affine]:
    """How far a number moves above the row's own value, and how far below, where these are paid."""
    if part.first > part.last:
        return Affine.number(0.0), Affine.number(0.0)
    if part.placed:
        over = part.program.column(0.0, max(0.0, part.last / part.power - part.own))
        under = part.program.column(0.0, max(0.0, part.own - part.first / part.power))
        there = part.own - part.missing * part.own
        part.program.row(part.value - there - over + under, 0.0, 0.0)
        return over, under
    own = part.place(lambda value: value > part.own)  # the first place above
    above = part.cut(own)
    cuts = sorted(part.cuts)
    places = [own, *(place for place in cuts if place > own)]
    over = above * max(0.0, own / part.power - part.own)
    for low, high in pairwise(places):
        over = over + part.cut(high) * ((high - low) / part.power)
    under = Affine.number(0.0)
    lower = [part.top(own), *(part.top(p) for p in reversed(cuts) if part.first < p < own)]
    lower = [place for place in lower if part.first <= place and place / part.power < part.own]
    if lower:
        under = (part.moves - above) * (part.own - lower[0] / part.power)
        for high, low in pairwise(lower):
            under = under + (part.moves - part.cut(low + 1)) * ((high - low) / part.power)
    return over, under
