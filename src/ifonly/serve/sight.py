"""What a reply shows to somebody: scores in full, rounded, or none.

A score is the confidence of a model in a class, or the number that a regressor predicts. Scores in
sentences are treated like those in fields. Decisions, changes and distances stay.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ifonly.contract import Reply
from ifonly.contract.routes.batches.explain_batch import ExplainBatchReply, Summary
from ifonly.contract.routes.batches.score_batch import ScoreBatchReply
from ifonly.contract.routes.explain import Explained, ExplainReply, Way
from ifonly.contract.routes.predict import PredictReply, Scored
from ifonly.contract.routes.reasons import ReasonsReply, RowReasons, Stated
from ifonly.contract.routes.record import RecordReply
from ifonly.contract.routes.verify import VerifyReply
from ifonly.contract.types import Range
from ifonly.render.view import rounded, value_text
from ifonly.serve.exchange import Sight

DECIMALS = 1
"""How many digits a rounded probability has after the point; other numbers have two digits."""

AnyReply = TypeVar("AnyReply", bound=Reply)


def seen(reply: AnyReply, sight: Sight) -> AnyReply:
    """The reply as somebody may see it.

    >>> from ifonly.contract.routes.predict import PredictReply, Scored
    >>> full = PredictReply(
    ...     classes=["no", "yes"], rows=[Scored(prediction="yes", scores=[0.22, 0.78])], curves=[]
    ... )
    >>> [seen(full, Sight(scores=word)).rows[0].scores for word in ("rounded", "hidden")]
    [[0.2, 0.8], [None, None]]
    """
    if sight.scores == "full":
        return reply
    if isinstance(reply, ExplainReply):
        rows: Any = [_explained(row, sight) for row in reply.rows]
        return reply.model_copy(update={"rows": rows, "answers": _answers(reply.answers, sight)})
    if isinstance(reply, ExplainBatchReply):
        return reply.model_copy(update={"rows": [_summary(row, sight) for row in reply.rows]})
    if isinstance(reply, RecordReply):
        return reply.model_copy(update={"records": []})  # what is rounded could not be verified
    if isinstance(reply, VerifyReply):
        return reply.model_copy(update={"holds": None, "differences": []})  # or guess a score
    if isinstance(reply, PredictReply):
        number = not reply.classes
        rows = [_scored(row, sight, number) for row in reply.rows]
        curves = [[_scored(one, sight, number) for one in curve] for curve in reply.curves]
        return reply.model_copy(update={"rows": rows, "curves": curves})
    if isinstance(reply, ReasonsReply):
        return reply.model_copy(update={"rows": [_reasons(row, sight) for row in reply.rows]})
    if isinstance(reply, ScoreBatchReply):
        update: dict[str, Any] = {"scores": [shown(one, sight) for one in reply.scores]}
        if reply.wanted is None:  # a regressor predicts its scores
            update["predictions"] = [shown(one, sight) for one in reply.predictions]
        return reply.model_copy(update=update)
    return reply


def shown_rows(request: Any, reply: Any) -> int:
    """How many rows a reply is about, as a quota counts them: each point of a curve is one."""
    points = sum(map(len, reply.curves)) if isinstance(reply, PredictReply) else 0
    return len(getattr(request, "rows", ())) + points


def shown(score: Any, sight: Sight) -> Any:
    """A score as somebody may see it; none where it is hidden."""
    if score is None or isinstance(score, str) or sight.scores == "hidden":  # or it is infinite
        return None
    return round(score, DECIMALS) if 0 <= score <= 1 else float(f"{score:.1e}")


def _scored(row: Scored, sight: Sight, number: bool) -> Scored:
    update: dict[str, Any] = {"scores": [shown(one, sight) for one in row.scores]}
    if number:
        update["prediction"] = shown(row.prediction, sight)
    return row.model_copy(update=update)


def _explained(row: Explained, sight: Sight) -> Explained:
    number = isinstance(row.wanted, Range)
    update: dict[str, Any] = {"score": shown(row.score, sight)}
    update["answers"] = [_way(way, sight, number) for way in row.answers]
    update["reasons"] = [_stated(one, sight) for one in row.reasons]
    if number:
        update["prediction"] = shown(row.prediction, sight)
    return row.model_copy(update=update)


def _stated(reason: Stated, sight: Sight) -> Stated:
    return reason.model_copy(update={"weight": shown(reason.weight, sight)})


def _reasons(row: RowReasons, sight: Sight) -> RowReasons:
    """Reasons without the exact gap, and the weights, which tell it; their order stays."""
    told = [_stated(one, sight) for one in row.reasons]
    update: dict[str, Any] = {"reasons": told, "gap": shown(row.gap, sight)}
    if isinstance(row.wanted, Range):
        update["prediction"] = shown(row.prediction, sight)
    return row.model_copy(update=update)


def _summary(row: Summary, sight: Sight) -> Summary:
    update: dict[str, Any] = {"score": shown(row.score, sight)}
    if isinstance(row.wanted, Range):
        update["prediction"] = shown(row.prediction, sight)
    return row.model_copy(update=update)


def _answers(answers: Any, sight: Sight) -> Any:
    """Answers as they are saved; where scores are hidden, they are those of a model of labels."""
    if answers is None:
        return None
    record = dict(answers["record"]["pairs"])
    number = record["regression"]
    if sight.scores == "hidden" and not number:
        record["scores"] = "label"
    update: dict[str, Any] = {
        "record": {"pairs": [list(pair) for pair in record.items()]},
        "row_score": [shown(one, sight) for one in answers["row_score"]],
        "score": [[shown(one, sight) for one in row] for row in answers["score"]],
    }
    if number:
        update["predicted"] = {"tuple": [shown(n, sight) for n in answers["predicted"]["tuple"]]}
    return {**answers, **update}


def _way(way: Way, sight: Sight, number: bool) -> Way:
    score, sentence = shown(way.score, sight), way.sentence
    update: dict[str, Any] = {"score": score, "sentence": sentence}
    if way.score is None:
        return way
    exact = value_text(rounded(way.score))
    if number:
        said = "…" if score is None else value_text(score)
        update |= {"prediction": score, "sentence": sentence.replace(f": {exact}.", f": {said}.")}
    else:
        said = "" if score is None else f" ({score:g})"
        for old in (f" ({way.score:.2f})", f" (margin {exact})"):
            update["sentence"] = update["sentence"].replace(f"{old}.", f"{said}.")
    return way.model_copy(update=update)
