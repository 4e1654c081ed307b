"""A program is solved, and nothing that the solver says is believed unseen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.errors import MissingExtra
from ifonly.search.exact import Affine, Program, SolverError


def knapsack() -> tuple[Program, list[Affine]]:
    """The best of things to pack: the second and the third, worth 9."""
    program = Program()
    taken = [program.binary() for _ in range(3)]
    sizes, worths = (5.0, 4.0, 3.0), (6.0, 5.0, 4.0)
    program.row(Affine.total(t * s for t, s in zip(taken, sizes, strict=True)), high=7.0)
    program.minimise(Affine.total(t * -w for t, w in zip(taken, worths, strict=True)) + 1.0)
    return program, taken


def test_the_best_point_comes_back_with_its_proof() -> None:
    program, taken = knapsack()
    solution = program.solve()
    assert solution.status == "optimal"
    assert solution.values is not None
    assert [one.at(solution.values) for one in taken] == [0.0, 1.0, 1.0]
    assert solution.objective == pytest.approx(-8.0)
    assert solution.bound == pytest.approx(-8.0)


def test_numbers_with_fractions_are_solved_beside_whole_ones() -> None:
    program = Program()
    whole, number = program.whole(0, 9), program.column(-1.0, 9.0)
    program.row(whole + number * 2.0, low=4.5)
    program.row(whole - number, 0.25, 0.25)
    program.minimise(whole + number)
    values = program.solve().values
    assert values is not None
    assert values == pytest.approx([2.0, 1.75])


def test_a_row_that_is_revised_counts_as_it_is_now() -> None:
    program = Program()
    column = program.whole(0, 9)
    place = program.row(column, low=8.0)
    program.minimise(column)
    assert program.solve().objective == pytest.approx(8.0)
    program.revise(place, column, low=3.0)
    assert program.solve().objective == pytest.approx(3.0)


def test_what_has_no_point_is_infeasible() -> None:
    program = Program()
    a, b = program.binary(), program.binary()
    program.row(a + b, 1.0, 1.0)
    program.row(a - b, 0.0, 0.0)
    solution = program.solve()
    assert solution.status == "infeasible"
    assert solution.values is None


def test_what_has_no_least_is_unbounded() -> None:
    program = Program()
    program.minimise(program.column(-np.inf, 0.0))
    assert program.solve().status == "unbounded"


@pytest.mark.parametrize(("low", "status"), [(0.0, "optimal"), (1.0, "infeasible")])
def test_a_program_without_columns_is_decided_by_its_rows(low: float, status: str) -> None:
    program = Program()
    program.row(Affine.number(0.0), low=low)
    assert program.solve().status == status


def test_of_a_choice_one_is_true_or_none() -> None:
    for count, optional in [(0, True), (1, True), (2, True), (1, False), (2, False)]:
        program = Program()
        chosen = Affine.total(program.choice(count, optional=optional))
        program.minimise(chosen)
        assert program.solve().objective == pytest.approx(0.0 if optional else 1.0)
    program = Program()
    program.choice(0, optional=False)
    assert program.solve().status == "infeasible"


def test_a_point_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    program, _ = knapsack()
    told = Program._checked
    monkeypatch.setattr(
        Program, "_checked", lambda self, values, bound: told(self, values * 0 + 1, bound)
    )
    with pytest.raises(SolverError, match="wrong by 5") as refused:
        program.solve()
    assert refused.value.bound == pytest.approx(-8.0)  # that no point is below
    monkeypatch.setattr(
        Program, "_checked", lambda self, values, bound: told(self, values * 0 + 0.5, bound)
    )
    with pytest.raises(SolverError, match=r"wrong by 0\.5"):
        program.solve()


def test_without_the_package_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[..., Exception]
) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    refused(MissingExtra, "highspy", hint=r"ifonly\[exact\]", ask=lambda: knapsack()[0].solve())


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_sum_stays_between_its_ends(data: Any) -> None:
    program, rng = Program(), np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    sums = Affine.number(float(rng.integers(-3, 4)))
    for _ in range(int(rng.integers(1, 4))):
        low = int(rng.integers(-4, 4))
        column = program.whole(low, low + int(rng.integers(5)))
        sums = (1.0 - sums * 2.0) + column * float(rng.integers(-3, 4)) - sums
    program.minimise(sums)
    assert program.solve().objective >= sums.least - 1e-9
    program.minimise(sums * -1.0)
    assert -program.solve().objective <= sums.most + 1e-9
