"""Rules as a user gives them: objects, lines of text, dictionaries, and files of these."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.json import from_plain
from ifonly.rules.language.cursor import Reader, Trouble
from ifonly.rules.language.dates import in_units
from ifonly.rules.language.grammar import read_line
from ifonly.rules.language.meant import meant
from ifonly.rules.language.names import QUOTED
from ifonly.rules.rule import Rule
from ifonly.rules.suggested.suggestions import WORD, Suggestions, suggested
from ifonly.space import Space

ATTEMPTS = 500
"""How many ways to cut a line are tried; a line of an honest user has two or three."""

_QUOTES_AND_MARKS = re.compile(rf"(?<!\w)(?:{QUOTED.pattern})|(?<!\S)#")
"""What stands in quotes, and where a comment begins; an apostrophe inside a word is no quote."""

Given = Rule | str | Mapping[str, Any]
"""A rule as a user gives it: an object, a line of text, or what JSON holds of it."""


def parse(line: str, space: Space) -> Rule:
    """The rule that a line of text states.

    Parameters
    ----------
    line
        The text, such as 'age only increases'.
    space
        The features that it may name.

    Returns
    -------
    Rule

    Raises
    ------
    RuleError
        The line is not in the language; the error shows the place, and what may be meant.

    Examples
    --------
    >>> space = Space.describe({"name": "age", "low": 17, "high": 90, "mad": 10})
    >>> parse("age increases by at most 5", space).names
    ('age',)
    """
    try:
        return _read(line, space)
    except Trouble as trouble:
        error = trouble.of(line)
    for text in meant(" ".join(line.split()), space.names):
        with suppress(Trouble, RuleError):
            _read(text, space)
            error.hint = f"Did you mean the rule '{text}'?"
            break
    raise error


def as_rules(
    rules: Iterable[Given | Sequence[str]] | Given | None,
    space: Space,
    data: np.ndarray | None = None,
) -> tuple[Rule, ...]:
    """Rules given as objects, text or plain dictionaries, each checked against the space.

    Each stays the rule that it is on its own: an answer obeys all of them.

    Parameters
    ----------
    rules
        One rule or several; each is an object, a line of text or a dictionary.
    space
        The features that they may name.
    data
        [n, d] the codes of the rows for whose rules the word 'suggested' stands.

    Returns
    -------
    tuple of Rule

    Raises
    ------
    RuleError
        One of them is no rule, or does not fit the space.

    Examples
    --------
    >>> space = Space.describe({"name": "age", "low": 17, "high": 90, "mad": 10})
    >>> given = ["age at least 30", {"rule": "fixed", "name": "age"}]
    >>> [str(rule) for rule in as_rules(given, space)]
    ['age at least 30', 'age fixed']
    """
    if isinstance(rules, Mapping) and "rule" not in rules:
        raise RuleError(
            f"The rules are a dictionary: {rules!r}.", "Give a list, such as rules=['age fixed']."
        )
    given: list[Any] = [rules] if isinstance(rules, str | Rule | Mapping) else list(rules or ())
    several = (suggested(space, data) if one == WORD and data is not None else one for one in given)
    listed = (one if isinstance(one, Suggestions) else [one] for one in several)
    return tuple(_as_rule(rule, space) for part in listed for rule in part)


def read_rules(text: str, space: Space) -> tuple[Rule, ...]:
    """The rules of a file: one per line, or a list in JSON; blank lines and comments are skipped.

    A comment begins with a # at the start of a line, or after white space and outside of quotes.

    Parameters
    ----------
    text
        What the file contains.
    space
        The features that they may name.

    Returns
    -------
    tuple of Rule

    Raises
    ------
    RuleError
        A line is no rule; the error has its number.

    Examples
    --------
    >>> space = Space.describe({"name": "age", "low": 17, "high": 90, "mad": 10})
    >>> [str(rule) for rule in read_rules("# of people\\nage only increases  # no other\\n", space)]
    ['age only increases']
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("["):
        return tuple(_numbered("Rule", enumerate(_json(text), 1), space))
    lines = ((n, _without_comment(line)) for n, line in enumerate(text.split("\n"), 1))
    return tuple(_numbered("Line", ((n, line) for n, line in lines if line), space))


def _read(line: str, space: Space) -> Rule:
    """The rule of a line; the trouble of the way to cut it that came furthest."""
    worst: Trouble | None = None
    turns: tuple[int, ...] | None = ()
    for _ in range(ATTEMPTS):
        if turns is None:
            break
        reader = Reader(line, space, turns)
        try:
            return in_units(read_line(reader), space)
        except Trouble as trouble:
            if worst is None or trouble.reached > worst.reached:
                worst = trouble
        except RecursionError:
            raise RuleError(
                f"The rule '{line[:60]}…' has too many nested brackets.", "Make it shorter."
            ) from None
        turns = reader.next_turns()
    assert worst is not None
    raise worst


def _without_comment(line: str) -> str:
    """A line of a file without the comment at its end."""
    marks = (found for found in _QUOTES_AND_MARKS.finditer(line) if found[0] == "#")
    return line[: next((found.start() for found in marks), None)].strip()


def _as_rule(given: Any, space: Space) -> Rule:
    if isinstance(given, str) and given == WORD:
        raise RuleError(
            f"{WORD!r} stands for rules that data show, and there are no data here.",
            "Give it in `rules` beside `data`, or give ifonly.suggest_rules(data).",
        )
    if isinstance(given, str):
        return parse(given, space)
    try:
        rule = from_plain(given) if isinstance(given, Mapping) else given
        if not isinstance(rule, Rule):
            raise RuleError(
                f"{given!r} is not a rule.",
                "Give text such as 'race fixed', or ifonly.fixed('race').",
            )
        try:
            rule.check(space)
        except RuleError:
            if not any(name in str(rule) for name in Reader("", space).groups):
                raise
            rule = parse(str(rule), space)  # as rules on the columns of a group
        rule = in_units(rule, space)
    except RecursionError:
        raise RuleError("The rule is nested too deeply.", "Split it.") from None
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
            f"The rules look like JSON and cannot be parsed: {error}.",
            'Write a list, such as ["race fixed"]; or text, one rule per line.',
        ) from None
