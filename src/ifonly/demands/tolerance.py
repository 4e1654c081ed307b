"""That the outcome stays if what an answer changes ends up a little off.

The changed numbers of an answer vary by a tolerance, all at once, inside the known ranges of their
columns: a value outside is taken to be impossible. What the answer keeps stays as it is, and so do
its levels. Points inside the tolerance are accidents: no rule is asked of them. Where causes are
known, the tolerance is around what the answer leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from ifonly.bounds.boxes import CORNERS, Boxes, whole
from ifonly.bounds.outcome import DRAWS, Outcome
from ifonly.errors import OptionError, nearest
from ifonly.models import Model
from ifonly.models.adapters.table import TableModel
from ifonly.models.reading import Reading
from ifonly.problem.demand import Demand
from ifonly.problem.goal import Goal
from ifonly.space import Space
from ifonly.space.distance import differs

Tolerance = float | Mapping[str, float]
"""By how much changed numbers may be off: a share of each change, or an amount per feature."""
CLOSE = 1e-9
"""The share of a step by which sums of decimals may be off."""


@dataclass(frozen=True, eq=False)
class Tolerant:
    """The demand over a space, for one model."""

    space: Space
    model: Model
    reading: Reading | None
    """What proofs are made of; without one, points are drawn."""
    share: float = 0.0
    """Of each change."""
    amounts: Mapping[str, float] = field(default_factory=dict)
    known: dict[int, bool] = field(default_factory=dict, repr=False)
    """Whether the reading holds around a row, by its key."""

    @property
    def asks(self) -> int:
        """How many rows of the model a point costs."""
        return 0 if self.reading is not None else CORNERS + DRAWS

    def __str__(self) -> str:
        each = [f"{name} may end up {amount:g} off" for name, amount in self.amounts.items()]
        return " and ".join(each) or f"each changed number may end up {self.share:g} of it off"

    def over(self, space: Space) -> Tolerant:
        """The demand over a space with further levels, of which no reading is known."""
        model = self.model.over(space) if isinstance(self.model, TableModel) else self.model
        return replace(self, space=space, model=model, reading=None)

    def margin(self, goal: Goal, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        """[n] how far the outcome is from being lost within the tolerance of points [n, d]."""
        return self._outcome(goal, x).least(self.boxes(x, points), np.arange(len(x)))

    def certainty(self, goal: Goal, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        """[n] 1 for answers [n, d] of which it is proved, else the share of what is within that has
        the outcome, a lower bound with a confidence of 95 %.
        """
        return self._outcome(goal, x).certainty(self.boxes(x, points), np.arange(len(x)))

    def _outcome(self, goal: Goal, x: np.ndarray) -> Outcome:
        return Outcome.of(self.model, goal, self.reading, x, self.known)

    def boxes(self, x: np.ndarray, points: np.ndarray) -> Boxes:
        """The boxes of what answers [n, d] to rows x [n, d] may end up as."""
        boxes, space = Boxes.at(self.space, points), self.space
        off = self.share * np.nan_to_num(np.abs(points - x))
        for name, amount in self.amounts.items():
            off[:, space.index(name)] = amount
        off = np.where(differs(points, x) & ~np.isnan(points) & space.continuous, off, 0.0)
        step = np.where(whole(space), 1.0, 10.0**-space.decimals)
        slack = CLOSE * step
        low = np.maximum(points - off - slack, np.minimum(space.low, points))
        high = np.minimum(points + off + slack, np.maximum(space.high, points))
        low = np.where(whole(space), np.ceil(low), low)
        high = np.where(whole(space), np.floor(high), high)
        varies = off > 0
        return replace(
            boxes, low=np.where(varies, low, boxes.low), high=np.where(varies, high, boxes.high)
        )


def tolerances(
    stated: Any,
    space: Space,
    model: Model,
    read: Callable[[], tuple[Reading | None, str]],
) -> tuple[Tolerant, ...]:
    """The demand that `tolerance=` states, or none; `read` gives the model's reading."""
    fields = read_tolerance(stated, space)
    if not fields:
        return ()
    if getattr(model, "carried", None) is not None:
        raise OptionError(
            "tolerance cannot be asked of a model that takes columns which are carried along.",
            "Fit it without them, or leave `tolerance` out.",
        )
    return (Tolerant(space, model, read()[0], **fields),)


def tolerated(
    demands: Sequence[Demand], goal: Goal, x: np.ndarray, points: np.ndarray, filled: np.ndarray
) -> np.ndarray | None:
    """[q, k] how sure the tolerance of points [q, k, d] is, as `certainty` says.

    NaN where there is no answer; None where no tolerance is demanded.
    """
    demand = next((one for one in demands if isinstance(one, Tolerant)), None)
    if demand is None:
        return None
    sure, (rows, places) = np.full(filled.shape, np.nan), np.nonzero(filled)
    if len(rows):
        sure[filled] = demand.certainty(goal.take(rows), x[rows], points[rows, places])
    return sure


def read_tolerance(stated: Any, space: Space) -> dict[str, Any]:
    """The fields of the demand that `tolerance=` states; none where it states nothing."""
    if isinstance(stated, Mapping):
        for name, amount in stated.items():
            if name not in space.names:
                raise OptionError(f"There is no feature {name!r}.", nearest(name, space.names))
            if not space.continuous[space.index(name)]:
                raise OptionError(
                    f"tolerance names {name!r}, which is a category.",
                    "A tolerance is an amount by which a number may be off.",
                )
            _check_amount(amount, f"tolerance of {name!r}", "an amount, such as 500")
        return {"amounts": {name: float(amount) for name, amount in stated.items()}}
    if stated is None:
        return {}
    _check_amount(stated, "tolerance", "a share of each change, such as 0.1, or {'income': 500}")
    return {"share": float(stated)}


def _check_amount(value: Any, what: str, hint: str) -> None:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 < cast("float", value) < np.inf:
        raise OptionError(f"The {what} is {value!r}.", f"It is a positive number: {hint}.")
