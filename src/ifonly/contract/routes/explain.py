"""The route `explain`: k ways in which each row would have got another outcome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ifonly.answers import Answers, certificates
from ifonly.answers.save import to_plain
from ifonly.contract.context import Context
from ifonly.contract.question import Question, ask, wanted_of
from ifonly.contract.routes.reasons import RowReasons, Stated, told_of
from ifonly.contract.types import Change, Fingerprints, Range, Reply, Row, Strict, Value
from ifonly.contract.values import finite, plain
from ifonly.render import text
from ifonly.render.view import RowView
from ifonly.space.marks import encode
from ifonly.space.table.values import value_of


class ExplainRequest(Question):
    """k ways in which each row would have got another outcome."""

    as_answers: bool = False
    """Whether the reply has `answers` as well, of which Python makes `Answers`."""
    reasons: bool = False
    """Whether the reply, and the record of each decision, has its principal reasons."""


class Certificate(Strict):
    """What is proved of a row's nearest answer."""

    proved: bool
    """Whether the nearest answer is proved to be so; without answers, that there is none."""
    bound: float | None
    """The price that no answer is below; null with `proved`: there is no answer at all."""
    gap: float | None
    """By how much the price exceeds the bound, as a share of it; null: it is not known."""
    reason: str
    """Why nothing is proved, where that is known."""


class Way(Strict):
    """One answer to a row."""

    values: Row
    """The whole row as it would be; `predict` takes it as it is."""
    changes: list[Change]
    sentence: str
    prediction: Value
    score: float | None
    """The score of the wanted class, or the predicted number."""
    distance: float
    price: float
    """The distance and the charge for each change; the nearest answer has the least."""
    extra: bool
    """Whether it resembles another answer or changes more than needed, and fills a place."""
    usual: float | None
    """The share of the rows of the data that are less usual."""
    tolerated: float | None
    """How sure the tolerance is, where one was asked: 1 where it is proved."""


class Explained(Strict):
    """One row, and its answers."""

    status: Literal["found", "partial", "not_found", "infeasible", "skipped", "failed", "already"]
    note: str
    prediction: Value
    wanted: Range | Value
    score: float | None
    """The score of the wanted class before any change, or the predicted number."""
    threshold: float | None
    """The score from which the model decides for the wanted class, where there is one."""
    sentence: str
    """Why there are no answers; empty where there are."""
    answers: list[Way]
    reasons: list[Stated] = []
    """The principal reasons of the outcome, where they were asked."""
    certificate: Certificate | None
    """What is proved, where that was asked."""


class ExplainReply(Reply):
    """The answers to every row, and what produced them."""

    rows: list[Explained]
    fingerprints: Fingerprints
    record: dict[str, Any]
    """`answers.record`: versions, options, rules and costs; what JSON does not have is marked."""
    answers: dict[str, Any] | None = None
    """The answers as `Answers.to_json` writes them, where that was asked."""


def explain(context: Context, request: ExplainRequest) -> ExplainReply:
    """k answers to each row."""
    answers = ask(context, request)
    told = [one for one, _ in told_of(answers)] if request.reasons else ()
    return reply_of(answers, request.rows, as_answers=request.as_answers, told=told)


def reply_of(
    answers: Answers,
    rows: list[dict[str, Any]],
    *,
    as_answers: bool = False,
    told: Sequence[RowReasons] = (),
) -> ExplainReply:
    """Answers as a reply; `rows` are those of the request, with their carried columns."""
    record, price, proofs = answers.record, answers.price(), proofs_of(answers)
    explained = []
    for view, named, row in zip(answers.views(named=False), answers.views(), rows, strict=True):
        sentences = text.sentences(named)
        explained.append(
            Explained(
                status=view.status,  # type: ignore[arg-type]  # one of the seven
                note=view.note,
                prediction=view.prediction,
                wanted=wanted_of(view.wanted),
                score=finite(view.score),
                threshold=view.threshold,
                sentence="" if view.answers else sentences[0],
                answers=_ways(answers, view, sentences, price[view.query], row),
                reasons=told[view.query].reasons if told else [],
                certificate=proofs[view.query] if proofs else None,
            )
        )
    marks = {what: record[f"{what}_fingerprint"] for what in Fingerprints.model_fields}
    return ExplainReply(
        rows=explained,
        fingerprints=Fingerprints(**marks),
        record=plain_record(record),
        answers=to_plain(answers) if as_answers else None,
    )


def plain_record(record: Any) -> dict[str, Any]:
    """The record of answers as JSON holds it, with a mark on what JSON does not have."""
    return {name: encode(value) for name, value in record.items()}


def proofs_of(answers: Answers) -> list[Certificate]:
    """What is proved of each row; nothing where that was not asked."""
    if answers.bound is None:
        return []
    lines = certificates.lines(answers)
    return [
        Certificate(
            proved=bool(lines["proved"][q]),
            bound=finite(lines["bound"][q]),
            gap=finite(lines["gap"][q]),
            reason=lines["reason"][q],
        )
        for q in range(len(answers))
    ]


def _ways(
    answers: Answers, view: RowView, sentences: list[str], price: np.ndarray, row: dict[str, Any]
) -> list[Way]:
    """The answers to one row, of a view without the user's labels."""
    q, usual, sure = view.query, answers.usual, answers.tolerated
    ways = []
    places = np.flatnonzero(answers.filled[q])
    for a, answer, sentence in zip(places, view.answers, sentences[: len(places)], strict=True):
        pairs = zip(answers.space.features, answers.points[q, a], strict=True)
        own = {feature.name: plain(value_of(feature, code)) for feature, code in pairs}
        ways.append(
            Way(
                values={**row, **own},
                changes=[Change.of(change) for change in answer.changes],
                sentence=sentence,
                prediction=answer.prediction,
                score=finite(answer.score),
                distance=answer.distance,
                price=float(price[a]),
                extra=answer.extra,
                usual=None if usual is None else finite(usual[q, a]),
                tolerated=None if sure is None else finite(sure[q, a]),
            )
        )
    return ways
