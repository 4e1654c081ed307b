"""The route `explain_batch`: what `explain` finds, in a few numbers per row, for tables of many.

A batch of any size is asked in chunks of rows: a row's summary depends on the row alone, and the
mean of `uses` over the answered rows of all chunks is `Answers.importance` of the whole batch.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ifonly.answers import Answers
from ifonly.answers.views import shown_scores
from ifonly.contract.context import Context
from ifonly.contract.question import Question, ask, wanted_of
from ifonly.contract.types import Range, Reply, Strict, Value
from ifonly.contract.values import finite, plain
from ifonly.space.table.values import value_of


class ExplainBatchRequest(Question):
    """The question of `explain`, of which the reply has a summary."""


class Use(Strict):
    """How the answers to a row use a feature."""

    changed: float
    """The share of the answers that change it."""
    sufficient: float
    """The share in which its change alone gives the wanted outcome."""


class Summary(Strict):
    """One row, and what is known of its answers."""

    status: Literal["found", "partial", "not_found", "infeasible", "skipped", "failed", "already"]
    prediction: Value
    wanted: Range | Value
    score: float | None
    """The score of the wanted class before any change, or the predicted number."""
    answers: int
    """How many there are."""
    distance: float | None
    """That of the nearest answer."""
    price: float | None
    """The least, which is that of the nearest answer."""
    changes: dict[str, Value]
    """The new values of the features that the nearest answer changes."""
    uses: dict[str, Use]
    """By feature, how the answers use it; those that none changes are left out."""


class ExplainBatchReply(Reply):
    """A summary for each row."""

    rows: list[Summary]


def explain_batch(context: Context, request: ExplainBatchRequest) -> ExplainBatchReply:
    """A summary of the answers to each row."""
    return summary_of(ask(context, request))


def summary_of(answers: Answers) -> ExplainBatchReply:
    """Answers as a reply."""
    names, features = answers.space.names, answers.space.features
    scores = shown_scores(answers.row_score, answers.scores)
    distance, changed = answers.distance(), answers.changed()
    price = np.where(answers.filled, answers.price(), np.inf)
    nearest = price.argmin(axis=1) if answers.k else np.zeros(len(answers), np.intp)
    shares = answers.importance(by_row=True)
    uses = {name: shares[name].to_numpy().reshape(-1, len(names)) for name in Use.model_fields}
    rows = []
    for q, a in enumerate(nearest.tolist()):
        count = int(answers.filled[q].sum())
        there = np.flatnonzero(changed[q, a] & (count > 0))
        used = np.flatnonzero(uses["changed"][q] > 0)
        rows.append(
            Summary(
                status=str(answers.status[q]),  # type: ignore[arg-type]  # one of the seven
                prediction=answers.predicted[q],
                wanted=wanted_of(answers.wanted[q]),
                score=finite(scores[q]),
                answers=count,
                distance=float(distance[q, a]) if count else None,
                price=float(price[q, a]) if count else None,
                changes={
                    names[j]: plain(value_of(features[j], answers.points[q, a, j])) for j in there
                },
                uses={names[j]: Use(**{n: float(u[q, j]) for n, u in uses.items()}) for j in used},
            )
        )
    return ExplainBatchReply(rows=rows)
