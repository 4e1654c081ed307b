"""Every rule keeps the laws of a rule, and the kit notices one that does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly import Space, between, fixed, one_of, only_decreases, only_increases
from ifonly.rules import Box, Rule, parse
from ifonly.rules.formula import Formula, Variables
from ifonly.rules.json import from_plain, kinds, to_plain
from ifonly.rules.logic import Implies
from ifonly.rules.scene import Scene
from ifonly.rules.shorthands import Meaning
from ifonly.testing import check_rule, random_rules, random_space
from ifonly.testing.spaces import random_codes

SPACE = Space.describe(
    {"name": "age", "low": 17, "high": 90, "mad": 10},
    {"name": "age in years", "low": 0, "high": 1, "decimals": 2, "mad": 0.1},
    {"name": "job", "levels": ["Sales", "Service", "none, yet", "in between"]},
    {"name": "job title", "levels": [" padded", "Ärztin", 3, True]},
    {"kind": "ordinal", "name": "grade", "levels": ["low", "mid", "high"], "missing": True},
    {"name": "debt", "low": -5, "high": 60, "decimals": 1, "mad": 3, "missing": True},
    {"name": "married", "levels": [False, True]},
    {"name": "tenant", "levels": [1, 0], "missing": True},
)
LINES = """
age changes
job changes
grade changes
only age, job change
age at least 30
"age in years" at most 0.5
job not Sales
job not in Sales, Service
grade is mid
age >= 40
age > 40
age < 40
age = 40
debt <= 3.05
"age in years" > 0.5
age increases
age decreases
grade increases
grade decreases by at least 2
grade changes by at most 1
age increases by at least 2
age increases by between 2 and 5
age decreases by at most 3
age changes by at most 5
age changes by at least 5
debt changes by between 0.5 and 7
age changes by at most 10%
debt changes by at least 12.5%
"age in years" decreases by between 5% and 50%
debt increases by at least 0%
not (age increases by at most 20%)
age in steps of 5
"age in years" in steps of 0.05
debt in steps of 2.5
at most 2 features change
at most 0 features change
at most 1 of age, job, debt change
age and job change together or not at all
debt, grade and job change together or not at all
grade causes age
grade increases => age increases by at least 2
if job is Sales then age >= 40
if job changes then (age fixed or debt fixed)
age + 2 * debt <= 100
debt <= age
debt - 0.5 * age >= -20
age = 10 * debt
2 * debt < 1 + 3
married + tenant = 1
1 * married >= 1
age <= 40 + 20 * tenant
debt / age <= 0.5
age / debt > 2
age / debt < 3 / debt
debt * age <= 300
debt * married <= 30
0.5 * age * debt / "age in years" >= 2 + debt
1 / debt + 1 / age <= 0.3
not (debt / age = 0.5)
grade: low -> mid takes 2, mid -> high takes 3 of age
grade only: low -> mid, mid -> high takes 5 of age
grade only: low -> mid, mid -> low
job: Sales -> Service takes 1 of debt
forbid job=Sales, age<25
forbid grade=low
job is Sales <=> age = 30
debt is missing
not (grade is missing)
job is Service <=> debt is missing
grade is missing <=> debt > 10
(age >= 40 or job is Sales) <=> grade increases
grade determines age: low -> 20, mid -> 40, high -> 60
job determines grade: Sales -> low, "in between" -> high
grade determines debt: low -> 1.5, mid -> 1.5
grade determines debt: low -> 1.5
forbid (job in Sales, Service), (age changes => debt changes), not (grade is mid)
age fixed and job fixed
(age > 30 and grade is low) or debt increases or job fixed
not (age = 40)
not (age changes by at most 5)
not (grade is mid and age > 30)
not (debt + age <= 50)
not (at most 2 features change)
not (grade: low -> mid takes 2 of age)
not (grade only: low -> mid)
not (debt in steps of 2.5)
not (only age, job change)
not (age and job change together or not at all)
not (if job is Sales then age >= 40)
""".strip().splitlines()
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
    *(parse(line, SPACE) for line in LINES),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_keeps_the_laws(rule: Rule) -> None:
    check_rule(rule, SPACE)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_is_what_its_text_and_its_json_say(rule: Rule) -> None:
    assert parse(str(rule), SPACE) == rule
    assert from_plain(to_plain(rule)) == rule


def test_the_lines_stand_as_rules_are_written_and_have_every_kind() -> None:
    assert [str(rule) for rule in RULES[-len(LINES) :]] == LINES
    own = {kind for kind in kinds().values() if kind.__module__.startswith("ifonly.")}
    assert {type(rule) for rule in RULES} == own


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_opposite_of_a_rule_is_true_where_the_rule_is_false(rule: Rule) -> None:
    x = random_codes(SPACE, 8, 0)
    points = np.where(np.arange(60).reshape(1, -1, 1) % 7 > 3, x[:, None], _near(x, 60))
    scene = Scene(SPACE, x, points)
    assert np.array_equal((~rule).truth(scene), -rule.truth(scene))
    assert np.array_equal((~~rule).truth(scene), rule.truth(scene))


@pytest.mark.sample(2)
@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_points_are_moved_inside_the_box_and_to_where_the_rule_is_as_wanted(
    rule: Rule, wanted: bool
) -> None:
    x = random_codes(SPACE, 8, 0)
    box = Box.whole(SPACE, x)
    rows = np.repeat(np.arange(8), 60)
    scene = Scene(SPACE, x, _near(x, 60).reshape(-1, len(SPACE)), box, rows)
    sign = 1 if wanted else -1
    wrong = sign * rule.truth(scene) < 0
    moved = scene.moved(rule.reach(scene, wanted))
    inside = box.take(rows).contains(moved.points[:, None])[:, 0].all(axis=-1)
    assert inside[wrong].all()
    still = wrong & (sign * rule.truth(moved) < 0)
    same = ((moved.points == scene.points) | np.isnan(scene.points)).all(axis=-1)
    assert same[still].all() or isinstance(rule, Implies | Meaning)


def _near(x: np.ndarray, m: int) -> np.ndarray:
    """[q, m, d] points of rows that change some of their features; missing stays missing."""
    rng = np.random.default_rng(3)
    fresh = random_codes(SPACE, len(x) * m, 1).reshape(len(x), m, -1)
    kept = rng.random(fresh.shape) < 0.5
    kept |= np.isnan(fresh) | np.isnan(x[:, None])
    return np.where(kept, x[:, None], fresh)


@pytest.mark.sample(4)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_rules_of_any_space_keep_the_laws(seed: int) -> None:
    space = random_space(seed)
    for rule in random_rules(space, seed)[seed % 3 :: 3]:
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


@dataclass(frozen=True)
class BrokenInside(Rule):
    """The first feature is at most 40, with one fault in what only repair and solvers ask."""

    fault: str
    kind: ClassVar[str] = "broken inside"

    def __str__(self) -> str:
        return "a rule of its own"

    def check(self, space: Space) -> None: ...

    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        return np.asarray(points[:, :, 0] <= 40)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        if self.fault == "outside":
            return scene.with_value(0, scene.value(0) + 1e6)
        low = 50.0 if self.fault == "reach" else -np.inf
        return scene.with_value(0, scene.between(0, low, max(low, 40.0)))

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        high = 30.0 if self.fault == "formula" else 40.0
        number = variables.number(variables.space.names[0])
        return number.between(-np.inf, high, wanted or self.fault == "opposite")


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
        (BrokenInside("reach"), "moves a point that obeys to one that does not"),
        (BrokenInside("outside"), "out of the box"),
        (BrokenInside("formula"), "the formula is False of a point"),
        (BrokenInside("opposite"), "the formula of the opposite"),
    ],
)
def test_the_kit_names_what_a_broken_rule_breaks(rule: Rule, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        check_rule(rule, SPACE)


def test_the_kit_accepts_a_rule_of_a_strangers_own() -> None:
    check_rule(Broken("nothing"), SPACE)
    check_rule(BrokenInside("nothing"), SPACE)
