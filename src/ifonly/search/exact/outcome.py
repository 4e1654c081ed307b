"""That a row's answer has the wanted outcome, as rows over its columns.

A reading's margins become sums. Hidden units and leaves are columns of their own:

    relu   h = max(0, z) with a binary where z can have both signs (big-M from its own range)
    tree   one leaf of each; the leaves under a branch are taken only where the answer goes there

The rows leave out nothing that could be an answer: they are wider than the goal by what rounding
may take the model's own margins from the reading's. What is inside by that much alone, the judge
rejects, and it is cut off.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ifonly.errors import OptionError
from ifonly.models.reading import Layers, Reading, Tree, Trees
from ifonly.search.exact.affine import NO, Affine
from ifonly.search.exact.category import Category
from ifonly.search.exact.part import Part
from ifonly.search.exact.row import Row
from ifonly.search.exact.solver import Program
from ifonly.target import Goal

SMALLEST, LARGEST = 2.0**-20, 2.0**20
"""Between what numbers the factors of a row are brought, as far as both can be."""


@dataclass(frozen=True)
class Need:
    """A sum of margins, each multiplied by a factor, that lies between two numbers."""

    factors: dict[int, float]
    low: float
    high: float
    slack: float
    """How far rounding may take the sum."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The wanted outcome in a program: its rows, and what it was made of."""

    program: Program
    rows: tuple[tuple[int, Affine, Need], ...]
    """The place of each row, its sum and what it needs."""
    leaves: tuple[tuple[Affine, ...], ...] = ()
    """The conditions of each tree's leaves."""

    def widen(self, times: float) -> None:
        """State it with so many times the slack: 1 leaves nothing out, -1 lets nothing else in."""
        for place, sums, need in self.rows:
            low, high = need.low - times * need.slack, need.high + times * need.slack
            self.program.revise(place, *_balanced(sums, low, high))


def reach(
    program: Program,
    row: Row,
    reading: Reading,
    goal: Goal,
    among: Sequence[Collection[int]] | None = None,
) -> Outcome:
    """State that the answer has the outcome of a goal of one row, but for rounding.

    `among` are the leaves of each tree that it can come to, where not all of them are.
    """
    leaves: list[tuple[Affine, ...]] = []
    if isinstance(reading, Trees):
        each = among or [range(len(tree.value)) for tree in reading.trees]
        pairs = zip(reading.trees, each, strict=True)
        leaves = [tuple(_leaves(program, row, tree, own)) for tree, own in pairs]
        margins = [_grown(reading, leaves, c) for c in range(len(reading.base))]
    else:
        margins = _margins(program, row, reading)
    rows = []
    for need in needs(reading, len(margins), goal, row.x):
        sums = Affine.total(margins[c] * times for c, times in need.factors.items())
        rows.append((program.row(sums), sums, need))
    outcome = Outcome(program, tuple(rows), tuple(leaves))
    outcome.widen(1.0)
    return outcome


def needs(reading: Reading, c: int, goal: Goal, x: np.ndarray) -> list[Need]:
    """What c margins of points [..., d] must fulfil to reach the goal."""
    slack, link = _slack(reading, x), reading.link
    wanted, threshold = int(goal.wanted[0]), goal.threshold
    if link == "number":
        return [Need({0: 1.0}, float(goal.low[0]), float(goal.high[0]), slack)]
    if threshold is None and c > 2:
        others = [other for other in range(c) if other != wanted]
        return [Need({wanted: 1.0, other: -1.0}, 0.0, np.inf, 2 * slack) for other in others]
    over, edge, slack = {0: 1.0} if c == 1 else {1: 1.0, 0: -1.0}, 0.0, 2 * slack
    if threshold is not None:
        if link == "odds":
            raise OptionError(
                f"A threshold of {threshold} cannot be stated for this model.",
                "Leave it out, or use method='auto'.",
            )
        if link == "shares":
            over, edge = {1: 1.0}, threshold
        else:  # a step of the logit is the larger, the nearer the probability is to an end
            edge = float(np.log(threshold / (1 - threshold)))
            slack *= 2 / min(threshold, 1 - threshold)
    return [Need(over, edge, np.inf, slack) if wanted == 1 else Need(over, -np.inf, edge, slack)]


def _slack(reading: Reading, x: np.ndarray) -> float:
    """How far rounding may take a margin of points [..., d], which may lie outside the space."""
    if isinstance(reading, Trees):
        return reading.rounding
    units = reading.space.units(x)
    beyond = max(0.0, float(units.max()) - 1.0, -float(units.min()))
    return reading.rounding * (1 + 2 * beyond)


def absent(part: Part) -> Affine:
    """1 where the answer lacks the value."""
    return part.stays if np.isnan(part.own) else part.missing


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
    lacking = absent(part)
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


def _grown(reading: Trees, leaves: list[tuple[Affine, ...]], c: int) -> Affine:
    """The margin c of trees: what the leaves add that are taken."""
    each = []
    for tree, taken in zip(reading.trees, leaves, strict=True):
        values = tree.value[:, c]
        added = Affine.total(t * float(v) for t, v in zip(taken, values, strict=True))
        each.append(added.within(float(values.min()), float(values.max())))
    return Affine.total(each) + float(reading.base[c])


def _leaves(program: Program, row: Row, tree: Tree, among: Collection[int]) -> list[Affine]:
    """A condition for each leaf, of which one is true: the one that the answer comes to."""
    taken: list[Affine] = [NO] * len(tree.value)
    branches: list[tuple[Affine, list[int]]] = []

    def under(node: int) -> list[int]:
        """The leaves under a node, or the leaf itself, that the answer may come to."""
        if node < 0:
            return [~node] if ~node in among else []
        right, found = _right(row, tree, node), []
        for child, way in ((tree.left[node], 1.0 - right), (tree.right[node], right)):
            if way.terms or way.constant > 0.5:
                leaves = under(int(child))
                found += leaves
                if way.terms and leaves:
                    branches.append((way, leaves))
        return found

    every = under(0 if len(tree.feature) else ~0)
    for leaf in every:
        taken[leaf] = program.binary()
    program.row(Affine.total(taken[leaf] for leaf in every), 1.0, 1.0)
    for way, leaves in branches:
        program.row(way - Affine.total(taken[leaf] for leaf in leaves), low=0.0)
    return taken


def _right(row: Row, tree: Tree, node: int) -> Affine:
    """1 where the answer goes right at a node."""
    j = int(tree.feature[node])
    part = row.parts[j]
    gap = 0.0 if tree.missing[node] else 1.0
    if isinstance(part, Category):
        listed = tree.levels[node]
        known = NO if np.isnan(part.own) else part.stays * float(not listed[int(part.own)])
        count = row.space.offsets[j + 1] - row.space.offsets[j]
        moved = part.among(~listed[:count])
    else:
        cut = float(tree.cut[node])
        known = NO if np.isnan(part.own) else part.stays * float(part.own > cut)
        moved = part.cut(part.place(lambda value: value > cut)) if part.moves.most else NO
    return (moved + known + absent(part) * gap).within(0.0, 1.0)
