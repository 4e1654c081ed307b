"""A line in a person's own words is refused with the rule that it may mean, which can be read."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly import only_increases
from ifonly.errors import RuleError
from ifonly.rules import parse
from ifonly.rules.language.names import name_text
from ifonly.space import Space

MEANT = {
    "age can only increase": "age only increases",
    "age can increase": "age only increases",
    "age only increase": "age only increases",
    "age must increase": "age increases",
    "age may change by at most 6": "age changes by at most 6",
    "debt may not increase": "debt only decreases",
    "debt should never be increased": "debt only decreases",
    "race cannot change": "race fixed",
    "race can't change": "race fixed",
    "race must not change": "race fixed",
    "race stays the same": "race fixed",
    "race must remain unchanged": "race fixed",
    "race is fixed": "race fixed",
    "occupation must be Sales": "occupation is Sales",
    "occupation cannot be Sales": "occupation is not Sales",
    "occupation is in Sales, Service": "occupation in Sales, Service",
    "age must be at most 60": "age at most 60",
    "age is between 30 and 60": "age between 30 and 60",
    "debt <= 25% of income": "debt <= 0.25 * income",
    "debt <= 33.3 % of income": "debt <= 0.333 * income",
    "debt < 0.25 income": "debt < 0.25 * income",
    "debt <= 0.25income": "debt <= 0.25 * income",
    "debt at most 25% of income": "debt <= 0.25 * income",
    "income at least debt": "income >= debt",
    "debt only decreases by at most 10%": "debt only decreases and debt changes by at most 10%",
    "debt can decrease by at most 5": "debt only decreases and debt changes by at most 5",
    "if age > 30 then debt may only decrease": "if age > 30 then debt only decreases",
    "  age at start   can only increase": "age at start only increases",
}
NAMES = ("age", "age at start", '"age at start"', "debt", "education", "race", "plan", "married")
BEFORE = ("", "can", "may", "must", "should", "cannot", "can not", "doesn't", "never", "is", "only")
VERBS = (
    "increase",
    "decreases",
    "change",
    "be",
    "stay the same",
    "fixed",
    "only increase",
    "at most",
)
AFTER = (
    "",
    "by at most 5",
    "by at least 10%",
    "25% of income",
    "0.5 debt",
    "Sales",
    "<= 3",
    "loan",
)
HINT = re.compile(r"Did you mean the rule '(.*)'\?")


@pytest.mark.parametrize("line", MEANT)
def test_the_hint_has_the_rule_that_is_meant(line: str, people: Space) -> None:
    assert hint(line, people) == f"Did you mean the rule '{MEANT[line]}'?"
    parse(MEANT[line], people)


@pytest.mark.parametrize(
    ("line", "place"),
    [("age can only increase", "can"), ("debt <= 25% of income", "%"), ("debt < 2 loan", "loan")],
)
def test_the_mark_stays_where_the_line_stops_to_be_a_rule(
    line: str, place: str, people: Space
) -> None:
    with pytest.raises(RuleError) as caught:
        parse(f" {line}", people)
    assert caught.value.place == 1 + line.index(place)
    assert caught.value.message.endswith(f"\n    {line}\n    {' ' * line.index(place)}^")


@pytest.mark.parametrize("line", ["age can change", "age can rise", "age may vary"])
def test_what_is_allowed_anyway_is_not_read_as_a_demand(line: str, people: Space) -> None:
    assert hint(line, people).startswith("After a feature: fixed")


@given(
    parts=st.lists(
        st.tuples(*map(st.sampled_from, (NAMES, BEFORE, VERBS, AFTER))), min_size=1, max_size=2
    ),
    joint=st.sampled_from([" and ", " => ", ", "]),
)
@settings(max_examples=400, deadline=None)
def test_every_rule_of_a_hint_can_be_read(
    parts: list[tuple[str, ...]], joint: str, people: Space
) -> None:
    line = joint.join(" ".join(filter(None, part)) for part in parts)
    said = ""
    with suppress(RuleError):
        parse(line, people)
        said = "none is needed"
    for text in HINT.findall(said or hint(line, people)):
        parse(text, people)


@given(name=st.text(min_size=1, max_size=12), number=st.integers(1, 99))
@settings(max_examples=200, deadline=None)
def test_any_name_can_stand_in_what_is_rewritten(name: str, number: int) -> None:
    space = Space.describe({"name": name, "low": 0, "high": 9, "mad": 1})
    start = str(only_increases(name))
    said = hint(f"{start} by at most {number}%", space)
    assert (
        said
        == f"Did you mean the rule '{start} and {name_text(name)} changes by at most {number}%'?"
    )
    for text in HINT.findall(said):
        parse(text, space)


def hint(line: str, space: Space) -> str:
    """The hint of the error that a line gives."""
    with pytest.raises(RuleError) as caught:
        parse(line, space)
    return caught.value.hint
