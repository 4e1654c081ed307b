"""Rules as lines of text, as they are written on the command line and in files.

    race fixed
    age between 30 and 60
    occupation in Sales, Service
    age only increases
    debt only decreases

A feature's name may hold spaces; the longest name that starts the line is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ifonly.errors import RuleError, nearest
from ifonly.rules.features import between, fixed, one_of, only_decreases, only_increases
from ifonly.rules.rule import Rule
from ifonly.space import Categorical, Space

_BETWEEN = re.compile(r"between\s+(\S+)\s+and\s+(\S+)")
_FORMS = "fixed · between LOW and HIGH · in LEVEL, LEVEL · only increases · only decreases"


def parse(line: str, space: Space) -> Rule:
    """The rule that a line of text states."""
    name, rest = _split(line.strip(), space)
    if rest == "fixed":
        return fixed(name)
    if rest == "only increases":
        return only_increases(name)
    if rest == "only decreases":
        return only_decreases(name)
    if rest.startswith("in "):
        return one_of(name, _levels(rest.removeprefix("in "), name, space))
    bounds = _BETWEEN.fullmatch(rest)
    if bounds:
        return between(name, *(_number(word, line) for word in bounds.groups()))
    raise RuleError(f"The rule '{line}' cannot be understood.", f"After the feature: {_FORMS}.")


def as_rules(rules: Iterable[Rule | str] | Rule | str, space: Space) -> tuple[Rule, ...]:
    """Rules given as objects or text, each checked against the space."""
    if isinstance(rules, Mapping):
        raise RuleError(
            f"The rules are a dictionary: {rules!r}.", "Give a list, such as rules=['age fixed']."
        )
    given = [rules] if isinstance(rules, str | Rule) else list(rules or ())
    nodes = []
    for rule in given:
        if not isinstance(rule, str | Rule):
            raise RuleError(
                f"{rule!r} is not a rule.",
                "Give text such as 'race fixed', or ifonly.fixed('race').",
            )
        node = parse(rule, space) if isinstance(rule, str) else rule
        node.check(space)
        nodes.append(node)
    return tuple(nodes)


def _split(line: str, space: Space) -> tuple[str, str]:
    starts = [name for name in space.names if line == name or line.startswith(f"{name} ")]
    if starts:
        name = max(starts, key=len)
        return name, line[len(name) :].strip()
    word = re.split(r"\s+(?:fixed|between|in|only)\b", line)[0]
    raise RuleError(
        f"The rule '{line}' names {word!r}, which is no feature.", nearest(word, space.names)
    )


def _number(word: str, line: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise RuleError(
            f"The rule '{line}' wants a number where it has {word!r}.",
            "For example: age between 30 and 60.",
        ) from None


def _levels(text: str, name: str, space: Space) -> list[Any]:
    feature = space.features[space.index(name)]
    words = [word.strip() for word in text.split(",")]
    if not isinstance(feature, Categorical):
        return words
    known = {str(level).strip(): level for level in feature.levels}
    levels = []
    while words:  # a level may hold commas: the longest that is known is meant
        spans = [n for n in range(len(words), 0, -1) if ", ".join(words[:n]) in known]
        n = spans[0] if spans else 1
        levels.append(known.get(", ".join(words[:n]), words[0]))
        words = words[n:]
    return levels
