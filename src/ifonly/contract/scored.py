"""What the user's own model says of rows, without any search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ifonly.answers.record import scores_of
from ifonly.answers.views import shown_scores
from ifonly.contract.context import Context
from ifonly.models import Counted
from ifonly.problem.goal import check_threshold
from ifonly.solve.asked import Asked
from ifonly.solve.predict import predict_asked


def score(
    context: Context, rows: Any, threshold: float | None = None
) -> tuple[tuple[Any, ...], np.ndarray, Mapping[int, str]]:
    """What the model says of the rows of a frame, in one call.

    Its decisions [n], None where it fails; its scores [n, c] as they are shown; and why it fails
    for some rows, by position.
    """
    setting = context.setting
    check_threshold(threshold, setting.model.classes)
    if not len(rows):
        return (), np.empty((0, max(1, len(setting.model.classes)))), {}
    setting, carried = setting.carrying(rows)
    asked, stated = Asked.read(setting, rows, carried), threshold is not None
    counted = Counted(setting.model, setting.model)
    cut = threshold if stated else setting.decision.threshold
    said = predict_asked(counted, asked, cut, stated=stated, certain=False)
    kind = scores_of(setting) if counted.classes else "number"
    return said.labels(counted.classes), shown_scores(said.scores, kind), said.failed
