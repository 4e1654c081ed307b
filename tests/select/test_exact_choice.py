"""The best set, against all sets; and the selector, against the best set."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact_choice import ExactChoice, best_set
from ifonly.errors import OptionError
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select import Determinant
from ifonly.testing import random_codes, random_problem

SEEDS = st.integers(0, 5_000)
DIVERSITIES = st.sampled_from([0.2, 0.55, 0.9, 1.0])


def posed(seed: int, m: int) -> tuple[Problem, Pool]:
    """A problem, and a pool of distinct points of which about a quarter is not valid."""
    problem = random_problem(seed, q=2)
    while problem.metric.missing:  # where a distance is none, no bound holds
        seed += 5_000
        problem = random_problem(seed, q=2)
    points = np.stack([random_codes(problem.space, m, seed + i) for i in range(2)])
    margin = np.random.default_rng(seed).uniform(-0.3, 1, points.shape[:2])
    return problem, Pool(points, margin).without_repeats()


def enumerated(kernel: np.ndarray, reward: np.ndarray, k: int, first: int | None) -> float:
    """The largest value of all sets of k, written out."""
    sets = (list(s) for s in combinations(range(len(reward)), k) if first is None or first in s)
    return max(np.linalg.slogdet(kernel[np.ix_(s, s)])[1] + reward[s].sum() for s in sets)


@given(seed=SEEDS, m=st.integers(4, 11), k=st.integers(1, 4), locked=st.booleans())
@settings(max_examples=150, deadline=None)
def test_no_set_is_better(seed: int, m: int, k: int, locked: bool) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(m, 2))
    distance = np.abs(points[:, None] - points).sum(axis=-1)
    kernel, reward = 1 / (1 + distance), rng.normal(size=m)
    first = int(rng.integers(m)) if locked else None
    chosen = list(best_set(kernel, reward, k, first))
    assert len(set(chosen)) == k
    assert first is None or first in chosen
    value = np.linalg.slogdet(kernel[np.ix_(chosen, chosen)])[1] + reward[chosen].sum()
    assert value == pytest.approx(enumerated(kernel, reward, k, first), abs=1e-9)


@pytest.mark.sample(3)
@given(seed=SEEDS, k=st.integers(1, 4), diversity=DIVERSITIES, locked=st.booleans())
@settings(max_examples=60, deadline=None)
def test_no_valid_set_of_a_pool_is_better(
    seed: int, k: int, diversity: float, locked: bool
) -> None:
    problem, pool = posed(seed, m=9)
    exact = ExactChoice(Determinant(diversity, nearest=locked))
    points, filled = exact.select(problem, pool, k)
    values, price = exact.values(problem, points, filled), problem.price(pool.points)
    for row, valid in enumerate(pool.valid):
        slots = np.flatnonzero(valid)
        assert filled[row].sum() == min(k, len(slots))
        if not len(slots):
            continue
        one = problem.take(np.array([row]))
        nearest = price[row, slots].min()
        for chosen in combinations(slots, min(k, len(slots))):
            if locked and price[row, list(chosen)].min() > nearest:
                continue
            other = pool.points[None, row, list(chosen)]
            value = exact.values(one, other, np.ones(other.shape[:2], dtype=bool))[0]
            # Where several are nearest, one of them is locked, and another might do better.
            tied = locked and (price[row, slots] < nearest + 1e-6).sum() > 1
            assert tied or value <= values[row] + 1e-9


@pytest.mark.sample(3)
@given(seed=SEEDS, k=st.integers(1, 4), diversity=DIVERSITIES, locked=st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_selector_is_never_better(seed: int, k: int, diversity: float, locked: bool) -> None:
    problem, pool = posed(seed, m=40)
    choice = Determinant(diversity, nearest=locked)
    exact = ExactChoice(choice)
    ours, best = choice.select(problem, pool, k), exact.select(problem, pool, k)
    assert np.array_equal(ours[1], best[1])
    assert (exact.values(problem, *ours) <= exact.values(problem, *best) + 1e-6).all()


@given(seed=SEEDS, k=st.integers(2, 4))
@settings(max_examples=20, deadline=None)
def test_the_order_of_a_pool_does_not_matter(seed: int, k: int) -> None:
    problem, pool = posed(seed, m=30)
    order = np.random.default_rng(seed).permutation(30)
    exact = ExactChoice(Determinant(nearest=False))
    shuffled = replace(pool, points=pool.points[:, order], margin=pool.margin[:, order])
    values = [exact.values(problem, *exact.select(problem, one, k)) for one in (pool, shuffled)]
    assert np.allclose(*values)


def test_the_k_nearest_need_no_bound() -> None:
    with pytest.raises(OptionError, match=r"diversity is 0\.0"):
        ExactChoice(Determinant(diversity=0.0))
