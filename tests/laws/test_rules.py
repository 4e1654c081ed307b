"""Every rule keeps the laws of a rule, and the kit notices one that does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly import Space, between, fixed, one_of, only_decreases, only_increases
from ifonly.rules import Box, Rule, parse
from ifonly.testing import check_rule, random_rules, random_space

SPACE = Space.describe(
    {"name": "age", "low": 17, "high": 90, "mad": 10},
    {"name": "age in years", "low": 0, "high": 1, "decimals": 2, "mad": 0.1},
    {"name": "job", "levels": ["Sales", "Service", "none, yet", "in between"]},
    {"name": "job title", "levels": [" padded", "Ärztin", 3, True]},
    {"kind": "ordinal", "name": "grade", "levels": ["low", "mid", "high"], "missing": True},
)
RULES = [
    *map(fixed, SPACE.names),
    between("age", 30, 60),
    between("age", 30.5, 30.7),
    between("age", -5, float("inf")),
    between("age in years", 0.25, 0.25),
    one_of("job", ["Service"]),
    one_of("job", ["none, yet", "Sales"]),
    one_of("job", ["in between"]),
    one_of("job title", [" padded"]),
    one_of("job title", [3, True]),
    one_of("grade", "mid"),
    only_increases("age"),
    only_decreases("age in years"),
    only_increases("grade"),
    only_decreases("grade"),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_keeps_the_laws(rule: Rule) -> None:
    check_rule(rule, SPACE)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_is_what_its_text_says(rule: Rule) -> None:
    assert parse(str(rule), SPACE) == rule


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_rules_of_any_space_keep_the_laws(seed: int) -> None:
    space = random_space(seed)
    for rule in random_rules(space, seed):
        check_rule(rule, space, seed=seed)
        assert parse(str(rule), space) == rule


@dataclass(frozen=True)
class Broken(Rule):
    """A rule on the first feature with one fault."""

    fault: str

    def __str__(self) -> str:
        return "two\nlines" if self.fault == "text" else "a rule of its own"

    def check(self, space: Space) -> None: ...

    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        if self.fault == "batch":
            return points[:, :, 0] >= points[:, :, 0].mean()
        return np.ones(points.shape[:2], dtype=float if self.fault == "dtype" else bool)

    def narrow(self, box: Box) -> Box:
        return box.within(0, 30.0, 31.0) if self.fault == "narrow" else box


class Changeable(Broken):
    __setattr__ = object.__setattr__  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Broken("text"), "more than one line"),
        (Broken("dtype"), "float64, not bool"),
        (Broken("batch"), "judged otherwise alone"),
        (Broken("narrow"), "narrow leaves out a point that holds accepts"),
        (Changeable("nothing"), "can be changed"),
    ],
)
def test_the_kit_names_what_a_broken_rule_breaks(rule: Rule, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        check_rule(rule, SPACE)


def test_the_kit_accepts_a_rule_of_a_strangers_own() -> None:
    check_rule(Broken("nothing"), SPACE)
