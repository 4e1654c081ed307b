"""Completions of a rule that is being typed: what the language itself could read there."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ifonly.rules import as_rules
from ifonly.rules.language.completion import completions
from ifonly.space import Space

SPACE = Space.describe(
    {"name": "age", "low": 17, "high": 90, "mad": 10},
    {"name": "hours per week", "low": 1, "high": 99, "mad": 5},
    {"name": "at risk", "levels": ["no", "yes"]},
    {"name": "job", "levels": ["clerk", "cook", "head cook"]},
    {"name": "school", "kind": "ordinal", "levels": ["none", "some", "all"]},
)
RULES = [
    "age fixed",
    "age only increases",
    "hours per week between 10 and 40",
    '"at risk" is no',
    "job in clerk, head cook",
    "job not cook",
    "at most 3 features change",
    "at most 2 of age, job change",
    "only age, hours per week change",
    "age changes by at most 5",
    "age + hours per week <= 100",
    "job is cook => age >= 30",
    "if job is clerk then hours per week at most 30",
    "forbid job = cook, age < 20",
    "school causes age",
    "school: none -> some takes 2 of age",
    "age and job change together or not at all",
    "not (job is clerk and age > 60)",
    "hours per week in steps of 5",
]


def texts(line: str) -> list[str]:
    return [one.text for one in completions(line, SPACE)]


@pytest.mark.parametrize("rule", RULES)
def test_every_word_of_a_rule_is_offered_where_it_stands(rule: str) -> None:
    as_rules([rule], SPACE)
    for word in re.finditer(r'"[^"]+"|[a-zA-Z]+', rule):
        for typed in (0, 1):
            place = word.start() + typed
            offered = completions(rule[:place], SPACE)
            lines = [rule[: one.start] + one.text for one in offered]
            assert any(rule.startswith(line) and len(line) >= word.end() for line in lines), rule[
                :place
            ]


def test_only_what_can_stand_there_is_offered() -> None:
    assert texts("job is ") == ["clerk", "cook", "head cook", "is missing", "is not"]
    assert texts("age onl") == ["only"]
    assert texts("hours per w") == ["hours per week"]
    assert texts("AT R") == ['"at risk"']
    assert texts("job in cook, h") == ["head cook"]
    assert texts("nothing of this ") == []
    assert "age" not in texts("age ")
    assert texts("age fixed") == []


def test_labels_are_completed_too() -> None:
    labelled = replace(SPACE, labels={"age": "Years of life", ("job", "cook"): "Chef"})
    (one,) = completions("years", labelled)
    assert (one.text, one.label, one.start) == ("age", "Years of life", 0)
    assert [one.text for one in completions("job is che", labelled)] == ["cook"]


def test_long_and_hostile_lines_are_answered() -> None:
    for line in ("(" * 1500, "not " * 400, "age " * 500, '"' * 999, "\u202e\x00", ""):
        assert isinstance(completions(line, SPACE), list)
