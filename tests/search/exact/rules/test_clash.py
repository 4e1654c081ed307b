"""Of rules that cannot hold together, the fewest are named, and no others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.errors import RuleError
from ifonly.rules import (
    Rule,
    at_least,
    at_most,
    at_most_change,
    between,
    causes,
    changes,
    decreases,
    fixed,
    forbid,
    in_steps,
    increases,
    none_of,
    one_of,
    only_change,
    only_decreases,
    only_increases,
    relation,
    takes,
    together,
)
from ifonly.rules.intervals import Compare
from ifonly.search.exact import clash, possible
from ifonly.space import Space
from ifonly.space.distance import differs

SCHOOLS = ["School", "HS-grad", "Bachelors", "Masters", "Doctorate"]
SPACE = Space.describe(
    {"name": "age", "low": 17, "high": 90},
    {"name": "income", "low": 0, "high": 200_000, "decimals": 2},
    {"name": "debt", "low": 0, "high": 90_000, "decimals": 1},
    {"name": "words", "low": 0, "high": 500},
    {"name": "words unique", "low": 0, "high": 500},
    {"kind": "ordinal", "name": "education", "levels": SCHOOLS},
    {"name": "job", "levels": ["Sales", "Service", "White-Collar", "Other"]},
    {"name": "city", "levels": ["A", "B", "C"]},
    # The rest is for rules that every trio below lets be.
    {"name": "height", "low": 1.4, "high": 2.1, "decimals": 5},
    {"name": "loan", "low": 0, "high": 50_000},
    {"name": "rate", "low": 0, "high": 9, "decimals": 2, "missing": True, "fillable": True},
    {"name": "visits", "low": 0, "high": 30, "missing": True},
    {"name": "plan", "levels": ["none", "small", "large"]},
    {"kind": "ordinal", "name": "grade", "levels": ["low", "mid", "high"], "missing": True},
)
X = np.array([30, 1700, 400, 100, 60, 2, 0, 0, 1.7345678, 9000, np.nan, np.nan, 1, 1.0])

degree = takes("education", {("Bachelors", "Masters"): 2, ("Masters", "Doctorate"): 4}, of="age")
TRIOS: list[tuple[Rule, Rule, Rule]] = [
    (fixed("income"), relation("debt", "<=", {"income": 0.4}), at_least("debt", 680.1)),
    (relation({"words": 1, "debt": 1}, "<", 500), at_least("words", 90), at_least("debt", 410)),
    (
        relation("words unique", "<=", "words"),
        at_most("words", 80),
        Compare("words unique", ">", 80),
    ),
    (relation("age", "=", "words"), at_most("age", 40), at_least("words", 40.5)),
    (
        increases("education").implies(increases("age", at_least=2)),
        one_of("education", ["Masters", "Doctorate"]),
        changes("age", at_most=1),
    ),
    (degree, one_of("education", ["Doctorate"]), at_most("age", 35)),
    (degree, increases("education"), between("age", 17, 31)),
    (takes("city", {("A", "B"): 0}, only=True), none_of("city", ["A"]), none_of("city", ["B"])),
    (at_most_change(1, "job", "city", "age"), changes("job"), changes("city")),
    (at_most_change(2), together("age", "job", "city"), changes("city")),
    (together("income", "job"), fixed("job"), changes("income", at_least=100)),
    (causes("age", "job"), increases("age"), fixed("job")),
    (causes("job", "city"), only_change("job", "age", "debt"), one_of("job", ["Service"])),
    (only_change("age", "city"), fixed("age"), fixed("city")),
    (at_least("age", 60) | at_least("words", 300), at_most("age", 59), at_most("words", 299.5)),
    (in_steps("income", 1000), between("income", 1100, 1900), changes("income")),
    (forbid(one_of("job", ["Sales"]), Compare("age", "<", 35)), fixed("job"), at_most("age", 34)),
    (~(fixed("age") & fixed("job")), only_decreases("age") & fixed("job"), at_least("age", 30)),
    (only_increases("debt"), decreases("debt") | changes("words"), fixed("words")),
]
"""Rules of which two can be obeyed, and three cannot: by what they say of the first features."""

FILLERS: list[Rule] = [
    only_increases("height"),
    between("height", 1.5, 2.0),
    changes("height", at_most=0.2),
    at_most("loan", 20_000),
    in_steps("loan", 500),
    only_decreases("loan"),
    between("rate", 1, 4),
    only_increases("visits"),
    at_most("visits", 3),
    one_of("plan", ["small", "large"]),
    none_of("plan", ["none"]),
    takes("plan", {("small", "large"): 500}, of="loan", only=True),
    only_increases("grade"),
    increases("grade").implies(decreases("loan", at_least=100)),
    causes("plan", "grade"),
    together("visits", "grade"),
    forbid(one_of("plan", ["large"]), Compare("loan", "<", 10_000)),
    relation({"loan": 0.5, "rate": -100}, "<=", 30_000),
    relation("visits", "<=", "loan"),
    at_most_change(2, "height", "loan", "grade"),
    at_most_change(9),
    between("age", 17, 90) | fixed("height"),
    fixed("rate"),
]
"""Rules that hold as long as the last features stay as they are."""


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(57))
def test_three_of_twenty_rules_that_clash_are_named(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trio = TRIOS[seed % len(TRIOS)]
    fillers = [FILLERS[i] for i in rng.permutation(len(FILLERS))[:17]]
    mixed: list[Rule] = [*trio, *fillers]
    rules = [mixed[i] for i in rng.permutation(len(mixed))]
    for rule in rules:
        rule.check(SPACE)
    assert clash(SPACE, X, rules) == tuple(rule for rule in rules if rule in trio)


@pytest.mark.parametrize("trio", TRIOS, ids=lambda trio: str(trio[0]))
def test_without_one_of_a_clash_the_others_can_be_obeyed(trio: tuple[Rule, ...]) -> None:
    for pair in combinations(trio, 2):
        rules = [*pair, *FILLERS]
        assert clash(SPACE, X, rules) is None
        point = possible(SPACE, X, rules)
        assert point is not None
        assert all(rule.holds(SPACE, X[None], point[None, None]).all() for rule in rules)


@pytest.mark.sample(2)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_clash_is_a_smallest_one(
    seed: int, random_case: Callable[..., Any], random_rule: Callable[..., Rule]
) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    rules = [random_rule(rng, case, 1) for _ in range(6)]
    found = clash(case.space, case.x, rules)
    sizes = (n for n in range(7) for some in combinations(rules, n) if not len(case.obeying(*some)))
    smallest = next(sizes, None)
    assert (None if found is None else len(found)) == smallest
    if found is not None:
        assert not len(case.obeying(*found))


def test_rules_that_can_hold_together_do_not_clash() -> None:
    assert clash(SPACE, X, FILLERS) is None
    assert clash(SPACE, X, []) is None


def test_a_space_without_another_value_blames_no_rule() -> None:
    space = Space.describe({"name": "a", "low": 3, "high": 3}, {"name": "b", "levels": ["only"]})
    assert clash(space, np.array([3.0, 0.0]), [fixed("a"), at_most("a", 9)]) == ()
    assert clash(space, np.array([4.0, 0.0]), [at_most("a", 9)]) is None


def test_a_rule_that_no_answer_obeys_is_named_alone() -> None:
    rules = [only_increases("age"), between("age", 95, 99), fixed("job")]
    assert clash(SPACE, X, rules) == (rules[1],)


def test_boxes_that_do_not_meet_clash() -> None:
    rules = [between("age", 20, 40), between("age", 50, 60), fixed("job"), at_most("debt", 500)]
    assert clash(SPACE, X, rules) == tuple(rules[:2])


EQUATIONS = [
    ({"a": -1, "b": 0.5, "c": 1}, (0, 2, 2), 10**6, -960_508.155),
    ({"a": -1, "b": 1.05, "c": 1}, (1, 2, 1), 10**6, 54_583.243),
    ({"a": 1.05, "b": 1}, (0, 0), 10**7, 12_709_829.75),
    ({"a": 0.5, "b": 0.5}, (1, 2), 10**7, 100_205.09),
]
"""Factors, decimals, how many values each feature has, and the sum, which some values make."""


@pytest.mark.parametrize(("factors", "decimals", "count", "total"), EQUATIONS)
def test_an_equation_over_many_values_is_no_clash(
    factors: dict[str, float], decimals: tuple[int, ...], count: int, total: float
) -> None:
    """HiGHS with its tolerances at 1e-9 calls each of these infeasible."""
    space = Space.describe(
        *(
            {"name": name, "low": 0, "high": count / 10**digits, "decimals": digits}
            for name, digits in zip(factors, decimals, strict=True)
        )
    )
    point = possible(space, np.zeros(len(factors)), [relation(factors, "=", total)])
    assert point is not None
    assert abs(float(point @ list(factors.values())) - total) < 1e-6


@dataclass(frozen=True)
class Stranger(Rule):
    """A rule that only its author knows."""

    held: bool = False

    def __str__(self) -> str:
        return "as the stranger says"

    def check(self, space: Space) -> None: ...

    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        return np.full(points.shape[:2], self.held)


STRANGERS = [Stranger(), ~Stranger(held=True), fixed(*SPACE.names) | Stranger()]


@pytest.mark.parametrize("rule", STRANGERS, ids=["itself", "not", "or"])
def test_a_rule_of_a_strangers_own_that_no_single_change_obeys_is_refused_by_name(
    rule: Rule, refused: Any
) -> None:
    refused(
        RuleError,
        "as the stranger says",
        "Stranger",
        hint="ifonly",
        ask=lambda: clash(SPACE, X, [rule]),
    )


def test_of_several_single_changes_the_one_that_obeys_most_is_proposed() -> None:
    rules = [fixed(name) for name in SPACE.names]
    for free in np.flatnonzero(~np.isnan(X)):  # what is missing may have to stay so
        wished = rules[:free] + rules[free + 1 :]
        point = possible(SPACE, X, [], wished)
        assert point is not None
        assert np.flatnonzero(differs(point, X)).tolist() == [free]
