"""Rules as lines of text, as they are written on the command line and in files.

    race fixed                           only age, hours_per_week change
    age between 30 and 60                income at most 200000
    occupation in Sales, Service         occupation not Farming
    age only increases                   age changes by at most 5
    hours_per_week in steps of 5         at most 3 features change
    education causes age                 gender and race change together or not at all
    debt + loan <= 0.4 * income          forbid education=Doctorate, age<25
    education increases => age increases by at least 2
    if occupation is Sales then hours_per_week >= 40
    education: Bachelors -> Masters takes 2 of age

Names and levels may hold spaces: the longest that is known is meant. What could be read as
something else stands in quotes. The grammar is in `grammar.py`, `verbs.py` and `sums.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ifonly.errors import RuleError
from ifonly.rules.json import from_plain
from ifonly.rules.language.cursor import Reader, Trouble
from ifonly.rules.language.grammar import read_line
from ifonly.rules.rule import Rule
from ifonly.space import Space

ATTEMPTS = 500
"""How many ways to cut a line are tried; a line of an honest user has two or three."""

Given = Rule | str | Mapping[str, Any]
"""A rule as a user gives it: an object, a line of text, or what JSON holds of it."""


def parse(line: str, space: Space) -> Rule:
    """The rule that a line of text states."""
    worst: Trouble | None = None
    turns: tuple[int, ...] | None = ()
    for _ in range(ATTEMPTS):
        if turns is None:
            break
        reader = Reader(line, space, turns)
        try:
            return read_line(reader)
        except Trouble as trouble:
            if worst is None or trouble.reached > worst.reached:
                worst = trouble
        except RecursionError:
            raise RuleError(
                f"The rule '{line[:60]}…' has too many brackets in brackets.", "Make it shorter."
            ) from None
        turns = reader.next_turns()
    assert worst is not None
    raise worst.of(line.strip()) from None


def as_rules(rules: Iterable[Given] | Given | None, space: Space) -> tuple[Rule, ...]:
    """Rules given as objects, text or plain dictionaries, each checked against the space.

    Each stays the rule that it is on its own: an answer obeys all of them.
    """
    if isinstance(rules, Mapping) and "rule" not in rules:
        raise RuleError(
            f"The rules are a dictionary: {rules!r}.", "Give a list, such as rules=['age fixed']."
        )
    given = [rules] if isinstance(rules, str | Rule | Mapping) else list(rules or ())
    return tuple(_as_rule(rule, space) for rule in given)


def read_rules(text: str, space: Space) -> tuple[Rule, ...]:
    """The rules of a file: one a line, or a list in JSON; blank lines and # comments are skipped.

    >>> space = Space.describe({"name": "age", "low": 17, "high": 90, "mad": 10})
    >>> [str(rule) for rule in read_rules("# of people\\nage only increases\\n", space)]
    ['age only increases']
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("["):
        return tuple(_numbered("Rule", enumerate(_json(text), 1), space))
    lines = ((n, line.strip()) for n, line in enumerate(text.split("\n"), 1))
    told = ((n, line) for n, line in lines if line and not line.startswith("#"))
    return tuple(_numbered("Line", told, space))


def _as_rule(given: Any, space: Space) -> Rule:
    if isinstance(given, str):
        return parse(given, space)
    try:
        rule = from_plain(given) if isinstance(given, Mapping) else given
        if not isinstance(rule, Rule):
            raise RuleError(
                f"{given!r} is not a rule.",
                "Give text such as 'race fixed', or ifonly.fixed('race').",
            )
        rule.check(space)
    except RecursionError:
        raise RuleError("The rule has too many rules inside each other.", "Split it.") from None
    return rule


def _numbered(what: str, given: Iterable[tuple[int, Any]], space: Space) -> list[Rule]:
    """The rules of a file; an error names the place in it."""
    rules = []
    for number, rule in given:
        try:
            rules.append(_as_rule(rule, space))
        except RuleError as error:
            raise RuleError(f"{what} {number}: {error.message}", error.hint) from None
    return rules


def _json(text: str) -> list[Any]:
    try:
        return list(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise RuleError(
            f"The rules begin as JSON does and cannot be read as such: {error}.",
            'Write a list, such as ["race fixed"]; or text, one rule a line.',
        ) from None
