"""A program says of rules what trying every point says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.rules import Rule
from ifonly.search.exact import Affine, Program, Row, Solution, state

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
