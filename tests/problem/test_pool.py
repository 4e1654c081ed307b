"""Pools: joining, repeats, and a choice of the nearest that no padding changes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.problem.pool import Pool, point_keys, repeated


def random_pool(seed: int, q: int = 3, m: int = 30, d: int = 2) -> Pool:
    """A pool of small whole numbers, so that points and costs repeat."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (q, m, d)).astype(float)
    points[rng.random(points.shape) < 0.1] = np.nan
    return Pool(points, np.where(rng.random((q, m)) < 0.2, -np.inf, rng.normal(size=(q, m))))


@given(seed=st.integers(0, 10_000), m=st.integers(1, 40), pad=st.integers(0, 300))
@settings(max_examples=200, deadline=None)
def test_the_nearest_candidates_are_the_first_of_the_cheapest_in_any_padding(
    seed: int, m: int, pad: int
) -> None:
    pool, rng = random_pool(seed), np.random.default_rng(seed)
    cost = rng.integers(0, 5, pool.margin.shape).astype(float)
    order = np.argsort(cost, axis=1, kind="stable")[:, :m]
    wanted = np.take_along_axis(pool.points, order[:, :, None], axis=1)
    padding = Pool(np.zeros((3, pad, 2)), np.full((3, pad), -np.inf))
    dear = np.concatenate([cost, np.full((3, pad), np.inf)], axis=1)
    found = pool.join(padding).nearest(dear, m).points[:, : order.shape[1]]
    assert np.array_equal(found, wanted, equal_nan=True)


@given(seed=st.integers(0, 10_000), m=st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_a_repeat_is_a_point_that_stands_earlier_in_its_row(seed: int, m: int) -> None:
    pool = random_pool(seed, m=m)
    present = pool.margin > -np.inf
    marked = repeated(pool.points, present)
    for q, own in enumerate(pool.points):
        seen = set()
        for a, point in enumerate(own):
            key = tuple(None if np.isnan(value) else value for value in point)
            assert marked[q, a] == (present[q, a] and key in seen)
            if present[q, a]:
                seen.add(key)


def test_without_repeats_keeps_one_of_each_point() -> None:
    points = np.array([[[1.0], [2.0], [1.0], [np.nan], [np.nan]]])
    pool = Pool(points, np.array([[0.5, -0.1, 0.5, 0.2, 0.2]])).without_repeats()
    assert pool.margin.tolist() == [[0.5, -0.1, -np.inf, 0.2, -np.inf]]


def test_a_zero_and_a_negative_zero_are_one_point() -> None:
    keys = point_keys(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]]))
    assert keys[0] == keys[1] != keys[2]


def test_only_a_positive_margin_is_valid() -> None:
    pool = Pool(np.zeros((1, 3, 1)), np.array([[0.0, 1e-12, -np.inf]]))
    assert pool.valid.tolist() == [[False, True, False]]
