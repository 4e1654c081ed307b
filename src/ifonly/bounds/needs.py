"""What the margins of a reading must fulfil for a goal to be reached, but for rounding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.errors import OptionError
from ifonly.models.reading import Reading, Trees, beyond
from ifonly.problem.goal import Goal


@dataclass(frozen=True)
class Need:
    """A sum of margins, each multiplied by a factor, that lies between two numbers."""

    factors: dict[int, float]
    low: float
    high: float
    slack: float
    """How far rounding may take the sum."""


def needs(reading: Reading, c: int, goal: Goal, x: np.ndarray) -> list[Need]:
    """What c margins of points [..., d] must fulfil to reach the goal."""
    slack, link = _slack(reading, x), reading.link
    wanted, threshold = int(goal.wanted[0]), None if goal.edge is None else float(goal.edge[0])
    if link == "number":
        return [Need({0: 1.0}, float(goal.low[0]), float(goal.high[0]), slack)]
    if threshold is None and c > 2:
        others = [other for other in range(c) if other != wanted]
        lead = 0.0 if goal.beyond is None else float(goal.beyond[0])
        if lead and link != "shares":
            raise OptionError(
                "A margin in score cannot be stated for this model of several classes.",
                "Leave `margin` out, or use method='auto' without certify.",
            )
        return [Need({wanted: 1.0, other: -1.0}, lead, np.inf, 2 * slack) for other in others]
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
    return reading.rounding * (1 + 2 * beyond(reading.space, x))
