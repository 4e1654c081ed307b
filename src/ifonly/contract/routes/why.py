"""The route `why`: what prevents answers for rows."""

from __future__ import annotations

from ifonly.answers.why import why_of
from ifonly.contract.context import Context
from ifonly.contract.question import Question, ask_once
from ifonly.contract.types import Reply, Strict


class WhyRequest(Question):
    """Why rows lack answers to a question."""


class Obstacle(Strict):
    """What prevents answers for a row, as `answers.why` has it."""

    status: str
    sentence: str
    conflict: list[str]
    """The smallest set of rules that cannot hold together for the row."""
    asked: int
    """How many rows the model was asked about, in a search without the rules."""
    valid: int
    """How many different candidates of it have the wanted outcome."""
    rejected: dict[str, int]
    """How many of these each rule rejects, the most first."""
    fillable: list[str]
    """Features without a value: if answers could fill them in, there would be some."""
    erasable: list[str]
    """Features with a value: if answers could leave it out, there would be some."""


class WhyReply(Reply):
    """What prevents answers, for every row."""

    rows: list[Obstacle]


def why(context: Context, request: WhyRequest) -> WhyReply:
    """What prevents answers for each row."""
    answers = ask_once(context, request)
    found = [why_of(answers, place, lift=False) for place in range(len(answers))]
    return WhyReply(
        rows=[
            Obstacle(
                status=one.status,
                sentence=str(one),
                conflict=list(one.conflict),
                asked=one.asked,
                valid=one.valid,
                rejected=dict(one.rejected),
                fillable=list(one.fillable),
                erasable=list(one.erasable),
            )
            for one in found
        ]
    )
