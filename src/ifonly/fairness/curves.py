"""The curves F_g(b), the share of a group's refused rows with an answer within a budget b.

Two curves differ most at some budget: the statistic of Kolmogorov and Smirnov. How often groups
that were drawn at random differ as much gives its p-value, and Holm corrects for many groups.
"""

from __future__ import annotations

import numpy as np

PERMUTATIONS = 999
"""How often the groups are drawn at random."""
AT_A_TIME = 2**21
"""About how many rows of draws are worked on together."""


def largest_differences(cost: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the curves of members and of the others differ most, for draws of who is a member.

    `cost` [r] is sorted, and `member` [b, r] bool. Returns the share of the others less that of
    the members [b], above 0 where members are worse off, and the budget [b] at which that is.
    """
    ends = np.flatnonzero(np.append(cost[1:] != cost[:-1], True) & np.isfinite(cost))
    if not len(ends):
        return np.zeros(len(member)), np.full(len(member), np.inf)
    inside = np.cumsum(member, axis=1, dtype=np.int32)
    count = inside[:, -1:].astype(np.float64)
    inside, upto = inside[:, ends], ends + 1
    gap = (upto - inside) / (len(cost) - count) - inside / count
    place = np.abs(gap).argmax(axis=1)
    return gap[np.arange(len(gap)), place], cost[ends][place]


def permutation_tests(
    cost: np.ndarray,
    codes: np.ndarray,
    groups: np.ndarray,
    random: np.random.Generator,
    permutations: int = PERMUTATIONS,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each of some groups [g] against all other rows: difference, budget and p-value [g] each.

    `cost` [r] and `codes` [r] are those of the refused rows. The p-value is the share of draws,
    the real groups among them, whose curves differ at least as much.
    """
    order = np.argsort(cost, kind="stable")
    cost, codes = cost[order], codes[order]
    gap, budget = largest_differences(cost, codes == groups[:, None])
    above = np.ones(len(groups))
    size = max(1, AT_A_TIME // max(1, len(cost)))
    for start in range(0, permutations, size):
        count = min(size, permutations - start)
        drawn = random.permuted(np.broadcast_to(codes, (count, len(codes))), axis=1)
        for place, group in enumerate(groups):
            other, _ = largest_differences(cost, drawn == group)
            above[place] += (np.abs(other) >= abs(gap[place]) - 1e-12).sum()
    return gap, budget, above / (permutations + 1)


def holm(p: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """p-values [n] corrected by Holm's step-down method, with equal weights unless stated.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    >>> holm(np.array([0.01, 0.01, 0.01]), np.array([0.5, 0.25, 0.25])).tolist()
    [0.02, 0.02, 0.02]
    """
    weights = np.ones(len(p)) if weights is None else weights
    order = np.argsort(p / weights, kind="stable")
    left = np.cumsum(weights[order][::-1])[::-1]
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate((p / weights)[order] * left), 1.0)
    return corrected
