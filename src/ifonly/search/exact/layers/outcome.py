"""That a row's answer has the wanted outcome of layers, as rows over its columns.

A reading's margins become sums. A hidden unit h = max(0, z) is a column of its own, with a binary
where z can have both signs (big-M from its own range).

The rows leave out nothing that could be an answer: they are wider than the goal by what rounding
may take the model's own margins from the reading's. What is inside by that much alone, the judge
rejects, and it is cut off.
"""

from __future__ import annotations

import numpy as np

from ifonly.bounds.needs import needs
from ifonly.models.reading import Layers
from ifonly.problem.goal import Goal
from ifonly.rules.formula import NO, Affine
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program

SMALLEST, LARGEST = 2.0**-20, 2.0**20
"""Between what numbers the factors of a row are brought, as far as both can be."""


def state_outcome(
    program: Program, row: Row, reading: Layers, goal: Goal, slack: float = 1.0
) -> None:
    """State that the answer has the outcome of a goal of one row, with so many times the slack."""
    margins = _margins(program, row, reading)
    for need in needs(reading, len(margins), goal, row.x):
        sums = Affine.total(margins[c] * times for c, times in need.factors.items())
        room = slack * need.slack
        program.row(*_balanced(sums, need.low - room, need.high + room))


def _margins(program: Program, row: Row, reading: Layers) -> list[Affine]:
    """The last layer's sums."""
    sums = _first_layer(row, reading)
    for kernel, bias in reading.layers[1:]:
        hidden = [_relu(program, one) for one in sums]
        sums = [
            Affine.total(h * float(w) for h, w in zip(hidden, kernel[:, o], strict=True))
            + float(bias[o])
            for o in range(kernel.shape[1])
        ]
    return sums


def _first_layer(row: Row, reading: Layers) -> list[Affine]:
    """Its sums, for all units at once: each term, and the range, is a vector over the units."""
    kernel, constant = reading.layers[0]
    terms: dict[int, np.ndarray] = {}
    constant = np.array(constant, dtype=np.float64)
    low, high = constant.copy(), constant.copy()
    for j, part in enumerate(row.parts):
        weights = kernel[row.space.offsets[j] : row.space.offsets[j + 1]]
        units, ends = _units(row, part, j)
        gap = reading.missing[j]
        reached = [end @ weights for end in ends]
        if part.absent.terms or part.absent.constant:
            reached.append(gap)
        low, high = low + np.min(reached, axis=0), high + np.max(reached, axis=0)
        for sums, factors in [*zip(units, weights, strict=True), (part.absent, gap)]:
            constant = constant + sums.constant * factors
            for column, times in sums.terms.items():
                terms[column] = terms.get(column, 0.0) + times * factors
    return [
        Affine({c: float(t[o]) for c, t in terms.items() if t[o]}, float(constant[o]), *ends)
        for o, ends in enumerate(zip(low.tolist(), high.tolist(), strict=True))
    ]


def _units(row: Row, part: Number | Category, j: int) -> tuple[list[Affine], np.ndarray]:
    """The unit columns of feature j as sums, and [n, w] their values at the ends of its range.

    Where the value is missing, all are 0, and that is none of the ends.
    """
    known = not np.isnan(part.own)
    if isinstance(part, Category):
        count = row.space.offsets[j + 1] - row.space.offsets[j]
        own = {int(part.own): part.stays} if known else {}
        each = {**part.levels, **own}
        return [each.get(level, NO) for level in range(count)], np.eye(count)[list(each)]
    low = float(row.space.low[j])
    width = float(row.space.high[j] - row.space.low[j]) or 1.0
    edges = [part.first / part.power, part.last / part.power] if part.moves.most else []
    edges += [part.own] if known else []
    unit = (part.value - (1.0 - part.absent) * low) * (1.0 / width)
    return [unit], (np.array(edges).reshape(-1, 1) - low) / width


def _relu(program: Program, sums: Affine) -> Affine:
    if sums.most <= 0:
        return NO
    if sums.least >= 0:
        return sums
    hidden, on = program.column(0.0, sums.most), program.binary()
    program.row(*_balanced(hidden - sums, 0.0, np.inf))
    program.row(*_balanced(hidden - sums + (1.0 - on) * sums.least, -np.inf, 0.0))
    program.row(hidden - on * sums.most, high=0.0)
    return hidden


def _balanced(sums: Affine, low: float, high: float) -> tuple[Affine, float, float]:
    """A row multiplied by a power of two, so that a solver does not take its factors for zeros.

    A step of a number that has millions of values adds next to nothing to a sum.
    """
    sizes = [abs(times) for times in sums.terms.values()]
    if not sizes or min(sizes) >= SMALLEST:
        return sums, low, high
    most = max(1.0, LARGEST / max(sizes))
    scale = 2.0 ** np.ceil(np.log2(min(SMALLEST / min(sizes), most)))
    return sums * float(scale), low * scale, high * scale
