"""Questions of several people answered as one batch, each with the reply that it has alone.

A row's answers depend on the row alone, so that rows of several questions with equal options can
share the calls of the model. What a reply says of its own question stays the same, but for the
counts of model rows and calls: nobody can say which question they belong to. They are null then,
and so they say nothing of what others ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

from ifonly.answers import Answers
from ifonly.answers.reasons.reason import Reasons
from ifonly.contract.handler import ROUTES, Handler, refused
from ifonly.contract.problem import Refused
from ifonly.contract.question import Question, ask
from ifonly.contract.routes.batches.explain_batch import ExplainBatchRequest, summary_of
from ifonly.contract.routes.explain import reply_of
from ifonly.contract.routes.reasons import told_of
from ifonly.contract.routes.record import RecordRequest, records_of
from ifonly.contract.types import Reply, Request
from ifonly.contract.values import carried_of
from ifonly.solve.short.escalate import LIMIT, SEARCH

JOINED = "explain"
"""The route whose questions are answered together."""
SHARED = ("model_rows", "model_calls", "other_model_rows")
"""What the record of a batch counts for all its rows."""


@dataclass(frozen=True, eq=False)
class Answered:
    """The reply to a request, and how it came about."""

    reply: Reply | Refused | Mapping[str, Any]
    answers: Answers | None = None
    """Those that the reply shows, where it explains."""
    together: int = 1
    """How many requests were answered in one batch."""
    model_rows: float = 0
    """How many rows the model was asked about; of a batch, this request's share."""
    reasons: tuple[Reasons, ...] = ()
    """Those of each row, where they were asked."""


def key_of_group(handler: Handler, name: str, request: Request) -> Any:
    """What requests that can be answered as one share; None for one that must be alone."""
    if name != JOINED or not isinstance(request, Question) or not request.rows:
        return None
    if handler.limits.seconds is not None or (
        request.budget and (request.budget.seconds or request.budget.model_rows)
    ):
        return None  # what one question uses of it, another would lack
    lengths = {len(one) for one in (request.row_rules, request.target) if isinstance(one, list)}
    if lengths - {0, len(request.rows)}:
        return None  # an error, and its own
    own = {"rows", "row_rules", *(["target"] if isinstance(request.target, list) else [])}
    known = getattr(handler.setting.model, "carried", None)
    carried = carried_of(handler.space, request.rows, known)
    dtypes = tuple((column, str(one.dtype)) for column, one in carried.items())
    return request.model_dump_json(exclude=own), isinstance(request.target, list), dtypes


def answer_together(handler: Handler, name: str, requests: Sequence[Any]) -> list[Answered]:
    """The replies to requests that share their `key_of_group`, or to a single one.

    Where a batch fails, its halves are asked, down to the request that fails alone.
    """
    try:
        if name == JOINED:
            return _explained(handler, requests)
        (request,) = requests
        with refused(request):
            if isinstance(request, ExplainBatchRequest | RecordRequest):
                answers = ask(handler, request)
                batch = isinstance(request, ExplainBatchRequest)
                reply = summary_of(answers) if batch else records_of(answers, request.rows)
                return [Answered(reply, answers, model_rows=answers.record["model_rows"])]
            return [Answered(ROUTES[name].answer(handler, request))]
    except Refused as error:
        if len(requests) == 1:
            return [Answered(error)]
    half = len(requests) // 2
    halves = requests[:half], requests[half:]
    return [one for some in halves for one in answer_together(handler, name, some)]


def _explained(handler: Handler, requests: Sequence[Any]) -> list[Answered]:
    """The replies to questions, answered as one."""
    with refused(requests[0]):
        answers = ask(handler, _joined(requests))
        counted = answers.record["model_rows"] / max(len(answers), 1)
        places = pairwise(accumulate((len(one.rows) for one in requests), initial=0))
        shown = []
        for request, (start, stop) in zip(requests, places, strict=True):
            own = answers if len(requests) == 1 else _of_one(answers[start:stop], request)
            share = counted * (stop - start) if len(requests) > 1 else answers.record["model_rows"]
            told = told_of(own) if request.reasons else []
            reply = reply_of(
                own, request.rows, as_answers=request.as_answers, told=[row for row, _ in told]
            )
            reasons = tuple(one for _, one in told)
            shown.append(Answered(reply, own, len(requests), share, reasons))
        return shown


def _joined(requests: Sequence[Any]) -> Any:
    """One question with the rows of all."""
    first = requests[0]
    if len(requests) == 1:
        return first
    parts: dict[str, Any] = {"rows": [row for one in requests for row in one.rows]}
    if any(one.row_rules for one in requests):
        parts["row_rules"] = [
            rules for one in requests for rules in one.row_rules or [[]] * len(one.rows)
        ]
    if isinstance(first.target, list):
        parts["target"] = [target for one in requests for target in one.target]
    return first.model_copy(update=parts)


def _of_one(answers: Answers, request: Question) -> Answers:
    """The answers of one question out of a batch, with the record that they have alone."""
    record: dict[str, Any] = {**answers.record, **dict.fromkeys(SHARED)}
    if not request.row_rules:
        record["row_rules"] = []
    by = set(record["finished_by"])
    if not by - {"", SEARCH}:
        record["finished_by"] = []
    if LIMIT not in by:
        record["no_solver"] = ""
    return replace(answers, record=record)
