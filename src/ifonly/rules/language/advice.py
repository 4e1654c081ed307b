"""What is said of rules that a row itself breaks: which they are, and how one may be misread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ifonly.rules.intervals import Shift
from ifonly.rules.language.names import name_text, number_text
from ifonly.rules.logic import And
from ifonly.rules.rule import Rule


def said_of_broken(rules: Sequence[Rule]) -> str:
    """The note of a row that breaks rules as it is.

    >>> print(said_of_broken([Shift("debt", "decreases", most=5000)]))
    The row itself breaks 'debt decreases by at most 5000'. 'debt decreases by at most 5000' demands
    that debt decreases. For a limit write 'debt only decreases' and 'debt changes by at most 5000'.
    """
    listed = ", ".join(f"'{rule}'" for rule in rules)
    return " ".join([f"The row itself breaks {listed}.", *map(_advice, _limits(rules))])


def _limits(rules: Sequence[Rule]) -> Iterator[Shift]:
    """Those that demand an increase or a decrease where a person may mean a limit of it."""
    for rule in rules:
        if isinstance(rule, And):
            yield from _limits(rule.parts)
        elif isinstance(rule, Shift) and not rule.least and math.isfinite(rule.most):
            yield from [rule] if rule.way != "changes" else []


def _advice(rule: Shift) -> str:
    name, most = name_text(rule.name), f"{number_text(rule.most)}{rule.unit}"
    return (
        f"'{rule}' demands that {name} {rule.way}. "
        f"For a limit write '{name} only {rule.way}' and '{name} changes by at most {most}'."
    )
