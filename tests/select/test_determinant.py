"""The choice by determinant, against the definition written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.errors import OptionError
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select import Determinant
from ifonly.testing import random_codes, random_problem

SEEDS = st.integers(0, 5_000)


def posed(seed: int, m: int = 12) -> tuple[Problem, Pool]:
    """A problem, and a pool of distinct points of which about a quarter is not valid."""
    problem = random_problem(seed, q=3)
    points = np.stack([random_codes(problem.space, m, seed + i) for i in range(3)])
    margin = np.random.default_rng(seed).uniform(-0.3, 1, points.shape[:2])
    return problem, Pool(points, margin).without_repeats()


def price(problem: Problem, points: np.ndarray, row: int, sparsity: float = 0.5) -> np.ndarray:
    """[m] what each point costs: its distance, and a little for each change."""
    x = problem.x[row]
    changed = (points != x) & ~(np.isnan(points) & np.isnan(x))
    return problem.metric.distance(points, x) + sparsity * changed.mean(axis=1)


def log_det(problem: Problem, points: np.ndarray) -> float:
    sign, value = np.linalg.slogdet(1 / (1 + problem.metric.pairwise(points)))
    return float(value) if sign > 0 else -np.inf


@given(seed=SEEDS, k=st.integers(1, 4), diversity=st.sampled_from([0.2, 0.5, 0.9]))
@settings(max_examples=40, deadline=None)
def test_a_choice_is_no_worse_than_the_greedy_one(seed: int, k: int, diversity: float) -> None:
    problem, pool = posed(seed)
    chosen, filled = Determinant(diversity).select(problem, pool, k)
    weight = 0.25 * (1 - diversity) / diversity
    for row in range(len(problem.x)):
        free = list(pool.points[row][pool.valid[row]])
        costs = list(price(problem, np.array(free), row)) if free else []
        taken: list[np.ndarray] = []
        for step in range(min(k, len(free))):
            gains = [
                -cost if step == 0 else log_det(problem, np.array([*taken, point])) - weight * cost
                for point, cost in zip(free, costs, strict=True)
            ]
            best = int(np.argmax(gains))
            taken.append(free.pop(best))
            costs.pop(best)
        ours = chosen[row][filled[row]]
        assert len(ours) == len(taken)
        # Equal gains may be taken in another order, and exchanges follow: the value counts.
        if taken:
            value = [
                log_det(problem, np.array(s)) - weight * price(problem, np.array(s), row).sum()
                for s in (ours, taken)
            ]
            assert value[0] >= value[1] - 1e-6


@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_no_exchange_of_one_point_betters_a_free_choice(seed: int) -> None:
    problem, pool = posed(seed, m=9)
    chosen, filled = Determinant(0.5, nearest=False).select(problem, pool, 3)

    def value(points: np.ndarray, row: int) -> float:
        return log_det(problem, points) - 0.25 * float(price(problem, points, row).sum())

    for row in np.flatnonzero(filled.all(axis=1)):
        ours = value(chosen[row], row)
        for place, point in itertools.product(range(3), pool.points[row][pool.valid[row]]):
            other = chosen[row].copy()
            other[place] = point
            assert value(other, row) <= ours + 1e-5


@given(seed=SEEDS, k=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_no_diversity_gives_the_k_nearest(seed: int, k: int) -> None:
    problem, pool = posed(seed)
    chosen, filled = Determinant(diversity=0.0).select(problem, pool, k)
    for row in range(len(problem.x)):
        prices = np.sort(problem.price(pool.points)[row][pool.valid[row]])[:k]
        ours = problem.metric.price(chosen[row][filled[row]], problem.x[row])
        assert np.allclose(ours, prices)


@given(seed=SEEDS, k=st.integers(1, 15))
@settings(max_examples=40, deadline=None)
def test_a_choice_is_of_valid_points_of_the_pool_without_repeats(seed: int, k: int) -> None:
    problem, pool = posed(seed)
    chosen, filled = Determinant().select(problem, pool, k)
    assert chosen.shape == (3, k, len(problem.space))
    for row in range(3):
        valid = {point.tobytes() for point in pool.points[row][pool.valid[row]]}
        ours = [point.tobytes() for point in chosen[row][filled[row]]]
        assert len(set(ours)) == len(ours) == min(k, len(valid))
        assert set(ours) <= valid
        assert np.array_equal(
            chosen[row][~filled[row]],
            np.broadcast_to(problem.x[row], chosen[row][~filled[row]].shape),
            equal_nan=True,
        )


@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_the_nearest_answer_stands_first(seed: int) -> None:
    problem, pool = posed(seed)
    chosen, filled = Determinant().select(problem, pool, 4)
    price = np.where(filled, problem.price(chosen), np.inf)
    assert (np.diff(np.where(np.isinf(price), 1e9, price), axis=1) >= 0).all()


def test_more_diversity_spreads_the_set() -> None:
    spread = {}
    for diversity in (0.0, 0.5, 1.0):
        total = 0.0
        for seed in range(20):
            problem, pool = posed(seed, m=25)
            chosen, filled = Determinant(diversity).select(problem, pool, 4)
            for row in np.flatnonzero(filled.all(axis=1)):
                total += problem.metric.pairwise(chosen[row]).mean()
        spread[diversity] = total
    assert spread[0.0] < spread[0.5] < spread[1.0]


@pytest.mark.parametrize("diversity", [-0.1, 1.1, float("nan")])
def test_diversity_goes_from_0_to_1(diversity: float) -> None:
    with pytest.raises(OptionError, match="diversity"):
        Determinant(diversity)
