"""That a row's answer has the wanted outcome, as rows over its columns.

A reading's margins become sums. Hidden units and leaves are columns of their own:

    relu   h = max(0, z) with a binary where z can have both signs (big-M from its own range)
    tree   one leaf of each; the leaves under a branch are taken only where the answer goes there

The rows leave out nothing that could be an answer: they are wider than the goal by what rounding
may take the model's own margins from the reading's. What is inside by that much alone, the judge
rejects, and it is cut off.
"""

from __future__ import annotations

import numpy as np

from ifonly.errors import OptionError
from ifonly.models.reading import Layers, Reading, Tree, Trees
from ifonly.search.exact.affine import NO, Affine
from ifonly.search.exact.category import Category
from ifonly.search.exact.part import Part
from ifonly.search.exact.row import Row
from ifonly.search.exact.solver import Program
from ifonly.target import Goal


def reach(program: Program, row: Row, reading: Reading, goal: Goal) -> list[list[Affine]]:
    """State that the answer has the outcome of a goal of one row; the leaves of each tree."""
    leaves: list[list[Affine]] = []
    if isinstance(reading, Trees):
        margins = [Affine.number(float(base)) for base in reading.base]
        for tree in reading.trees:
            taken = _leaves(program, row, tree)
            leaves.append(taken)
            for c, values in enumerate(tree.value.T):
                added = Affine.total(t * float(v) for t, v in zip(taken, values, strict=True))
                margins[c] = margins[c] + added.within(float(values.min()), float(values.max()))
    else:
        margins = _margins(program, row, reading)
    for factors, low, high in _needs(reading, len(margins), goal):
        sums = Affine.total(margins[c] * times for c, times in factors.items())
        program.row(sums, low, high)
    return leaves


def may_reach(reading: Reading, goal: Goal, codes: np.ndarray) -> np.ndarray:
    """bool [n]: the codes [n, d] that have the outcome of a goal of one row, but for rounding."""
    margins = reading.margins(codes)
    inside = np.ones(len(codes), dtype=bool)
    for factors, low, high in _needs(reading, margins.shape[1], goal):
        sums = sum(times * margins[:, c] for c, times in factors.items())
        inside &= (sums >= low) & (sums <= high)
    return inside


Need = tuple[dict[int, float], float, float]
"""What multiplies each margin in a sum, and between what numbers that must lie."""


def _needs(reading: Reading, c: int, goal: Goal) -> list[Need]:
    """What c margins must fulfil to reach the goal, but for rounding."""
    slack, link = reading.rounding, reading.link
    wanted, threshold = int(goal.wanted[0]), goal.threshold
    if link == "number":
        return [({0: 1.0}, float(goal.low[0]) - slack, float(goal.high[0]) + slack)]
    over = {0: 1.0} if c == 1 else {1: 1.0, 0: -1.0}
    if threshold is None and c <= 2:
        slack = slack if c == 1 else 2 * slack
        return [(over, -slack, np.inf) if wanted == 1 else (over, -np.inf, slack)]
    if threshold is None:
        others = [other for other in range(c) if other != wanted]
        return [({wanted: 1.0, other: -1.0}, -2 * slack, np.inf) for other in others]
    if link == "odds":
        raise OptionError(
            f"A threshold of {threshold} cannot be stated for this model.",
            "Leave it out, or use method='auto'.",
        )
    edge = threshold if link == "shares" else float(np.log(threshold / (1 - threshold)))
    if link == "shares":
        over = {c - 1: 1.0}
    else:  # a step of the logit is the larger, the nearer the probability is to an end
        slack = slack * 4 / min(threshold, 1 - threshold)
    return [(over, edge - slack, np.inf) if wanted == 1 else (over, -np.inf, edge + slack)]


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
    gap = absent(part) * float(reading.missing[j, o])
    if isinstance(part, Category):
        each = {level: float(w) for level, w in enumerate(weights[start:end])}
        total = Affine.total(one * each[level] for level, one in part.levels.items())
        ends = [each[level] for level in part.levels]
        if not np.isnan(part.own):
            total = total + part.stays * each[int(part.own)]
            ends.append(each[int(part.own)])
    else:
        low = float(space.low[j])
        width = float(space.high[j] - space.low[j]) or 1.0
        weight = float(weights[start]) / width
        known = 1.0 - absent(part)
        total = (part.value - known * low) * weight
        edges = [part.first / part.power, part.last / part.power] if part.moves.most else []
        edges += [] if np.isnan(part.own) else [part.own]
        ends = [(edge - low) * weight for edge in edges]
    if gap.terms or gap.constant:
        ends.append(float(reading.missing[j, o]))
    return (total + gap).within(min(ends, default=0.0), max(ends, default=0.0))


def _relu(program: Program, sums: Affine) -> Affine:
    if sums.most <= 0:
        return NO
    if sums.least >= 0:
        return sums
    hidden, on = program.column(0.0, sums.most), program.binary()
    program.row(hidden - sums, low=0.0)
    program.row(hidden - sums + (1.0 - on) * sums.least, high=0.0)
    program.row(hidden - on * sums.most, high=0.0)
    return hidden


def _leaves(program: Program, row: Row, tree: Tree) -> list[Affine]:
    """A condition for each leaf, of which one is true: the one that the answer comes to."""
    taken: list[Affine] = [NO] * len(tree.value)
    branches: list[tuple[Affine, list[int]]] = []

    def under(node: int) -> list[int]:
        """The leaves under a node, or the leaf itself, that the answer may come to."""
        if node < 0:
            return [~node]
        right, found = _right(row, tree, node), []
        for child, way in ((tree.left[node], 1.0 - right), (tree.right[node], right)):
            if way.terms or way.constant > 0.5:
                leaves = under(int(child))
                found += leaves
                if way.terms:
                    branches.append((way, leaves))
        return found

    every = under(0 if len(tree.feature) else ~0)
    if len(every) == 1:
        taken[every[0]] = Affine.number(1.0)
        return taken
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
