"""The demand that other models give an answer the wanted outcome, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from ifonly.demands.robust import Refits
from ifonly.errors import OptionError, listed
from ifonly.models import Model, adapt
from ifonly.models.adapters.table import TableModel
from ifonly.models.decision import Decision, Labels
from ifonly.models.pace import Meter
from ifonly.models.routes.fastest import approach
from ifonly.models.routes.lookup import Lookup
from ifonly.problem.goal import Goal
from ifonly.space import Space

ROUNDED = 1e-9
"""What is this much more than a whole number of models is that number."""


@dataclass(frozen=True, eq=False)
class Other:
    """Another model over the space, and the fastest way to its scores."""

    model: Model
    route: Model
    decision: Decision
    order: np.ndarray | None
    """int [c] where the classes of the user's own model are among its classes."""

    def goal(self, goal: Goal) -> Goal:
        """What it must say: the user's threshold holds for it as well, a margin does not."""
        threshold = goal.threshold if goal.by_scores else self.decision.threshold
        if not goal.by_scores and threshold is not None and self.reversed:
            threshold = 1 - threshold
        return replace(goal, threshold=threshold, beyond=None)

    @property
    def reversed(self) -> bool:
        """Whether it has the two classes in the other order."""
        return self.order is not None and self.order.tolist() == [1, 0]

    def margin(self, goal: Goal, points: np.ndarray) -> np.ndarray:
        """[n] how far points [n, d] have the wanted outcome, by the fastest way."""
        by_scores = goal.by_scores and isinstance(self.route, Labels | Lookup)
        route = self.model if by_scores else self.route  # logits tell no threshold
        scores = self._ordered(np.asarray(route.scores(points)))
        margin = self.goal(goal).margin(scores[:, None])[:, 0]
        return margin - (route.slack if isinstance(route, Lookup) else 0.0)

    def lead(self, goal: Goal, points: np.ndarray, *, sure: bool) -> np.ndarray:
        """[n] how far the scores of points [n, d] are beyond the threshold.

        They have the scale of the model's own scores, by whatever way.
        """
        way = self.model if sure or isinstance(self.route, Labels) else self.route
        scores = np.asarray(way.scores(points))
        if isinstance(way, Lookup) and way.classes:  # logits
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores /= scores.sum(axis=1, keepdims=True)
        return self.goal(goal).margin(self._ordered(scores)[:, None])[:, 0]

    def agrees(self, goal: Goal, points: np.ndarray) -> np.ndarray:
        """bool [n]: whether it decides itself for the wanted outcome of points [n, d]."""
        scores = self._ordered(np.asarray(self.model.scores(points)))
        decided = None if goal.by_scores or not self.model.classes else self.model.decide(points)
        if decided is not None and self.order is not None:
            decided = np.argsort(self.order)[decided]
        return self.goal(goal).reached(scores, decided)

    def _ordered(self, scores: np.ndarray) -> np.ndarray:
        return scores if self.order is None else scores[:, self.order]

    def over(self, space: Space) -> Other:
        """The same over a space with further levels, asked by itself."""
        model = self.model.over(space) if isinstance(self.model, TableModel) else self.model
        return replace(self, model=model, route=Labels(model) if self.decision.labels else model)


@dataclass(frozen=True, eq=False)
class Agreement:
    """The demand that a share of other models give the wanted outcome."""

    others: tuple[Other, ...]
    share: float = 1.0
    deviations: float | None = None
    """In place of a share: how many standard deviations of the models their mean must lead by."""
    refits: Refits | None = None
    """What fitted them, where more of them can be."""
    sure: bool = False
    """Whether the models themselves are asked, as the judge does."""

    @property
    def asks(self) -> int:
        """How many rows it asks about per point."""
        return len(self.others)

    @cached_property
    def needed(self) -> int:
        """How many models must agree."""
        return ceil(self.share * len(self.others) - ROUNDED)

    @property
    def itself(self) -> Agreement:
        """The demand as the judge asks it."""
        return replace(self, sure=True)

    def margin(self, goal: Goal, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        """[n] the least margin among those of the models that agree most with points [n, d].

        Where that is not above 0, the mean of what each of these models lacks: a search that saw
        only the least would not see that others come nearer. With `deviations`, the mean of all
        less so many deviations.
        """
        if self.deviations is not None:
            leads = np.array([one.lead(goal, points, sure=self.sure) for one in self.others])
            return np.asarray(leads.mean(axis=0) - self.deviations * leads.std(axis=0, ddof=1))
        if self.sure:
            agree = self.agreeing(goal, points).sum(axis=0)
            return np.where(agree >= self.needed, 1.0, -1.0)
        margins = np.sort([other.margin(goal, points) for other in self.others], axis=0)
        most = margins[len(self.others) - self.needed :]
        lacking = np.minimum(most, 0.0).mean(axis=0)
        return np.asarray(np.where(most[0] > 0, most[0], lacking))

    def agreeing(self, goal: Goal, points: np.ndarray) -> np.ndarray:
        """bool [models, n]: which of them give points [n, d] the wanted outcome."""
        if not len(points):
            return np.empty((len(self.others), 0), dtype=bool)
        return np.array([other.agrees(goal, points) for other in self.others])

    def over(self, space: Space) -> Agreement:
        """The demand over a space with further levels."""
        return replace(self, others=tuple(other.over(space) for other in self.others))

    def __str__(self) -> str:
        total = len(self.others)
        if self.deviations is not None:
            return (
                f"the mean score of {total} other models is {self.deviations:g} of their standard "
                "deviations beyond the threshold"
            )
        if total == 1:
            return "the other model agrees"
        count = f"all {total}" if self.needed == total else f"{self.needed} of {total}"
        return f"{count} other models agree"


def agreeing(
    demands: Sequence[object], goal: Goal, points: np.ndarray, filled: np.ndarray
) -> np.ndarray | None:
    """[q, k] the share of other models that agree with points [q, k, d]; NaN where none is filled.

    None where no demand asks other models.
    """
    asked = [one for one in demands if isinstance(one, Agreement)]
    if not asked:
        return None
    found = np.full(filled.shape, np.nan)
    goals = goal.take(np.nonzero(filled)[0])
    found[filled] = np.concatenate([one.agreeing(goals, points[filled]) for one in asked]).mean(0)
    return found


def others_of(
    models: Sequence[Any],
    space: Space,
    classes: tuple[Any, ...],
    codes: np.ndarray,
    *,
    searched: bool = True,
) -> tuple[Other, ...]:
    """Other models over a space, of which codes [n, d] are known; `classes` are the user's own.

    Those that are not `searched` by are only asked themselves.
    """
    if space.carry:
        raise OptionError(
            f"Other models cannot be asked about columns that are carried along, such as "
            f"{space.carry[0].name!r}.",
            "Leave them out of the space, or make them features.",
        )
    made = []
    for i, model in enumerate(models):
        adapted = adapt(model, space, codes)
        order, decision, route = _order(adapted.classes, classes, i), Decision(), adapted
        if searched:
            meter = adapted.meter if isinstance(adapted, TableModel) else Meter()
            said = np.asarray(adapted.scores(codes))
            way = approach(model, adapted, space, codes, said, meter)
            decision, route = way.decision, way.route
        made.append(Other(adapted, route, decision, order))
    return tuple(made)


def _order(classes: tuple[Any, ...], own: tuple[Any, ...], i: int) -> np.ndarray | None:
    """Where the user's own classes are among those of model i; None where they are the same."""
    if set(classes) != set(own):
        given = f"the classes {listed(classes)}" if classes else "no classes"
        needed = f"the classes {listed(own)}" if own else "none: it is a regressor"
        raise OptionError(
            f"Other model {i + 1} has {given}, and the model has {needed}.",
            "Give models of the same outcome; a bootstrap sample may lack a rare class.",
        )
    return None if classes == own else np.array([classes.index(one) for one in own])
