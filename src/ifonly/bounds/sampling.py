"""What draws from a box say of all of it, with a stated confidence."""

from __future__ import annotations

import math
from functools import cache

CONFIDENCE = 0.95


@cache
def share_at_least(held: int, drawn: int, confidence: float = CONFIDENCE) -> float:
    """The share of all points that have the outcome at least, if `held` of `drawn` have it.

    The one-sided bound of Clopper and Pearson (1934), by bisection of the binomial tail.

    Parameters
    ----------
    held
        How many of the draws have the outcome.
    drawn
        How many draws there are.
    confidence
        How sure the bound is.

    Returns
    -------
    float

    Examples
    --------
    >>> round(share_at_least(59, 59), 3), round(share_at_least(57, 59), 3)
    (0.95, 0.897)
    """
    if not held:
        return 0.0
    low, high = 0.0, held / drawn
    for _ in range(60):
        share = (low + high) / 2
        above = sum(_binomial(i, drawn, share) for i in range(held, drawn + 1))
        low, high = (share, high) if above < 1 - confidence else (low, share)
    return low


def _binomial(i: int, n: int, share: float) -> float:
    """How likely i of n draws are, each with a share."""
    if share in (0.0, 1.0):
        return float(i == n * share)
    logs = math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
    return math.exp(logs + i * math.log(share) + (n - i) * math.log1p(-share))
