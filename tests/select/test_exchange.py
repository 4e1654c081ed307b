"""Growing and exchanging a set, against determinants computed anew for every set."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact_choice import ExactChoice
from ifonly.problem.problem import Problem
from ifonly.select import Determinant, Polish
from ifonly.select.exchange import Chosen, _gains, empty, exchange, grow
from ifonly.select.polish import around
from ifonly.testing import random_pool, random_problem

SEEDS = st.integers(0, 5_000)


def posed(seed: int, k: int, m: int = 12) -> tuple[Problem, Chosen]:
    """A problem, and an empty choice of k from points with random weights; invalid ones have 0."""
    problem = random_problem(seed, q=3)
    pool = random_pool(problem, seed, m).without_repeats()
    weight = np.random.default_rng(seed).uniform(0.2, 1.0, pool.margin.shape)
    return problem, empty(pool.points, np.where(pool.valid, weight, 0.0), k)


def value(problem: Problem, points: np.ndarray, weight: np.ndarray) -> float:
    """The value det K * product of weights of one set [k, d], by its definition."""
    kernel = 1 / (1 + problem.metric.pairwise(points))
    return float(np.linalg.det(kernel) * weight.prod())


def set_of(problem: Problem, chosen: Chosen, row: int) -> float:
    """The value of the set that a row has chosen."""
    slots = chosen.slots[row][chosen.filled[row]]
    return value(problem, chosen.points[row, slots], chosen.weight[row, slots])


@given(seed=SEEDS, k=st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_a_set_grows_by_the_point_that_raises_its_value_most(seed: int, k: int) -> None:
    problem, chosen = posed(seed, k)
    grown = grow(problem.metric, chosen)
    for row, weight in enumerate(chosen.weight):
        taken: list[int] = []
        free = np.flatnonzero(weight > 0)
        assert grown.filled[row].sum() == min(k, len(free))
        for slot in grown.slots[row][grown.filled[row]]:
            values = {
                j: value(problem, chosen.points[row, [*taken, j]], weight[[*taken, j]])
                for j in free
                if j not in taken
            }
            assert values[slot] >= max(values.values()) - 1e-6
            taken.append(int(slot))


@given(seed=SEEDS, k=st.integers(2, 4))
@settings(max_examples=15, deadline=None)
def test_a_gain_is_what_an_exchange_multiplies_the_value_by(seed: int, k: int) -> None:
    problem, chosen = posed(seed, k, m=8)
    grown = grow(problem.metric, chosen)
    gains = _gains(grown, locked=0)
    for row in np.flatnonzero(grown.filled.all(axis=1)):
        slots, now = grown.slots[row], set_of(problem, grown, row)
        if now < 1e-4:
            continue  # a singular set: rounding decides
        for place, j in product(range(k), np.flatnonzero(chosen.weight[row] > 0)):
            other = slots.copy()
            other[place] = j
            wanted = value(problem, chosen.points[row, other], chosen.weight[row, other]) / now
            repeats = j in slots  # gains nothing anywhere
            assert gains[row, place, j] == pytest.approx(0.0 if repeats else wanted, abs=1e-4)


@given(seed=SEEDS, k=st.integers(2, 4), locked=st.integers(0, 2))
@settings(max_examples=20, deadline=None)
def test_exchanges_end_where_no_single_one_gains_and_leave_the_locked(
    seed: int, k: int, locked: int
) -> None:
    problem, chosen = posed(seed, k, m=10)
    grown = grow(problem.metric, chosen)
    ended = exchange(problem.metric, grown, locked=locked, rounds=100, room=1000)
    assert np.array_equal(ended.slots[:, :locked], grown.slots[:, :locked])
    assert np.array_equal(ended.filled, grown.filled)
    for row in np.flatnonzero(grown.filled.any(axis=1)):
        now = set_of(problem, ended, row)
        assert now >= set_of(problem, grown, row) - 1e-9
        slots = ended.slots[row][ended.filled[row]]
        assert len(set(slots.tolist())) == len(slots)
        for place, j in product(range(locked, len(slots)), np.flatnonzero(chosen.weight[row])):
            other = slots.copy()
            other[place] = j
            if len(set(other.tolist())) == len(other):
                tried = value(problem, chosen.points[row, other], chosen.weight[row, other])
                assert tried <= now * (1 + 1e-4) + 1e-6


@given(seed=SEEDS, k=st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_polish_never_lowers_the_value_of_a_free_choice(seed: int, k: int) -> None:
    problem = random_problem(seed, q=3)
    if problem.metric.missing:
        return  # the kernel can be indefinite, and values are then bounded, not exact
    pool = random_pool(problem, seed).without_repeats()
    choice = Determinant(diversity=0.5, nearest=False)
    before, filled = choice.select(problem, pool, k)
    after, more = Polish(choice).select(problem, pool, k)
    assert (more | ~filled).all()
    values = [ExactChoice(choice).values(problem, points, filled) for points in (before, after)]
    same = (more == filled).all(axis=1)
    assert (values[1] >= values[0] - 1e-5)[same].all()


@given(seed=SEEDS, count=st.integers(1, 40))
@settings(max_examples=20, deadline=None)
def test_a_neighbour_differs_in_one_feature_and_stays_where_the_row_may_go(
    seed: int, count: int
) -> None:
    problem = random_problem(seed, q=1)
    pool = random_pool(problem, seed)
    points = pool.points[:, pool.valid[0]]
    near = around(problem, points, count)
    m = points.shape[1]
    if not m:
        return
    each = near.shape[1] // m
    assert near.shape[1] == m * each
    assert each <= count + 4 + 4  # values, changes reverted, changes halved and stepped back
    base = np.repeat(points, each, axis=1)
    differs = (near != base) & ~(np.isnan(near) & np.isnan(base))
    assert (differs.sum(axis=-1) <= 1).all()
    assert problem.box.contains(near).all()


def test_polish_finds_more_than_the_pool_has() -> None:
    found = 0
    for seed in range(20):
        problem = random_problem(seed, q=3)
        pool = random_pool(problem, seed, m=4)
        candidates = {point.tobytes() for point in pool.points.reshape(-1, len(problem.space))}
        points, filled = Polish(Determinant()).select(problem, pool, 4)
        found += sum(point.tobytes() not in candidates for point in points[filled])
    assert found >= 20
