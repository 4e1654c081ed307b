"""Numbers that solvers find hard: very many values, single precision, sums on the edge."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import ifonly
from ifonly import Space, as_model
from ifonly.models import Dense
from ifonly.rules.formula import Affine
from ifonly.search import Engine
from ifonly.search.exact.program.relaxation import solve_relaxed
from ifonly.search.exact.program.solver import Program, Solution, SolverError

from .fitted import sequential

WIDE = Space.describe(
    {"name": "income", "low": 0, "high": 1_000_000, "decimals": 2, "mad": 9000.55},
    {"name": "debt", "low": -500, "high": 50_000, "decimals": 3, "mad": 811.25},
    {"name": "age", "low": 17, "high": 90, "mad": 8},
    {"name": "job", "levels": ["a", "b", "c"]},
)


def wide_case(seed: int, hidden: tuple[int, ...], *, single: bool = False) -> tuple[Any, Any]:
    """A network over numbers of millions of values, and a row that it refuses by a little."""
    rng = np.random.default_rng(seed)
    sizes = [WIDE.offsets[-1], *hidden, 1]
    layers = [(rng.normal(size=pair), rng.normal(size=pair[1])) for pair in pairwise(sizes)]
    layers[0][0][0] *= rng.choice([1, 0.05, 0.002])  # so that a cent adds next to nothing
    x = np.array([rng.uniform(0, 1e6), rng.uniform(0, 5e4), rng.integers(17, 90), 0.0])
    x = np.asarray(WIDE.round(x))
    own = Dense(layers, WIDE, (0, 1)).logits(WIDE.units(x[None]))[0, 1]
    kernel, bias = layers[-1]
    layers[-1] = kernel, bias - own - rng.uniform(0.01, 0.4)
    if single:
        module = sequential(layers, double=False)
        return as_model(module, classes=["no", "yes"], gives="logits", inputs="units"), WIDE.rows(
            x[None]
        )
    return Dense(layers, WIDE, ("no", "yes")), WIDE.rows(x[None])


@pytest.mark.sample(3)
@pytest.mark.parametrize("rules", [[], ["income = 20 * debt"], ["debt <= 0.04 * income"]])
@pytest.mark.parametrize("hidden", [(), (5,), (4, 3)], ids=str)
def test_no_search_is_nearer_than_an_answer_among_millions_of_values(
    hidden: tuple[int, ...], rules: list[str]
) -> None:
    found = 0
    for seed in range(4):
        model, rows = wide_case(seed, hidden)
        asked = {"space": WIDE, "k": 1, "target": "yes", "rules": rules}
        exact = ifonly.explain(model, rows, method="exact", **asked)
        other = ifonly.explain(model, rows, method=Engine("thorough"), **asked)
        proof = exact.certificates().iloc[0]
        known = other.price()[0, 0] if other.filled[0, 0] else np.inf
        if exact.status[0] == "infeasible":
            assert known == np.inf
            continue
        found += 1
        assert proof["gap"] < 1e-5
        assert proof["bound"] <= known * (1 + 1e-9)
        assert proof["price"] <= known * (1 + 1e-5)
    assert found


def test_a_step_that_adds_next_to_nothing_is_counted() -> None:
    space = Space.describe({"name": "a", "low": 0, "high": 10_000_000, "decimals": 2, "mad": 1000})
    model = Dense([(np.array([[0.5]]), np.array([-0.3]))], space, ("no", "yes"))
    answers = ifonly.explain(
        model, space.rows(np.array([[5_999_000.0]])), space=space, k=1, method="exact"
    )
    assert answers.points[0, 0, 0] == pytest.approx(6_000_000, abs=0.02)
    assert answers.certificates()["proved"].all()


@pytest.mark.parametrize("hidden", [(), (5,)], ids=str)
def test_single_precision_leaves_a_gap_and_no_row_without_an_answer(
    hidden: tuple[int, ...],
) -> None:
    for seed in (0, 3, 6):
        model, rows = wide_case(seed, hidden, single=True)
        answers = ifonly.explain(model, rows, space=WIDE, k=1, method="exact", target="yes")
        assert answers.status[0] == "found"
        proof = answers.certificates().iloc[0]
        assert 0 <= proof["gap"] < 1e-2
        inside = model.adapt(WIDE, answers.x).scores(answers.points[0])
        assert inside[0, 1] > inside[0, 0]


def test_a_row_far_outside_its_space_is_given_more_room_for_rounding() -> None:
    space = Space.describe(
        {"name": "a", "low": 0, "high": 1, "decimals": 2}, {"name": "b", "low": 0, "high": 9}
    )
    weights = np.array([[1.0], [9.0]])
    far = 4.0e5  # where single precision tells no b from the next
    module = sequential([(weights, np.array([-far - 4.5]))], double=False)
    model = as_model(module, classes=["no", "yes"], gives="logits", inputs="units")
    rows = space.rows(np.array([[far, 0.0]]))
    answers = ifonly.explain(
        model, rows, space=space, k=1, method="exact", rules=["a fixed"], target="yes"
    )
    scores = model.adapt(space, np.zeros((1, 2))).scores(
        np.column_stack([np.full(10, far), np.arange(10.0)])
    )
    accepted = np.flatnonzero(scores[:, 1] > scores[:, 0])
    assert answers.points[0, 0, 1] == accepted[0]


def test_what_fits_is_not_called_infeasible() -> None:
    """A program that HiGHS calls infeasible as long as its presolve puts sums for whole columns."""
    program = Program()
    a, b, c = (program.binary() for _ in range(3))
    steps, rises = program.whole(0.0, 5.0), program.binary()
    first, on = program.column(0.0, 1.56704105619178), program.binary()
    second = program.column(0.0, 1.9117704898226142)
    third = program.column(0.0, 2.604516670253296)
    fourth = program.column(0.0, 2.0649528863958038)
    over, under = program.whole(0.0, 2.0), program.whole(0.0, 1.0)

    def units(*weights: float) -> Affine:
        return Affine.total(u * w for u, w in zip((a, b, c, steps), weights, strict=True))

    z = units(1.0341916982917718, -0.5281446863638757, 0.1578492346990671, 0.09964587188131913)
    program.row(rises * 4.0 - steps, low=-1.0)
    program.row(first + z, low=-0.017393002899846965)
    program.row(first + z + on * 1.7076632952972817, high=1.6902702923974346)
    program.row(first - on * 1.56704105619178, high=0.0)
    z = units(1.2045277980190323, 0.41317819296593533, -0.020149769590132288, 0.2750659868954912)
    program.row(second + z, 1.891620720232482, 1.8916207202324822)
    z = units(0.40325410860097854, -0.43157501760144407, 0.38099905149276253, 0.3839537305323557)
    program.row(third + z, high=1.3097916174489639)
    z = units(-0.8325040039639902, -0.3903430633839226, 1.049728063563256, 0.43583165502190524)
    program.row(fourth + z, low=0.06141969228004551)
    last = first * 0.812618938658977 - second * 1.2696860268098125
    last = last + third * 0.8866895555167036 - fourth * 1.5194668802781024
    program.row(last, low=0.34910608671897697)
    program.row(steps - rises * 2.0 - over + under, 1.0, 1.0)
    program.minimise(a * 1.42 + under * 0.031446540880503145)
    solution = solve_relaxed(program, (), None)
    assert solution.status == "optimal"
    assert solution.objective == pytest.approx(1.42)


def found(objective: float) -> Solution:
    return Solution("optimal", np.zeros(1), objective, objective)


NONE, FAILED = Solution("infeasible"), SolverError("It failed.")


@pytest.mark.parametrize(
    ("runs", "status", "objective", "bound"),
    [
        ([found(2), found(2)], "optimal", 2, 2),
        ([NONE, NONE], "infeasible", np.inf, np.inf),
        ([found(3), found(2), found(2)], "optimal", 2, 2),  # the first is denied by a point
        ([NONE, found(2), found(2)], "optimal", 2, 2),
        ([FAILED, found(2), found(2)], "optimal", 2, 2),
        ([NONE, found(2), FAILED, FAILED], "limit", 2, -np.inf),
        ([Solution("limit", bound=1.0), found(2)], "limit", 2, 1),
        ([FAILED] * 4, "limit", np.inf, -np.inf),
    ],
)
def test_what_one_run_says_is_not_believed(
    runs: list[Any], status: str, objective: float, bound: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter(runs)

    def solve(*_: Any, **options: Any) -> Solution:
        run = next(left)
        if isinstance(run, SolverError):
            raise run
        return run

    monkeypatch.setattr(Program, "solve", solve)
    program = Program()
    program.minimise(program.whole(0.0, 9.0))
    solution = solve_relaxed(program, (), None)
    assert (solution.status, solution.objective, solution.bound) == (status, objective, bound)
    assert not list(left)
