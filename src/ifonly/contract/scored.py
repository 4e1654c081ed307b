"""What the user's own model says of rows, without any search."""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.answers.record import scores_of
from ifonly.answers.views import shown_scores
from ifonly.contract.context import Context
from ifonly.contract.types import Strict, Value
from ifonly.contract.values import finite
from ifonly.models import Counted
from ifonly.problem.goal import check_threshold
from ifonly.solve.asked import Asked
from ifonly.solve.predict import predict_asked


class Scored(Strict):
    """What the model says of a row."""

    prediction: Value
    """The class that it decides for, or the number; null where it fails."""
    scores: list[float | None]
    """Its score of each class, in the order of the classes, or the number alone."""
    note: str = ""
    """Why the model fails for this row."""


def score(context: Context, rows: Any, threshold: float | None = None) -> list[Scored]:
    """What the model says of the rows of a frame, in one call."""
    setting = context.setting
    check_threshold(threshold, setting.model.classes)
    if not len(rows):
        return []
    setting, carried = setting.carrying(rows)
    asked = Asked.read(setting, rows, carried)
    stated = threshold is not None
    cut = threshold if stated else setting.decision.threshold
    counted = Counted(setting.model, setting.model)
    said = predict_asked(counted, asked, cut, stated=stated, certain=False)
    labels, kind = said.labels(counted.classes), scores_of(setting)
    scores = shown_scores(np.asarray(said.scores), kind if counted.classes else "number")
    return [
        Scored(
            prediction=label, scores=[finite(one) for one in line], note=said.failed.get(place, "")
        )
        for place, (label, line) in enumerate(zip(labels, scores.tolist(), strict=True))
    ]
