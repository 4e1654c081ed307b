"""Rows, codes and units: bridges that lose nothing, and one distance on both sides."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly import Space
from ifonly.errors import DataError
from ifonly.space import Metric
from ifonly.testing import random_codes, random_frame, random_space
from ifonly.testing.spaces import CODED

SEEDS = st.integers(0, 10_000)


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_rows_of_codes_give_the_frame_back(seed: int) -> None:
    frame = random_frame(seed)
    before = frame.copy(deep=True)
    space = Space.infer(frame, categorical=[CODED] if CODED in frame else [])
    pd.testing.assert_frame_equal(space.rows(space.codes(frame)), frame, check_exact=True)
    pd.testing.assert_frame_equal(frame, before, check_exact=True)


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_codes_of_rows_give_the_codes_back(seed: int) -> None:
    space = random_space(seed)
    codes = random_codes(space, 30, seed)
    assert np.array_equal(space.codes(space.rows(codes)), codes, equal_nan=True)


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_snapping_units_gives_the_codes_back(seed: int) -> None:
    space = random_space(seed)
    codes = random_codes(space, 30, seed).reshape(5, 6, -1)
    units = space.units(codes)
    assert units.shape == (5, 6, space.offsets[-1])
    known = ~np.isnan(codes)
    assert np.array_equal(space.snap(units)[known], codes[known])


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_any_units_snap_to_a_row_that_can_be_written(seed: int) -> None:
    space = random_space(seed)
    units = np.random.default_rng(seed).normal(0.5, 1.0, (40, space.offsets[-1]))
    codes = space.snap(units)
    assert (codes >= space.low).all()
    assert (codes <= space.high).all()
    assert np.array_equal(space.round(codes), codes)
    assert np.array_equal(space.codes(space.rows(codes)), codes)


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_units_and_codes_give_the_same_distance(seed: int) -> None:
    space = random_space(seed)
    codes = np.nan_to_num(random_codes(space, 40, seed))
    codes = np.clip(codes, space.low, space.high)
    a, b = codes[:20], codes[20:]
    metric = Metric.of(space)
    gaps = np.abs(space.units(a) - space.units(b))
    total = np.zeros(20)
    for j, (start, end) in enumerate(zip(space.offsets[:-1], space.offsets[1:], strict=True)):
        feature = space.features[j]
        if space.continuous[j]:
            width = (feature.high - feature.low) / feature.mad
            total += gaps[:, start] * width / space.continuous.sum()
        else:
            total += gaps[:, start:end].sum(axis=1) / 2 / (~space.continuous).sum()
    assert np.allclose(metric.distance(a, b), total)


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_a_space_comes_back_from_json_as_it_was(seed: int) -> None:
    space = random_space(seed)
    again = Space.from_json(space.to_json())
    assert again == space
    assert again.fingerprint == space.fingerprint
    codes = random_codes(space, 10, seed)
    pd.testing.assert_frame_equal(again.rows(codes), space.rows(codes))


def test_json_refuses_a_level_that_it_cannot_hold() -> None:
    space = Space.infer(pd.DataFrame({"x": pd.Series([("a", 1), ("b", 2)], dtype=object)}))
    odd = Space.infer(pd.DataFrame({"x": pd.Series([frozenset({1}), frozenset()], dtype=object)}))
    with pytest.raises(DataError, match="frozenset"):
        odd.to_json()
    assert len(space.features[0].levels) == 2


def test_a_description_needs_no_data() -> None:
    space = Space.describe(
        {"name": "age", "low": 17, "high": 90, "mad": 10},
        {"name": "rate", "low": 0.0, "high": 1.0, "decimals": 2, "mad": 0.1, "missing": True},
        {"name": "job", "levels": ["a", "b"]},
        {"kind": "ordinal", "name": "grade", "levels": ["low", "high"]},
    )
    assert json.loads(space.to_json())["features"][3]["kind"] == "ordinal"
    assert Space.from_json(space.to_json()) == space
    frame = pd.DataFrame({"age": [20], "rate": [None], "job": ["b"], "grade": ["high"]})
    assert space.codes(frame.astype({"rate": float})).tolist()[0][2:] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("description", "told"),
    [
        ({"name": "x", "low": 5, "high": 1}, "reversed"),
        ({"name": "x", "low": 0, "high": float("inf")}, "not finite"),
        ({"name": "x", "low": 0, "high": 1, "mad": 0}, "deviation"),
        ({"name": "x", "levels": []}, "no levels"),
        ({"name": "x", "levels": ["a", "a"]}, "twice"),
        ({"name": "x", "levels": ["a"], "colour": 1}, "not one of a categorical"),
        ({"name": "x", "kind": "numeric", "low": 0, "high": 1}, "'numeric'"),
        ({"low": 0, "high": 1}, "not one of a continuous"),
    ],
)
def test_a_description_that_means_nothing_is_refused(description: dict, told: str) -> None:
    with pytest.raises(DataError, match=told):
        Space.describe(description)


def test_a_space_has_a_feature_and_no_two_of_one_name() -> None:
    with pytest.raises(DataError, match="at least one"):
        Space(())
    with pytest.raises(DataError, match="the same name"):
        Space.describe({"name": "x", "levels": ["a"]}, {"name": "x", "levels": ["b"]})


def test_columns_are_found_by_name_in_any_order() -> None:
    frame = random_frame(3)
    space = random_space(3)
    shuffled = frame[list(frame.columns)[::-1]]
    assert np.array_equal(space.codes(shuffled), space.codes(frame), equal_nan=True)
