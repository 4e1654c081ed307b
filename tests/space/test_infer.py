"""What is read off a training frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly import Categorical, Continuous, Ordinal, Space
from ifonly.errors import OptionError
from ifonly.space.infer import resolution


def one(values: Any, **options: Any) -> Any:
    """The feature of a frame with one column, x."""
    return Space.infer(pd.DataFrame({"x": values}), **options).features[0]


def test_decimals_are_those_of_most_values_and_not_of_the_finest() -> None:
    assert one([*range(50), *[12.5] * 40, 3.125]).decimals == 1
    assert one([*range(95), 0.42, 0.75, 0.83, 0.92, 0.67]).decimals == 0


def test_a_narrow_range_keeps_the_decimals_that_its_values_have() -> None:
    assert one([0.0] * 97 + [0.25, 0.5, 1.0]).decimals == 1


def test_precision_goes_before_what_the_values_look_like() -> None:
    assert one([1000.0, 1250.5, 9000.0], precision={"x": -2}).decimals == -2
    assert one([1000, 1250, 9000], precision={"x": 1}).step == 0.1
    with pytest.raises(OptionError, match=r"precision of .x. is 1\.5"):
        one([1, 2], precision={"x": 1.5})
    with pytest.raises(OptionError, match="no column 'y'"):
        one([1, 2], precision={"y": 1})
    with pytest.raises(OptionError, match="it is a category"):
        one(["a", "b"], precision={"x": 1})


def test_whole_numbers_have_no_decimals_whatever_their_dtype() -> None:
    assert one([1, 2, 3]).decimals == 0
    assert one([1.0, 2.0, 30.0]).decimals == 0
    assert one(np.array([1, 2], dtype=np.int8)).decimals == 0


@given(
    decimals=st.integers(0, 6),
    whole=st.lists(st.integers(-(10**7), 10**7), min_size=1, max_size=20),
)
@settings(max_examples=80, deadline=None)
def test_values_written_with_some_decimals_need_no_more(decimals: int, whole: list[int]) -> None:
    values = np.array([float(f"{number}e-{decimals}") for number in whole])
    found = resolution(values)
    assert found <= decimals
    assert np.array_equal(np.round(values, found), values)


def test_single_precision_reads_as_it_was_written() -> None:
    feature = one(np.array([0.1, 0.25, 0.7], dtype=np.float32))
    assert (feature.decimals, feature.low, feature.high) == (2, 0.1, 0.7)


def test_full_precision_is_put_on_a_fine_grid_that_keeps_the_ends() -> None:
    values = np.random.default_rng(0).normal(170, 9, 300)
    feature = one(values)
    assert 4 <= feature.decimals <= 7
    assert feature.low <= values.min()
    assert feature.high >= values.max()
    assert feature.high - values.max() <= feature.step


def test_the_median_absolute_deviation_is_unscaled() -> None:
    assert one([1, 2, 4, 8, 100]).mad == 3.0


def test_a_median_deviation_of_zero_gives_way_to_the_mean() -> None:
    assert one([5, 5, 5, 5, 10]).mad == 1.0


@pytest.mark.parametrize(("values", "step"), [([7, 7, 7], 1.0), ([0.25, 0.25], 0.01)])
def test_a_constant_column_has_its_resolution_as_unit(values: list[float], step: float) -> None:
    feature = one(values)
    assert (feature.low, feature.high, feature.mad) == (values[0], values[0], step)


def test_the_tolerance_of_the_sparsity_step_is_no_more_than_the_deviation() -> None:
    feature = one([10, 11, 12, 13, 20, 30, 40, 50, 90])
    deviations = np.unique(np.abs(np.array([10, 11, 12, 13, 20, 30, 40, 50, 90]) - 20))
    assert feature.tolerance == min(feature.mad, np.quantile(deviations, 0.1))


def test_booleans_are_categories() -> None:
    feature = one([True, False, True])
    assert type(feature) is Categorical
    assert feature.levels == (False, True)


def test_an_ordered_dtype_is_ordinal_in_its_own_order() -> None:
    feature = one(pd.Categorical(["b", "a"], ["c", "b", "a"], ordered=True))
    assert type(feature) is Ordinal
    assert feature.levels == ("b", "a")  # those that the data have


def test_an_order_is_never_guessed() -> None:
    assert type(one(["1 low", "2 mid", "3 high"])) is Categorical
    assert type(one(pd.Categorical(["a", "b"]))) is Categorical
    assert type(one(pl.Series(["a", "b"]).to_list())) is Categorical


def test_an_order_told_by_the_user_goes_before_everything() -> None:
    feature = one(["low", "high", "mid"], ordinal={"x": ["low", "mid", "high"]})
    assert type(feature) is Ordinal
    assert feature.levels == ("low", "mid", "high")
    assert one([3, 1, 2], ordinal={"x": [3, 2, 1]}).levels == (3, 2, 1)


def test_whole_numbers_are_categories_where_the_user_says_so() -> None:
    assert type(one([1, 2, 1])) is Continuous
    feature = one([10, 2, 10], categorical=["x"])
    assert type(feature) is Categorical
    assert feature.levels == (2, 10)
    assert all(type(level) is int for level in feature.levels)


def test_one_category_may_be_named_without_a_list() -> None:
    frame = pd.DataFrame({"code": [1, 2], "cod": [1, 2]})
    first, second = Space.infer(frame, categorical="code").features
    assert (type(first), type(second)) == (Categorical, Continuous)


def test_levels_of_several_types_stay_what_they_are() -> None:
    values = [1, "1", 2.5, False, "b"]
    feature = one(pd.Series(values, dtype=object))
    assert {*map(repr, feature.levels)} == {*map(repr, values)}


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ([1.0, None, 2.0], True),
        ([1.0, 2.0], False),
        (["a", None], True),
        (["a", "b"], False),
        (pd.array([1, None], dtype="Int64"), True),
        (pd.array([True, None], dtype="boolean"), True),
        (pd.Categorical(["a", None]), True),
    ],
)
def test_the_space_records_what_may_be_missing(values: Any, missing: bool) -> None:
    assert one(values).missing is missing
    assert None not in getattr(one(values), "levels", ())


def test_a_missing_value_changes_no_statistic() -> None:
    whole, gap = one([1.0, 2.5, 4.0]), one([1.0, None, 2.5, 4.0])
    assert (gap.low, gap.high, gap.mad, gap.decimals) == (1.0, 4.0, whole.mad, 1)


def test_names_that_are_prefixes_or_hold_spaces_or_marks_stand_apart() -> None:
    frame = pd.DataFrame(
        {"age": [1, 2], "age group": ["a", "b"], "age_": [0.5, 1.0], "Größe (cm) = é": [3, 4]}
    )
    space = Space.infer(frame)
    assert space.names == tuple(frame.columns)
    assert [type(f) for f in space.features] == [Continuous, Categorical, Continuous, Continuous]
    pd.testing.assert_frame_equal(space.rows(space.codes(frame)), frame)


def test_polars_reads_as_pandas_does() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, None], "c": ["x", "y"], "d": [True, False]})
    ours, theirs = Space.infer(frame), Space.infer(pl.from_pandas(frame))
    assert theirs.library == "polars"
    for one_, other in zip(ours.features, theirs.features, strict=True):
        assert type(one_) is type(other)
        assert one_.missing == other.missing
        assert getattr(one_, "levels", None) == getattr(other, "levels", None)
        assert getattr(one_, "decimals", None) == getattr(other, "decimals", None)
