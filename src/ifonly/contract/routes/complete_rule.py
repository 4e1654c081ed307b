"""The route `complete_rule`: what can follow where somebody is typing a rule."""

from __future__ import annotations

from typing import Any, Literal

from ifonly.contract.context import Context
from ifonly.contract.problem import Refused
from ifonly.contract.types import Reply, Request, Strict
from ifonly.rules.language.completion import completions

MOST = 50
"""How many options a reply has."""


class CompleteRuleRequest(Request):
    """A rule, up to the place where it is being typed."""

    text: str

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """The beginning of a rule."""
        return [{"text": "at m"}]


class CompletionOption(Strict):
    """A text that can stand there, in place of what is typed from `start` on."""

    start: int
    text: str
    kind: Literal["feature", "level", "word"]
    label: str
    """What people call the feature or level, where that differs."""


class CompleteRuleReply(Reply):
    """What can follow: features, then levels, then words of the language."""

    options: list[CompletionOption]


def complete_rule(context: Context, request: CompleteRuleRequest) -> CompleteRuleReply:
    """What can follow where somebody is typing a rule."""
    most = context.limits.rule_text
    if len(request.text) > most:
        message = f"This rule has {len(request.text)} characters."
        raise Refused(message, f"At most {most} are accepted.", field="text", kind="limit")
    found = completions(request.text, context.space)[:MOST]
    return CompleteRuleReply(
        options=[
            CompletionOption(start=one.start, text=one.text, kind=one.kind, label=one.label)
            for one in found
        ]
    )
