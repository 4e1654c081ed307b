"""The route `score_batch`: the scores of many rows, and how many reach a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.contract.context import Context
from ifonly.contract.problem import Refused, at
from ifonly.contract.scored import score
from ifonly.contract.types import Reply, Request, Row, Value
from ifonly.contract.values import finite, plain
from ifonly.errors import TargetError


class ScoreBatchRequest(Request):
    """Many rows, such as those of an uploaded table."""

    rows: list[Row]
    wanted: str | bool | int | float | None = None
    """The class whose score is wanted; null: the last one. A regressor has none."""
    threshold: float | None = None
    """Rows whose score reaches it are counted."""

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """Two rows and a threshold."""
        return [{"rows": [row, other], "threshold": 0.5}]


class ScoreBatchReply(Reply):
    """A score for each row, and how many reach the threshold."""

    wanted: Value
    """The class that the scores are of; null for a regressor."""
    scores: list[float | None]
    """Null where the model fails for a row."""
    predictions: list[Value]
    reach: int | None
    """How many scores are at the threshold or above; null where none was given."""
    failed: int
    """For how many rows the model fails."""


def score_batch(context: Context, request: ScoreBatchRequest) -> ScoreBatchReply:
    """The scores of many rows, and how many reach a threshold."""
    classes = list(context.setting.model.classes)
    place = len(classes) - 1 if classes else 0
    if request.wanted is not None:
        with at("wanted"):
            if not classes:
                raise TargetError("The model is a regressor, and has no classes.", "Leave it out.")
            wanted = context.target(request.wanted, "wanted")
            if wanted not in classes:
                raise Refused(f"{wanted!r:.60} is not a class.", field="wanted", kind="target")
            place = classes.index(wanted)
    codes = context.codes(request.rows, context.limits.batch_rows)
    predictions, scores, _ = score(context, context.frame(codes, request.rows))
    own, cut = scores[:, place], request.threshold
    return ScoreBatchReply(
        wanted=plain(classes[place]) if classes else None,
        scores=[finite(one) for one in own.tolist()],
        predictions=list(predictions),
        reach=None if cut is None else int((own >= cut).sum()),
        failed=int(np.isnan(own).sum()),
    )
