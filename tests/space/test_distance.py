"""The distance: by hand, and the laws that make it one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly import Space, cost
from ifonly.space import Metric
from ifonly.testing import random_codes, random_space

SPACE = Space.describe(
    {"name": "age", "low": 0, "high": 100, "mad": 10, "missing": True},
    {"name": "hours", "low": 0, "high": 100, "mad": 5},
    {"name": "job", "levels": ["a", "b", "c"], "missing": True},
    {"name": "race", "levels": ["x", "y"]},
    {"kind": "ordinal", "name": "grade", "levels": [1, 2, 3, 4]},
)


@pytest.mark.parametrize(
    ("other", "distance"),
    [
        ([30, 40, 0, 0, 0], 0.0),
        ([40, 40, 0, 0, 0], 1 / 2),  # one MAD over two continuous features
        ([25, 50, 0, 0, 0], (0.5 + 2.0) / 2),
        ([30, 40, 2, 0, 0], 1 / 3),  # one of three categories
        ([30, 40, 0, 0, 3], 1 / 3),  # an ordinal feature counts as a category
        ([40, 45, 1, 1, 1], 1.0 + 1.0),
        ([np.nan, 40, 0, 0, 0], 1 / 2),  # missing against a value is one MAD
        ([30, 40, np.nan, 0, 0], 1 / 3),  # or a changed category
    ],
)
def test_the_distance_is_the_mean_of_mads_and_the_share_of_changes(
    other: list[float], distance: float
) -> None:
    row = np.array([30.0, 40, 0, 0, 0])
    assert Metric.of(SPACE).distance(np.array(other, dtype=float), row) == pytest.approx(distance)


def test_missing_against_missing_is_no_distance() -> None:
    row = np.array([np.nan, 40, np.nan, 0, 0])
    assert Metric.of(SPACE).distance(row, row.copy()) == 0.0


def test_a_weight_multiplies_its_feature() -> None:
    metric = Metric.of(replace(SPACE, weights={"age": 3.0, "job": 0.5}))
    row = np.array([30.0, 40, 0, 0, 0])
    assert metric.distance(np.array([40.0, 40, 1, 0, 0]), row) == pytest.approx(3 / 2 + 0.5 / 3)


def test_a_space_of_one_kind_has_one_part() -> None:
    numbers = Space.describe({"name": "a", "low": 0, "high": 9, "mad": 2})
    words = Space.describe({"name": "a", "levels": ["x", "y"]})
    assert Metric.of(numbers).distance(np.array([4.0]), np.array([0.0])) == 2.0
    assert Metric.of(words).distance(np.array([1.0]), np.array([0.0])) == 1.0


@given(seed=st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_the_distance_is_symmetric_and_zero_for_equals_alone(seed: int) -> None:
    space = random_space(seed)
    points = random_codes(space, 12, seed)
    gaps = Metric.of(space).pairwise(points)
    equal = ((points[:, None] == points) | (np.isnan(points[:, None]) & np.isnan(points))).all(-1)
    assert np.allclose(gaps, gaps.T)
    assert np.array_equal(gaps == 0, equal)


@given(seed=st.integers(0, 10_000), m=st.integers(1, 60))
@settings(max_examples=50, deadline=None)
def test_a_distance_is_the_same_to_the_last_bit_in_any_batch(seed: int, m: int) -> None:
    space = random_space(seed)
    metric = Metric.of(space)
    points = random_codes(space, 60, seed)
    row = random_codes(space, 1, seed + 1)
    whole = metric.distance(points, row)
    assert np.array_equal(metric.distance(points[:m], row), whole[:m])
    assert np.array_equal(metric.distance(points[::-1], row), whole[::-1])
    stacked = metric.distance(np.stack([points, points[::-1]]), row)
    assert np.array_equal(stacked[0], whole)


@pytest.mark.parametrize("features", [20, 130])
def test_the_last_bit_is_the_same_with_many_features(features: int) -> None:
    rng = np.random.default_rng(0)
    space = Space.describe(
        *({"name": f"f{j}", "low": 0, "high": 1, "mad": rng.random()} for j in range(features))
    )
    metric, row = Metric.of(space), rng.random((1, features))
    points = np.where(rng.random((1000, features)) < 0.1, rng.random((1000, features)), row)
    whole = metric.distance(points, row)
    gaps, total = np.abs(points - row) * metric._rate, np.zeros(1000)
    for j in range(features):
        total += gaps[:, j]
    assert np.array_equal(whole, total)
    for cut in (1, 2, 3, 7, 50, 333):
        assert np.array_equal(metric.distance(points[5 : 5 + cut], row), whole[5 : 5 + cut])
    few = points[:30]
    pairs = [[metric.distance(a, b) for a in few] for b in few]
    assert np.array_equal(metric.pairwise(few), pairs)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_a_price_is_the_same_for_a_feature_alone(seed: int) -> None:
    space = replace(random_space(seed), sparsity=0.5)
    points, row = random_codes(space, 9, seed), random_codes(space, 1, seed + 1)
    metric = Metric.of(space)
    every = metric.prices(points, row)
    for j in range(len(space)):
        assert metric.price_of(j, points[:, j], row[:, j]).tolist() == every[:, j].tolist()
    names = [space.names[j] for j in np.flatnonzero(space.continuous)[:1]]
    costs = {name: cost(up=3.0, down=0.5) for name in names}
    free = Metric.of(replace(space, sparsity=0.0, weights=costs))
    alone = free.cost_of(np.arange(len(space)), points, row)
    assert np.array_equal(alone, free.prices(points, row))
