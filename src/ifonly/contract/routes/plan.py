"""The route `plan`: in which order the changes of an answer can be made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ifonly.answers.plan import plan as steps_to
from ifonly.contract.context import Context
from ifonly.contract.problem import at
from ifonly.contract.types import Change, Changes, GivenRule, Reply, Request, Row, Strict


class PlanRequest(Request):
    """A row, and what an answer changes of it."""

    row: Row
    changes: Changes
    """The new values of the features that the answer changes itself, without what follows."""
    rules: list[GivenRule] = []
    """Rules of the question, beside those in force."""

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """A row that becomes another."""
        return [{"row": row, "changes": other}]


class Step(Strict):
    """Changes that are made at once."""

    changes: list[Change]
    takes: float
    """The time that they take, of the feature `of`; 0 where no rule says."""
    of: str
    sentence: str


class PlanReply(Reply):
    """Steps in an order in which no rule is broken on the way, where there is one."""

    steps: list[Step]


def plan(context: Context, request: PlanRequest) -> PlanReply:
    """The changes of an answer in order."""
    x = context.row(request.row, "row")
    goal = context.row({**request.row, **request.changes}, "changes")
    with at("rules"):
        setting = context.setting.with_rules(context.rules(request.rules))
    bare = replace(setting.space, labels={}, one_hot=())  # features as the columns they are
    plans = [
        steps_to(space, setting.all_rules, x, goal, causes=setting.causes)
        for space in (bare, setting.space)
    ]
    return PlanReply(
        steps=[
            Step(
                changes=[Change.of(change) for change in step.changes],
                takes=step.takes,
                of=step.of,
                sentence=str(named),
            )
            for step, named in zip(*(one.steps for one in plans), strict=True)
        ]
    )
