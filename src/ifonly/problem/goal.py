"""The outcome that is wanted, and how far a score is from it.

A target is a class label, 'opposite', 'other' (any class but the row's own), or a range (low, high)
of a regressor's output; or a list with one of these for each row. Resolved against a model and its
rows it is a `Goal`, whose margin is positive where the outcome is as wanted.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from ifonly.errors import OptionError, TargetError, close, listed

Target: TypeAlias = Hashable | Sequence[Hashable]
"""'opposite', 'other', a class, a range (low, high) of a regressor, or a list with one per row."""
OPEN = (-np.inf, np.inf)
TINY = 1e-12
"""The margin of a score that lies exactly on an edge that belongs to the target."""


EDGE = 1e-9
"""By how much less than the stated margin is enough: a sum of floats may miss it."""


@dataclass(frozen=True)
class Logit:
    """A margin in log odds, beyond the threshold of a model of two classes.

    Parameters
    ----------
    amount
        The log odds of an answer are that far on the wanted side of those of the threshold.

    Raises
    ------
    OptionError
        It is not a number above 0.

    Examples
    --------
    >>> Logit(0.5)
    Logit(amount=0.5)
    """

    amount: float

    def __post_init__(self) -> None:
        check_margin(self.amount, "The margin in log odds")


def check_margin(value: Any, name: str) -> None:
    """Refuse what is not a finite number above 0."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 < value < math.inf:
        raise OptionError(f"{name} is {value!r}.", "Give a number above 0, such as 0.1.")


@dataclass(frozen=True)
class Goal:
    """What each row wants: a class `wanted` [q], or a range `low` to `high` [q] (wanted is -1).

    Where `avoided`, any class but that one is wanted.

    With a `threshold`, a model of two classes decides for the second where its score reaches it;
    otherwise the largest score decides, and of equal ones the first.
    """

    wanted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    threshold: float | None = None
    by_scores: bool = False
    """The user has stated the threshold: it decides, and the model's own decisions do not."""
    avoided: np.ndarray | None = None
    """bool [q], or None: no row avoids a class."""
    beyond: np.ndarray | None = None
    """[q] how far beyond the edge a score must be; a range has been narrowed by it."""

    def margin(self, scores: np.ndarray) -> np.ndarray:
        """[q, m] how far scores [q, m, c] are inside the target; negative outside."""
        inside = self._inside(scores)
        return inside if self.beyond is None else inside - self.beyond[:, None]

    @property
    def edge(self) -> np.ndarray | None:
        """[q] the score of the second of two classes that each row must reach, or stay below."""
        if self.threshold is None:
            return None
        sides = np.where(self.wanted == 1, 1.0, -1.0)
        return self.threshold + sides * (0.0 if self.beyond is None else self.beyond)

    def _inside(self, scores: np.ndarray) -> np.ndarray:
        if scores.shape[-1] == 1:
            return self._range_margin(scores[..., 0])
        if self.threshold is not None:
            over = scores[..., 1] - self.threshold
            over[over == 0] = TINY  # the threshold belongs to the second class
            return np.where(self.wanted[:, None] == 1, over, -over)
        if scores.shape[-1] == 2:
            over = scores[..., 1] - scores[..., 0]
            over[over == 0] = -TINY  # equal scores decide for the first class
            return np.asarray(over * np.where(self.wanted == 1, 1.0, -1.0)[:, None])
        index = np.broadcast_to(self.wanted[:, None, None], (*scores.shape[:-1], 1))
        own = np.take_along_axis(scores, index, axis=-1)[..., 0]
        others = scores.copy()
        np.put_along_axis(others, index, -np.inf, axis=-1)
        margin = own - others.max(axis=-1)
        first = scores.argmax(axis=-1) == self.wanted[:, None]
        margin = np.where(margin == 0, np.where(first, TINY, -TINY), margin)
        return margin if self.avoided is None else np.where(self.avoided[:, None], -margin, margin)

    def met(self, scores: np.ndarray, decided: np.ndarray | None) -> np.ndarray:
        """bool [q, m]: the wanted outcome, by the model's own decision [q, m] where given."""
        if decided is None:
            return self.margin(scores) > 0
        same = np.asarray(decided == self.wanted[:, None])
        if self.avoided is not None:
            known = np.asarray(decided) >= 0
            same = np.where(self.avoided[:, None], known & ~same, same)
        return same if self.beyond is None else same & (self.margin(scores) > 0)

    def reached(self, scores: np.ndarray, decided: np.ndarray | None) -> np.ndarray:
        """bool [q]: `met` of one point per row, with scores [q, c] and decisions [q]."""
        return self.met(scores[:, None], None if decided is None else decided[:, None])[:, 0]

    def take(self, rows: np.ndarray) -> Goal:
        """The goals of some rows."""
        avoided = None if self.avoided is None else self.avoided[rows]
        beyond = None if self.beyond is None else self.beyond[rows]
        ends = self.low[rows], self.high[rows]
        return Goal(self.wanted[rows], *ends, self.threshold, self.by_scores, avoided, beyond)

    def by(self, margin: float | Logit, c: int) -> Goal:
        """The goal of a model of c classes that is reached by a margin.

        A score of the second of two classes is that far beyond the threshold; of more classes, the
        wanted one's is that far above every other; a number is that far inside the range.
        """
        if c > 2 or not c:
            if isinstance(margin, Logit):
                what = f"{c} classes" if c else "none: it is a regressor"
                raise OptionError(
                    f"margin={margin} is for a model of two classes, and this one has {what}.",
                    "Give a number, margin=0.1, in the scale of the scores.",
                )
            if c:
                return replace(self, beyond=np.full(len(self.wanted), margin - EDGE))
            low, high = self.low + margin, self.high - margin
            if (low > high).any():
                raise OptionError(
                    f"margin={margin:g} leaves nothing of the range.", "Give a smaller margin."
                )
            return replace(self, low=low, high=high)
        threshold = 0.5 if self.threshold is None else self.threshold
        second = self.wanted == 1
        if isinstance(margin, Logit):
            shift = np.where(second, margin.amount, -margin.amount)
            edge = 1 / (1 + np.exp(-(math.log(threshold / (1 - threshold)) + shift)))
            beyond = np.abs(edge - threshold)
        else:
            beyond = np.full(len(second), margin)
        if (beyond >= np.where(second, 1 - threshold, threshold)).any():
            raise OptionError(
                f"margin={margin} leaves no score beyond the threshold {threshold:g}.",
                "Give a smaller margin, such as 0.1, or ifonly.Logit(0.5).",
            )
        return replace(self, threshold=threshold, beyond=beyond - EDGE)

    def _range_margin(self, value: np.ndarray) -> np.ndarray:
        inside = np.minimum(value - self.low[:, None], self.high[:, None] - value)
        return np.where(inside == 0, TINY, inside)


def resolve(
    target: Any,
    classes: tuple[Any, ...],
    predicted: np.ndarray,
    *,
    threshold: float | None = None,
    by_scores: bool = True,
    margin: float | Logit = 0.0,
) -> Goal:
    """The goal of rows whose class index the model has `predicted` [q].

    A `threshold` is one that the user states, or, without `by_scores`, that the model has itself.
    """
    goal = _resolved(target, classes, predicted, threshold, by_scores=by_scores)
    return goal if margin == 0 else goal.by(margin, len(classes))


def _resolved(
    target: Any,
    classes: tuple[Any, ...],
    predicted: np.ndarray,
    threshold: float | None,
    *,
    by_scores: bool,
) -> Goal:
    q = len(predicted)
    if by_scores:
        check_threshold(threshold, classes)
    each = _one_each(target, q)
    if not classes:
        ranges = np.broadcast_to([_range(one) for one in each], (q, 2))
        return Goal(np.full(q, -1), ranges[:, 0], ranges[:, 1])
    if len(each) == 1:
        wanted = np.broadcast_to(_wanted(each[0], classes, predicted), q)
    else:
        wanted = np.array([int(_wanted(one, classes, predicted[i])) for i, one in enumerate(each)])
    empty = np.full(q, np.nan)
    stated = by_scores and threshold is not None
    avoided = None
    if len(classes) > 2 and any(_is_other(one, classes) for one in each):
        avoided = np.broadcast_to([_is_other(one, classes) for one in each], q)
    return Goal(np.array(wanted), empty, empty, threshold, stated, avoided)


def _is_other(target: Any, classes: tuple[Any, ...]) -> bool:
    return isinstance(target, str) and target == "other" and target not in classes


def _one_each(target: Any, q: int) -> list[Any]:
    """The target of each row, or the one target of all."""
    if isinstance(target, str | bytes | tuple) or not hasattr(target, "__len__"):
        return [target]
    each = list(target)
    if len(each) != q:
        raise TargetError(
            f"There are {len(each)} targets for {q} rows.",
            "Give one target for all rows, or a list with one for each; a range is a tuple.",
        )
    return each


def _wanted(target: Any, classes: tuple[Any, ...], predicted: Any) -> Any:
    if target in classes and not isinstance(target, tuple):
        return classes.index(target)
    if isinstance(target, tuple):
        raise TargetError(
            f"A range {target} is a target for a regressor, and this model is a classifier.",
            f"Name one of its classes: {listed(classes)}.",
        )
    if _is_other(target, classes):
        return np.asarray(predicted) if len(classes) > 2 else 1 - np.asarray(predicted)
    if isinstance(target, str) and target == "opposite":
        if len(classes) != 2:
            raise TargetError(
                f"'opposite' needs two classes, and the model has {len(classes)}.",
                "Give target='other' for any class but the row's own, or name the wanted one: "
                f"{listed(classes)}.",
            )
        return 1 - np.asarray(predicted)
    twin = next((known for known in classes if str(known) == str(target)), None)
    raise TargetError(
        f"The model has no class {target!r}.",
        f"Did you mean the {type(twin).__name__} {twin!r}?"
        if twin is not None
        else f"{close(target, classes)} Its classes are {listed(classes)}.".lstrip(),
    )


def _range(target: Any) -> tuple[float, float]:
    ends: Sequence[Any] = target if isinstance(target, tuple | list) else ()
    if len(ends) == 2 and ends != (None, None):  # an end left out is open
        ends = [open_end if end is None else end for end, open_end in zip(ends, OPEN, strict=True)]
    if len(ends) != 2 or not all(isinstance(end, int | float | np.number) for end in ends):
        raise TargetError(
            f"The model is a regressor, and {target!r} is not a range.",
            "Give (low, high), such as target=(200, 250); an open end is None.",
        )
    low, high = float(ends[0]), float(ends[1])
    if math.isnan(low) or math.isnan(high):
        raise TargetError(f"The range {target} has an end that is NaN.", "Give two numbers.")
    if not low <= high:
        raise TargetError(f"The range {target} is reversed.", f"Did you mean ({high}, {low})?")
    return low, high


def check_threshold(threshold: Any, classes: tuple[Any, ...]) -> None:
    if threshold is None:
        return
    if len(classes) != 2:
        raise TargetError(
            f"A threshold is for a model of two classes, and this one has {len(classes)}."
            if classes
            else "A threshold is for a model of two classes, and this one is a regressor.",
            "Leave `threshold` out.",
        )
    if not isinstance(threshold, int | float | np.number) or not 0 < threshold < 1:
        raise TargetError(
            f"The threshold {threshold!r} is not a probability.",
            "Give a number between 0 and 1: the second class is decided for from there on.",
        )
