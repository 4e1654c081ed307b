"""The scale on which the gap between a row and the threshold is measured.

It is the one in which the parts of most models add up: the log odds of probabilities, so that a
logistic regression is linear in it; the predicted number of a regressor. The scores of votes and
of labels are often exactly 0 or 1 and have no finite log odds: they are the scale themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ifonly.problem.goal import Goal
from ifonly.solve.prepare import Setting

NOTHING = np.log(2.0**-53)
"""The logarithm of a probability of 0: that of the smallest one that 1 - p can have."""
OFTEN = 0.01
"""The share of rows with a score of exactly 0 or 1 from which scores may be votes."""
VOTE = 1e-6
"""The least score above 0 that votes have; smaller ones are rounded to 0 or 1 by a link."""


@dataclass(frozen=True)
class Scale:
    """How far scores are inside a goal: positive where the outcome is as wanted."""

    name: str
    """'log odds', 'score' or 'number'."""

    @classmethod
    def of(cls, setting: Setting) -> Scale:
        """The scale of a prepared model."""
        if not setting.model.classes:
            return cls("number")
        said = setting.said
        ends = ((said == 0) | (said == 1)).any(axis=1)
        votes = ends.mean() > OFTEN and said[said > 0].min() > VOTE
        labels = setting.decision.labels or getattr(setting.model, "gives", "") == "label"
        return cls("score" if labels or votes else "log odds")

    def margin(self, goal: Goal, scores: np.ndarray) -> np.ndarray:
        """[n] the margin of scores [n, c], of one point for each row of a goal."""
        goal = replace(goal, beyond=None)
        if self.name == "log odds":
            with np.errstate(divide="ignore"):
                scores = np.maximum(np.log(scores), np.where(scores == 0, NOTHING, -np.inf))
            if goal.threshold is not None:
                line = np.log(goal.threshold) - np.log1p(-goal.threshold)
                scores = scores - scores[:, :1]
                goal = replace(goal, threshold=float(line))
        return np.asarray(goal.margin(scores[:, None])[:, 0])
