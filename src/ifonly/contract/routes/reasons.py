"""The route `reasons`: why rows got their outcome, which is not what to do about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ifonly.answers import Answers
from ifonly.answers.reasons.codes import ReasonCodes
from ifonly.answers.reasons.measure import measured
from ifonly.answers.reasons.reason import Reason, Reasons, reasons_of
from ifonly.contract.context import Context
from ifonly.contract.problem import at
from ifonly.contract.question import Question, ask, wanted_of
from ifonly.contract.types import Range, Reply, Strict, Value
from ifonly.contract.values import finite


class CodeLine(Strict):
    """A line of a table of reasons."""

    feature: str
    when: str = ""
    """'low', 'high', 'missing' or a level; nothing: any case."""
    code: str
    sentence: str
    """{feature}, {value} and {better} stand for what they are."""


class ReasonsRequest(Question):
    """Why rows got their outcome."""

    codes: list[CodeLine] = []
    """The table of reasons; without one, reasons have no codes, and sentences of ifonly."""

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """One row."""
        return [{"rows": [row], "target": target}]


class Stated(Strict):
    """One feature that the outcome rested on."""

    feature: str
    value: Value
    better: Value
    """The value of the data that would close most of the gap."""
    direction: str
    """What the value is: 'low', 'high', 'other' or 'missing'."""
    weight: float | None
    """The share of the gap to the threshold that changing it alone can close; may exceed 1."""
    suffices: bool
    """Whether changing it alone gives the wanted outcome."""
    needed: bool
    """Whether nothing was found that gives the wanted outcome and leaves it as it is."""
    actionable: bool
    """Whether the rules allow a value that closes a part of the gap."""
    code: str
    sentence: str


class RowReasons(Strict):
    """The reasons of one row, the greatest weight first."""

    prediction: Value
    wanted: Range | Value
    reasons: list[Stated]
    together: list[str]
    """Features that give the wanted outcome together; without any one of them they do not."""
    gap: float | None
    """How far the row is from the threshold, in units of `scale`."""
    scale: str
    """'log odds', 'score', or the 'number' that a regressor predicts."""
    note: str
    """Why there are no reasons, where there are none."""


class ReasonsReply(Reply):
    """At most four principal reasons for every row."""

    rows: list[RowReasons]


def reasons(context: Context, request: ReasonsRequest) -> ReasonsReply:
    """The principal reasons of each row's outcome."""
    table = None
    if request.codes:
        with at("codes"):
            table = ReasonCodes.of([dict(one) for one in request.codes])
            table.check(context.space, context.setting.ignored)
    answers = ask(context, request.model_copy(update={"k": 1}))
    return ReasonsReply(rows=[one for one, _ in told_of(answers, table)])


def told_of(answers: Answers, table: ReasonCodes | None = None) -> list[tuple[RowReasons, Reasons]]:
    """The reasons of every row, as a reply has them and as such; sentences in the user's words."""
    found = measured(answers)
    bare = replace(answers, space=replace(answers.space, labels={}))
    each = zip(reasons_of(bare, table, found), reasons_of(answers, table, found), strict=True)
    return [(_row(one, named), named) for one, named in each]


def _row(one: Reasons, named: Reasons) -> RowReasons:
    return RowReasons(
        prediction=one.predicted,
        wanted=wanted_of(one.wanted),
        reasons=[_stated(*pair) for pair in zip(one, named, strict=True)],
        together=list(one.together),
        gap=one.gap,
        scale=one.scale,
        note=named.note,
    )


def _stated(one: Reason, named: Reason) -> Stated:
    return Stated(
        feature=one.feature,
        value=one.value,
        better=one.better,
        direction=one.direction,
        weight=finite(one.weight),
        suffices=one.suffices,
        needed=one.needed,
        actionable=one.actionable,
        code=one.code,
        sentence=named.sentence,
    )
