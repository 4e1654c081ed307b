"""The route `examples`: the nearest real rows that have the wanted outcome."""

from __future__ import annotations

from ifonly.contract.context import Context
from ifonly.contract.question import Question, ask
from ifonly.contract.routes.explain import ExplainReply, reply_of


class ExamplesRequest(Question):
    """The k nearest real rows that have the wanted outcome."""

    under_rules: bool = True
    """Only rows that the row could become under its rules and demands; false: any row."""


class ExamplesReply(ExplainReply):
    """Real rows in place of answers, and what differs."""


def examples(context: Context, request: ExamplesRequest) -> ExamplesReply:
    """The nearest real rows that have the wanted outcome."""
    real = ask(context, request).examples(n=request.k, rules=request.under_rules)
    return ExamplesReply(**vars(reply_of(real, request.rows)))
