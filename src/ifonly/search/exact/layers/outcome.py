"""That a row's answer has the wanted outcome of layers, as rows over its columns.

A reading's margins become sums. A hidden unit h = max(0, z) is a column of its own, with a binary
where z can have both signs (big-M from its own range).

The rows leave out nothing that could be an answer: they are wider than the goal by what rounding
may take the model's own margins from the reading's. What is inside by that much alone, the judge
rejects, and it is cut off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.models.reading import Layers
from ifonly.problem.goal import Goal
from ifonly.rules.formula import NO, Affine
from ifonly.search.exact.margin_bounds import Need, needs
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program

SMALLEST, LARGEST = 2.0**-20, 2.0**20
"""Between what numbers the factors of a row are brought, as far as both can be."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The wanted outcome in a program: its rows, and what it was made of."""

    program: Program
    rows: tuple[tuple[int, Affine, Need], ...]
    """The place of each row, its sum and what it needs."""

    def widen(self, times: float) -> None:
        """State it with so many times the slack: 1 leaves nothing out, -1 lets nothing else in."""
        for place, sums, need in self.rows:
            low, high = need.low - times * need.slack, need.high + times * need.slack
            self.program.revise(place, *_balanced(sums, low, high))


def reach(program: Program, row: Row, reading: Layers, goal: Goal) -> Outcome:
    """State that the answer has the outcome of a goal of one row, but for rounding."""
    margins = _margins(program, row, reading)
    rows = []
    for need in needs(reading, len(margins), goal, row.x):
        sums = Affine.total(margins[c] * times for c, times in need.factors.items())
        rows.append((program.row(sums), sums, need))
    outcome = Outcome(program, tuple(rows))
    outcome.widen(1.0)
    return outcome


def _margins(program: Program, row: Row, reading: Layers) -> list[Affine]:
    """The last layer's sums."""
    (kernel, bias), *rest = reading.layers
    sums = [
        Affine.total(_added(row, reading, j, kernel[:, o], o) for j in range(len(row.parts)))
        + float(bias[o])
        for o in range(kernel.shape[1])
    ]
    for kernel, bias in rest:
        hidden = [_relu(program, one) for one in sums]
        sums = [
            Affine.total(h * float(w) for h, w in zip(hidden, kernel[:, o], strict=True))
            + float(bias[o])
            for o in range(kernel.shape[1])
        ]
    return sums


def _added(row: Row, reading: Layers, j: int, weights: np.ndarray, o: int) -> Affine:
    """What feature j adds to a sum of the first layer, and between what numbers that lies."""
    space, part = row.space, row.parts[j]
    start, end = space.offsets[j], space.offsets[j + 1]
    lacking = part.absent
    ends = [float(reading.missing[j, o])] if lacking.terms or lacking.constant else []
    if isinstance(part, Category):
        each = {level: float(w) for level, w in enumerate(weights[start:end])}
        total = Affine.total(one * each[level] for level, one in part.levels.items())
        ends += [each[level] for level in part.levels]
        if not np.isnan(part.own):
            total = total + part.stays * each[int(part.own)]
            ends.append(each[int(part.own)])
    else:
        low = float(space.low[j])
        width = float(space.high[j] - space.low[j]) or 1.0
        weight = float(weights[start]) / width
        known = 1.0 - lacking
        total = (part.value - known * low) * weight
        edges = [part.first / part.power, part.last / part.power] if part.moves.most else []
        edges += [] if np.isnan(part.own) else [part.own]
        ends += [(edge - low) * weight for edge in edges]
    gap = lacking * float(reading.missing[j, o])
    return (total + gap).within(min(ends), max(ends))


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
