"""The route `check_rules`: what rules mean, where they cannot be read, and which conflict."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ifonly.contract.context import Context
from ifonly.contract.problem import Refused
from ifonly.contract.types import GivenRule, Reply, Request, Row, Strict
from ifonly.errors import RuleError
from ifonly.rules import Rule, to_plain
from ifonly.solve.short.conflict import conflict


class CheckRulesRequest(Request):
    """Rules as somebody types them, and a row that they are for."""

    rules: list[GivenRule]
    row: Row | None = None

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """A rule, and one that cannot be understood, for a row."""
        return [{"rules": ["at most 2 features change", "at least nothing"], "row": row}]


class CheckedRule(Strict):
    """A rule that is understood, or the place where it is not."""

    text: str
    """The rule as ifonly writes it; empty where there is an error."""
    rule: dict[str, Any] | None = None
    """The same as an object, which may stand in place of the text; null for 'suggested'."""
    features: list[str] = []
    """The features that it names."""
    error: str = ""
    hint: str = ""
    place: int | None = None
    """The position in the text of the character where it cannot be understood."""


class CheckRulesReply(Reply):
    """What each rule means, and which of them conflict."""

    rules: list[CheckedRule]
    conflict: list[str]
    """The smallest set of rules, with those in force, that no answer to the row can satisfy."""
    error: str = ""
    """Why no row at all can satisfy the rules, where that is so."""


def check_rules(context: Context, request: CheckRulesRequest) -> CheckRulesReply:
    """What rules mean, and which of them conflict for a row."""
    x = None if request.row is None else context.row(request.row, "row")
    checked: list[CheckedRule] = []
    read: list[Rule] = []
    for read_rule in context.each_rule(request.rules):
        try:
            found = read_rule()
        except Refused as refused:
            problem = refused.problem
            message = problem.detail.partition("\n")[0]
            checked.append(
                CheckedRule(text="", error=message, hint=problem.hint, place=problem.place)
            )
            continue
        read += found
        rule = None
        with suppress(RuleError):  # a level that JSON does not have
            rule = to_plain(found[0]) if len(found) == 1 else None
        names = list(dict.fromkeys(name for one in found for name in one.names))
        checked.append(CheckedRule(text="\n".join(map(str, found)), rule=rule, features=names))
    try:
        together = context.setting.with_rules(read).all_rules
    except RuleError as error:
        return CheckRulesReply(rules=checked, conflict=[], error=error.message)
    clash = None if x is None else conflict(context.space, x, together)
    return CheckRulesReply(rules=checked, conflict=[str(one) for one in clash or ()])
