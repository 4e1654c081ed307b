"""Every refiner keeps the laws of a refiner, and the kit notices one that does not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.refine import Nothing, Refiner, Shrink, Sparsify
from ifonly.testing import MODEL_KINDS, check_refiner, random_pool, random_problem

ALL: list[Refiner] = [Nothing(), Shrink(), Shrink(each=1, sections=1), Sparsify()]


@pytest.mark.parametrize("kind", MODEL_KINDS)
@pytest.mark.parametrize("refiner", ALL, ids=str)
def test_a_refiner_keeps_the_laws(refiner: Refiner, kind: str) -> None:
    check_refiner(refiner, [random_problem(seed, kind, q=3) for seed in (0, 1, 2)])


@given(seed=st.integers(0, 10_000), refiner=st.sampled_from(ALL))
@settings(max_examples=15, deadline=None)
def test_a_refiner_keeps_the_laws_on_any_problem(seed: int, refiner: Refiner) -> None:
    check_refiner(refiner, [random_problem(seed, q=4)])


def test_a_refiner_keeps_the_laws_where_rules_leave_a_row_no_value() -> None:
    problem = random_problem(56, q=4)
    assert (problem.box.low > problem.box.high).any()
    for refiner in ALL:
        check_refiner(refiner, [problem])


@dataclass(frozen=True)
class Broken:
    """The pool as it is, then something that a refiner must not do."""

    fault: str

    def refine(self, problem: Problem, pool: Pool) -> Pool:
        points, margin = pool.points.copy(), pool.margin.copy()
        if self.fault == "shape":
            margin = margin[:, 1:]
        elif self.fault == "margin":
            margin[margin > -np.inf] += 1.0
        elif self.fault == "rule":
            margin[np.isneginf(margin)] = 1.0
        elif self.fault == "lost" and margin.shape[1]:
            margin[:] = -np.inf
        elif self.fault == "nearest" and margin.shape[1]:
            cost = np.where(pool.valid, problem.price(points), np.inf)
            np.put_along_axis(margin, cost.argmin(axis=1)[:, None], -np.inf, axis=1)
        elif self.fault == "batch" and len(points) < 4:
            margin = np.where(pool.valid, -np.inf, margin)
        elif self.fault == "input":
            pool.points[:, :, 0] = 0.0
        return Pool(points, margin)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("shape", "margins have the shape"),
        ("margin", "not the one that problem.margin gives"),
        ("rule", "problem.margin|breaks"),
        ("lost", "no refined point is valid"),
        ("nearest", "the nearest refined point of row|no refined point is valid"),
        ("batch", "other points alone than in the whole batch"),
        ("input", "the refiner changed points|refined to other points"),
    ],
)
def test_the_kit_names_what_a_broken_refiner_breaks(fault: str, message: str) -> None:
    drawn = (random_problem(seed, "linear", q=4) for seed in range(4, 40))
    valid = (one for one in drawn if all(random_pool(one, i).valid.any() for i in range(2)))
    problems = list(islice(valid, 2))
    with pytest.raises(AssertionError, match=message):
        check_refiner(Broken(fault), problems)


@dataclass(frozen=True)
class Farther:
    """The candidates, and the farthest valid point of all that there are."""

    def refine(self, problem: Problem, pool: Pool) -> Pool:
        ends = np.where(np.abs(problem.x - problem.space.low) > 1, problem.space.low, problem.x)
        return pool.join(problem.ask(problem.box.clip(ends[:, None])))


def test_the_kit_notices_a_point_that_is_farther_than_all_candidates() -> None:
    with pytest.raises(AssertionError, match="farther than every candidate"):
        check_refiner(Farther(), [random_problem(seed, q=4) for seed in range(20)])
