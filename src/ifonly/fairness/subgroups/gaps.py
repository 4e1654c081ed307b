"""How far the curves of two sides are apart, and how likely chance alone does that.

The curve of a side is F(b), the share of its rows with a cost of at most b. The gap of a side is
the largest amount by which its curve lies below that of the other side: the one-sided statistic of
Smirnov. Under the hypothesis that who is on which side has nothing to do with the cost, every
assignment of the rows to sides of these sizes is as likely. So both p values are those of all
permutations, not of a sample: that of the reach is hypergeometric, and that of the gap is counted
along the sorted costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

LARGE = 2**24
"""About how many counts are kept at a time."""
BUDGETS = 1024
"""At how many budgets curves are compared at the most: quantiles of the costs of all rows."""
TINY = 1e-30
"""Probabilities that are left out: numbers near the least that floats have are slow."""
COVERED = 0.95
"""How likely all intervals together hold what they speak of."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """What m comparisons of two sides found: arrays [m]."""

    difference: np.ndarray
    """The gap of the side, or by how much its reach is below that of the others."""
    budget: np.ndarray
    """Where its curve lies furthest below; infinite for the reach."""
    rows: np.ndarray
    """[m, 2] how many rows are on the side, and how many are the others."""
    within: np.ndarray
    """[m, 2] how many of them have a cost of at most the budget."""
    reached: np.ndarray
    """[m, 2] how many of them have an answer at all."""


def gaps(cost: np.ndarray, side: np.ndarray, other: np.ndarray, *, by: str) -> Gaps:
    """How far sides are below others, bool [m, r] each, by the 'curve' or the 'reach'."""
    parts = max(1, math.ceil(side.size / LARGE))
    if parts > 1:
        pieces = np.array_split(side, parts), np.array_split(other, parts)
        done = [gaps(cost, *piece, by=by) for piece in zip(*pieces, strict=True)]
        names = Gaps.__dataclass_fields__
        return Gaps(*(np.concatenate([getattr(one, name) for one in done]) for name in names))
    rows = np.stack([side.sum(axis=1), other.sum(axis=1)], axis=1)
    found = np.isfinite(cost)
    reached = np.stack([side[:, found].sum(axis=1), other[:, found].sum(axis=1)], axis=1)
    size = np.maximum(rows, 1)
    if by == "reach" or not found.any():
        share = reached / size
        return Gaps(share[:, 1] - share[:, 0], np.full(len(rows), np.inf), rows, reached, reached)
    order, ends = _blocks(cost)
    if len(ends) > BUDGETS:
        ends = ends[np.linspace(0, len(ends) - 1, BUDGETS).astype(np.intp)]
    counts = [_counts(part, order, ends) for part in (side, other)]
    apart = counts[1] / size[:, 1:] - counts[0] / size[:, :1]  # [m, budgets]
    place = apart.argmax(axis=1)
    at = np.arange(len(apart)), place
    within = np.stack([counts[0][at], counts[1][at]], axis=1)
    return Gaps(apart[at], cost[order][ends][place], rows, within, reached)


def _counts(part: np.ndarray, order: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """[m, budgets] how many rows of sides [m, r] come up to some ends in an order of the rows."""
    part = part if (order[:-1] < order[1:]).all() else part[:, order]
    starts = np.append(0, ends[:-1] + 1)
    each = np.add.reduceat(part[:, : ends[-1] + 1], starts, axis=1, dtype=np.int32)
    return np.cumsum(each, axis=1)


def _blocks(cost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order of the rows by cost, and where in it each finite cost ends."""
    order = np.argsort(cost, kind="stable")
    ordered = cost[order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    return order, np.flatnonzero(last & np.isfinite(ordered))


def chances(found: Gaps, *, by: str) -> np.ndarray:
    """[m] the p value of each comparison: of the reach exact, of the gap an upper bound.

    exp(-2 D^2 n m / (n + m)) is the limit for large sides; from five rows on either side, it is
    approached from above.
    """
    n, m = found.rows[:, 0].astype(float), found.rows[:, 1].astype(float)
    if by == "reach":
        return _chance_of_reach(found)
    gap = np.maximum(found.difference, 0)
    return np.asarray(np.exp(-2 * gap**2 * n * m / np.maximum(n + m, 1)))


def _chance_of_reach(found: Gaps) -> np.ndarray:
    """[m] the share of all assignments in which the side has as few rows with an answer, or fewer.

    The hypergeometric distribution, added up from the number found downwards.
    """
    n, i = found.rows[:, 0].astype(float), found.reached[:, 0].astype(float)
    rows, reached = found.rows.sum(axis=1).astype(float), found.reached.sum(axis=1).astype(float)
    logs = np.append(0.0, np.cumsum(np.log(np.arange(1, rows.max(initial=0) + 1))))

    def ways(whole: np.ndarray, part: np.ndarray) -> np.ndarray:
        at = (one.astype(np.intp) for one in (whole, part, whole - part))
        return np.asarray(np.subtract.reduce([logs[one] for one in at]))

    term = np.exp(ways(reached, i) + ways(rows - reached, n - i) - ways(rows, n))
    total = term.copy()
    while (term > 1e-15 * total).any():
        term = term * (i * (rows - reached - n + i)) / ((reached - i + 1) * (n - i + 1))
        i, total = i - 1, total + term
    return np.asarray(np.minimum(total, 1.0))


def chance_of_gap(cost: np.ndarray, n: int, gap: float) -> float:
    """The share of all ways to take n of the rows [r] for which the gap is at least so large.

    Along the sorted rows, `chance` has the probability of each number of rows on the side, without
    a gap so far. Where a gap is reached, its probability is added up and goes no further; so small
    values are as exact as large ones.
    """
    _, ends = _blocks(cost)
    total, m = len(cost), len(cost) - n
    if not (0 < n < total and gap > 0 and len(ends)):
        return 1.0
    chance, p, taken = np.zeros(n + 1), 0.0, np.arange(n + 1)
    chance[0] = 1.0
    last = np.zeros(total, dtype=bool)
    last[ends] = True
    for t in range(ends[-1] + 1):
        moved = chance * ((n - taken) / (total - t))
        chance = chance - moved
        chance[1:] += moved[:-1]
        chance[chance < TINY] = 0.0
        if last[t]:
            # (t + 1 - i) / m - i / n >= gap, for the i on the side
            edge = ((t + 1) / m - gap) / (1 / m + 1 / n)
            few = math.floor(edge + 1e-9) + 1
            if few > 0:
                p += float(chance[:few].sum())
                chance[:few] = 0.0
    return min(1.0, p)


def intervals(
    within: np.ndarray, rows: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The ends [m] of intervals of differences of shares, from counts and sizes [m, 2].

    Newcombe's, of Wilson's intervals: a share of 0 or 1 has an interval too, which a resampling of
    its rows would not show. All m together hold with 95 %, so that the one with the largest
    difference does: its interval alone would speak of chance. The weights [m], which add up to 1,
    say which part of the 5 % each may fail with.
    """
    normal, missed = NormalDist(), (1 - COVERED) / 2
    each, where = np.unique(weights, return_inverse=True)
    z = np.array([normal.inv_cdf(1 - missed * one) for one in each])[where][:, None]
    share = within / rows
    middle = (share + z**2 / (2 * rows)) / (1 + z**2 / rows)
    half = z * np.sqrt(share * (1 - share) / rows + z**2 / (4 * rows**2)) / (1 + z**2 / rows)
    low, high = middle - half, middle + half
    difference = share[:, 1] - share[:, 0]
    below = np.hypot(share[:, 1] - low[:, 1], high[:, 0] - share[:, 0])
    above = np.hypot(high[:, 1] - share[:, 1], share[:, 0] - low[:, 0])
    return difference - below, difference + above
