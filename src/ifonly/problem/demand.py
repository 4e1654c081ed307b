"""What an answer must meet besides the outcome and the rules: that other models agree, say.

A demand is asked only about points that have the wanted outcome and obey the rules, by the search,
the refiner, the selector and the judge alike. A solver is not given it: what is proved without a
demand is a bound of every answer that meets it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from ifonly.models import Counted
from ifonly.problem.goal import Goal
from ifonly.space import Space


@runtime_checkable
class Demand(Protocol):
    """A condition on answers; its text completes 'the demand that ...'.

    One that takes short cuts in the search has an attribute `itself`: the demand without them, as
    the judge asks it.
    """

    @property
    def asks(self) -> int:
        """How many rows of models it asks about per point, for the record."""
        ...

    def margin(self, goal: Goal, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        """[n] how far points [n, d] of rows x [n, d] meet it; positive where they do."""
        ...

    def over(self, space: Space) -> Demand:
        """The demand over a space with further levels, of rows that the data have none like."""
        ...


def least_margin(
    demands: Sequence[Demand],
    model: Counted,
    goal: Goal,
    x: np.ndarray,
    points: np.ndarray,
    margin: np.ndarray,
) -> np.ndarray:
    """[q, m] margins of points [q, m, d] of rows x [q, d], or what demands leave of them.

    Only points whose margin is above 0 are asked about. The others are as much less as those of
    their row that fail the demands are in the mean: a point that misses the outcome by a hair would
    else seem nearer to an answer than one that has it and fails a demand.
    """
    least = np.array(margin)
    for demand in demands:
        rows, places = np.nonzero(least > 0)
        if len(rows):
            model.others += len(rows) * demand.asks
            own = demand.margin(goal.take(rows), x[rows], points[rows, places])
            own = np.minimum(least[rows, places], np.nan_to_num(own, nan=-np.inf))
            least[rows, places] = own
    failed = (margin > 0) & (least <= 0) & np.isfinite(margin) & np.isfinite(least)
    lost = np.subtract(margin, least, out=np.zeros_like(least), where=failed).sum(axis=1)
    lost /= np.maximum(failed.sum(axis=1), 1)
    return np.where(margin > 0, least, least - lost[:, None])
