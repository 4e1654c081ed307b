"""Rules are given as objects, text or dictionaries, alone, in a list or in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pytest

from ifonly.errors import RuleError
from ifonly.rules import Rule, as_rules, fixed, none_of, one_of, parse
from ifonly.rules.intervals import Between
from ifonly.rules.json import from_plain, kinds, to_plain
from ifonly.rules.language.given import read_rules
from ifonly.rules.transitions import Takes
from ifonly.space import Space

FIXED = {"rule": "fixed", "name": "race"}
FILE = """# what no one can change
race fixed

   age only increases
education: HS-grad -> Bachelors takes 4 of age
education only: School -> HS-grad
education: Bachelors -> Masters takes 2 of age\r
"""


@pytest.mark.parametrize("given", ["race fixed", fixed("race"), FIXED])
def test_one_rule_needs_no_list(given: Any, people: Space) -> None:
    assert as_rules(given, people) == as_rules([given], people) == (fixed("race"),)


@pytest.mark.parametrize("given", [None, (), []])
def test_no_rules_are_no_rules(given: Any, people: Space) -> None:
    assert as_rules(given, people) == ()


def test_every_line_stays_a_rule_of_its_own(people: Space) -> None:
    lines = read_rules(FILE, people)
    assert [str(rule) for rule in lines] == [
        line.strip() for line in FILE.split("\n") if line.strip() and not line.startswith("#")
    ]
    assert lines == tuple(parse(str(rule), people) for rule in lines)
    assert as_rules([str(rule) for rule in lines], people) == lines


def test_moves_of_one_line_follow_each_other(people: Space) -> None:
    chain = "education: HS-grad -> Bachelors takes 4, Bachelors -> Masters takes 2 of age"
    rule = parse(chain, people)
    assert isinstance(rule, Takes)
    school, hs, bachelors, masters, _ = range(5)
    times = rule.times(people)
    assert times[hs, masters] == 6
    assert times[bachelors, masters] == 2
    assert np.isinf(times[school, hs])


def test_a_file_in_json_says_the_same_as_its_lines(people: Space) -> None:
    rules = read_rules(FILE, people)
    assert read_rules(json.dumps([to_plain(rule) for rule in rules]), people) == rules
    assert read_rules(json.dumps([*map(str, rules)]), people) == rules
    assert read_rules("\ufeff  []", people) == read_rules("\n# nothing\n", people) == ()


def test_a_comment_begins_after_white_space_and_outside_of_quotes() -> None:
    levels = ["a #1", "b#2", "O'Brien", "it's # 3"]
    space = Space.describe({"name": "#", "levels": levels}, {"name": "n#", "levels": ["x", "y"]})
    text = """
      #  fixed
      "#" in 'a #1', b#2  # not 'c'
      "#" not O'Brien\t# isn't
      '#' is "it's # 3" # "
      n# fixed# and the rest
    """
    with pytest.raises(RuleError, match=r"Line 6: .*after 'fixed', '#' is not expected"):
        read_rules(text, space)
    first, second, third = read_rules(text.replace("n# fixed# and", "# n#"), space)
    assert (first, second) == (one_of("#", levels[:2]), none_of("#", ["O'Brien"]))
    assert third == one_of("#", [levels[3]])


@dataclass(frozen=True)
class Own(Rule):
    """A rule of a stranger's own."""

    def __str__(self) -> str:
        return "something of my own"

    def check(self, space: Space) -> None: ...

    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        return np.ones(points.shape[:2], dtype=bool)


BAD: dict[str, tuple[Any, list[str], str]] = {
    "a number": ([17], ["17 is not a rule"], "ifonly.fixed"),
    "a list in the list": ([["race fixed"]], ["is not a rule"], "ifonly.fixed"),
    "a dictionary of something": ({"race": "fixed"}, ["are a dictionary"], "Give a list"),
    "no kind": ([{"name": "race"}], ["does not describe a rule"], '"rule": "fixed"'),
    "an unknown kind": ([{**FIXED, "rule": "fixd"}], ["no rule 'fixd'"], "'fixed'"),
    "a kind that is no text": ([{**FIXED, "rule": 3}], ["no rule 3"], "'fixed'"),
    "an unknown field": ([{**FIXED, "nme": "x"}], ["'fixed' has no 'nme'"], "'name'"),
    "a missing field": ([{"rule": "fixed"}], ["'fixed' lacks its 'name'"], "Given: "),
    "a name that is no text": ([{**FIXED, "name": 3}], ["'name' of 'fixed' is 3"], "a text"),
    "an unknown feature": ([{**FIXED, "name": "rac"}], ["names 'rac'"], "'race'"),
    "a bound that is no number": (
        [{"rule": "between", "name": "age", "low": "x"}],
        ["'low' of 'between' is 'x'"],
        "a number",
    ),
    "a count that is a truth value": (
        [{"rule": "at most change", "count": True}],
        ["'count' of 'at most change' is True"],
        "a whole number",
    ),
    "parts that are no list": (
        [{"rule": "and", "parts": FIXED}],
        ["'parts' of 'and' is"],
        "a list",
    ),
    "a part that is no rule": (
        [{"rule": "and", "parts": [FIXED, "age fixed"]}],
        ["'age fixed' does not describe a rule"],
        '"rule": "fixed"',
    ),
    "too few parts": ([{"rule": "or", "parts": [FIXED]}], ["Or has 1 parts"], "Give 2"),
    "a move of two": (
        [{"rule": "takes", "name": "education", "moves": [["School", "HS-grad"]]}],
        ["'moves' of 'takes' is ['School', 'HS-grad']"],
        "a list of 3",
    ),
    "a level that is a list": (
        [{"rule": "one of", "name": "occupation", "levels": [["Sales"]]}],
        ["'levels' of 'one of' is ['Sales']"],
        "a level",
    ),
    "bounds reversed": (
        [{"rule": "between", "name": "age", "low": 5, "high": 3}],
        ["reversed"],
        "lower bound first",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_rule_is_named(name: str, people: Space, refused: Callable[..., Any]) -> None:
    given, told, hint = BAD[name]
    refused(RuleError, *told, hint=hint, ask=lambda: as_rules(given, people))


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("race fixed\n\nagee fixed", "Line 3: The rule 'agee fixed'", "'age'"),
        ('["race fixed", {"rule": "fixd"}]', "Rule 2: There is no rule 'fixd'", "'fixed'"),
        ('["race fixed",\n nothing]', "line 2", "Write a list"),
    ],
)
def test_an_error_in_a_file_names_the_place(
    text: str, told: str, hint: str, people: Space, refused: Callable[..., Any]
) -> None:
    refused(RuleError, told, hint=hint, ask=lambda: read_rules(text, people))


def test_json_refuses_what_it_cannot_hold(refused: Callable[..., Any]) -> None:
    for level in (date(2020, 1, 1), None, float("inf")):
        ask = lambda level=level: to_plain(one_of("day", [level]))  # noqa: E731
        refused(RuleError, repr(level), hint="into text", ask=ask)
    refused(RuleError, "Own", "something of my own", hint="between", ask=lambda: to_plain(Own()))
    refused(RuleError, "Own", hint="between", ask=lambda: to_plain(fixed("a") & Own()))


def test_json_leaves_out_what_has_a_default() -> None:
    assert from_plain({"rule": "between", "name": "age", "high": 5}) == Between("age", high=5)
    assert to_plain(one_of("code", np.array([1, 2])))["levels"] == [1, 2]


def test_every_kind_has_one_name() -> None:
    assert len(set(kinds().values())) == len(kinds()) >= 19


def test_a_level_of_any_type_can_be_named_in_quotes() -> None:
    days = Space.describe({"name": "day", "levels": [date(2020, 1, 1), date(2021, 1, 1)]})
    rule = one_of("day", [date(2021, 1, 1)])
    assert str(rule) == 'day is "2021-01-01"'
    assert parse(str(rule), days) == parse("day is 2021-01-01", days) == rule
