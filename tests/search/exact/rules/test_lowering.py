"""A program says of rules what trying every point says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ifonly.rules import Box, Rule, between, parse
from ifonly.search.exact import Affine, Program, Row, Solution, state
from ifonly.search.exact.program.number import Number
from ifonly.space import Space

SEEDS = st.integers(0, 2**32 - 1)
MANY = settings(max_examples=300, deadline=None)


def solved(box: Any, rules: list[Rule], costs: np.ndarray) -> tuple[Row, Solution]:
    """The best point inside a box that obeys the rules, by costs [2, d] of codes and changes."""
    program = Program()
    row = Row.of(program, box)
    for rule in rules:
        state(program, row, rule)
    codes = [part.value * cost for part, cost in zip(row.parts, costs[0], strict=True)]
    changes = [part.changes * cost for part, cost in zip(row.parts, costs[1], strict=True)]
    program.minimise(Affine.total([*codes, *changes]))
    return row, program.solve()


def cost_of(case: Any, points: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """[m] what points [m, d] cost; a missing code counts as 0."""
    changed = (points != case.x) & ~(np.isnan(points) & np.isnan(case.x))
    return np.nan_to_num(points) @ costs[0] + changed @ costs[1]


def check(case: Any, rules: list[Rule], rng: np.random.Generator) -> None:
    box = case.box
    if rng.random() < 0.5:  # what a box says already, the rows may say again
        for rule in rules:
            box = rule.narrow(box)
    costs = np.round(rng.normal(size=(2, len(case.x))), 2) * (rng.random((2, len(case.x))) < 0.7)
    row, solution = solved(box, rules, costs)
    points = case.obeying(*rules)
    assert (solution.status == "optimal") == (len(points) > 0)
    if len(points):
        best = cost_of(case, points, costs).min()
        code = row.codes_of(solution)
        assert np.isclose(solution.objective, best, atol=1e-7)
        assert np.isclose(cost_of(case, code[None], costs)[0], best, atol=1e-7)
        same = (points == code) | (np.isnan(points) & np.isnan(code))
        assert same.all(axis=1).any()


@given(seed=SEEDS)
@MANY
def test_a_rule_of_any_kind_is_lowered_to_what_it_means(
    seed: int, random_case: Callable[..., Any], random_rule: Callable[..., Rule]
) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    check(case, [random_rule(rng, case)], rng)


@example(seed=22440)  # the solver's presolve ends in an error here
@given(seed=SEEDS)
@MANY
def test_rules_are_lowered_together(
    seed: int, random_case: Callable[..., Any], random_rule: Callable[..., Rule]
) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    check(case, [random_rule(rng, case) for _ in range(int(rng.integers(2, 5)))], rng)


@given(seed=SEEDS)
@MANY
def test_a_box_alone_is_all_that_its_row_may_become(
    seed: int, random_case: Callable[..., Any]
) -> None:
    rng = np.random.default_rng(seed)
    check(random_case(rng), [], rng)


@given(seed=SEEDS)
@MANY
def test_a_rule_that_is_stated_on_a_condition_binds_where_it_is_true(
    seed: int, random_case: Callable[..., Any], random_rule: Callable[..., Rule]
) -> None:
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    rules = [random_rule(rng, case) for _ in range(3)]
    program = Program()
    row = Row.of(program, case.box)
    conditions = [program.binary() for _ in rules]
    for rule, condition in zip(rules, conditions, strict=True):
        state(program, row, rule, condition)
    program.minimise(Affine.total(conditions) * -1.0)
    solution = program.solve()
    held = [rule.holds(case.space, case.x[None], case.points[None])[0] for rule in rules]
    if not len(case.points):
        assert solution.status == "infeasible"
    else:
        assert -solution.objective == max(np.sum(held, axis=0))


def test_a_number_that_no_rule_counts_has_no_column_for_its_steps() -> None:
    """However many values it has, bounds on it are binaries."""
    space = Space.describe({"name": "a", "low": 0, "high": 1e9, "decimals": 6})
    program = Program()
    row = Row.of(program, Box.whole(space, np.array([[5.0]])))
    state(program, row, between("a", 7.123456, 7.123456))
    assert max(program.high) == 1.0
    assert row.codes_of(program.solve()) == [7.123456]


def test_pieces_of_a_grid_may_overlap_and_leave_out_the_rows_own_place() -> None:
    space = Space.describe({"name": "a", "low": 0, "high": 9})
    program = Program()
    row = Row.of(program, Box.whole(space, np.array([[4.0]])))
    (number,) = row.parts
    assert isinstance(number, Number)
    inside = number.moves_to([(2, 5), (4, 6), (8, 12)])
    program.row(inside, 1.0, 1.0)
    for sign, found in ((1.0, 2.0), (-1.0, 9.0)):
        program.minimise(number.value * sign)
        assert row.codes_of(program.solve()) == [found]
    program.row(number.value, 4.0, 4.0)
    assert program.solve().status == "infeasible"


def test_a_missing_number_that_cancels_out_leaves_a_relation_open() -> None:
    space = Space.describe(
        {"name": "a", "low": 0, "high": 9}, {"name": "b", "low": 0, "high": 9, "missing": True}
    )
    rule = parse("a + b < b - 5", space)
    x = np.array([[4.0, np.nan]])
    assert rule.holds(space, x, np.array([[[6.0, np.nan]]])).all()
    program = Program()
    row = Row.of(program, Box.whole(space, x))
    state(program, row, rule)
    assert program.solve().status == "optimal"
