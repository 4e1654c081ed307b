"""In every dtype, what is kept is kept bit for bit, and two codes are never one written value."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ifonly
from ifonly import Continuous, Space
from ifonly.arrays.powers import powers_of_ten
from ifonly.errors import DataError
from ifonly.testing.columns import PANDAS, POLARS, exact

N = 80
COLUMNS = [("pandas", name) for name in PANDAS] + [("polars", name) for name in POLARS]


def column(library: str, name: str, seed: int, n: int = N) -> Any:
    """A frame with one column, x."""
    rng = np.random.default_rng(seed)
    if library == "pandas":
        return pd.DataFrame({"x": PANDAS[name](rng, n)})
    return pl.DataFrame({"x": POLARS[name](rng, n)})


@pytest.mark.parametrize(("library", "name"), COLUMNS)
@pytest.mark.parametrize("seed", range(3))
def test_rows_come_back_bit_for_bit(library: str, name: str, seed: int) -> None:
    frame = column(library, name, seed)
    space = Space.infer(frame)
    again = space.rows(space.codes(frame))
    assert again["x"].dtype == frame["x"].dtype
    assert exact(again["x"]) == exact(frame["x"])


@pytest.mark.parametrize(("library", "name"), COLUMNS)
@pytest.mark.parametrize("seed", range(3))
def test_distinct_codes_are_written_as_distinct_values(library: str, name: str, seed: int) -> None:
    frame = column(library, name, seed)
    space = Space.infer(frame)
    feature, own = space.features[0], space.codes(frame)
    near = own
    if isinstance(feature, Continuous):
        beside = own + np.arange(-4, 5) * feature.step
        ends = feature.high - np.arange(4) * feature.step
        near = np.concatenate([beside.ravel(), ends]).clip(feature.low, feature.high)[:, None]
        near = np.asarray(space.round(near))
        assert np.array_equal(space.round(near), near, equal_nan=True)
    codes = np.concatenate([own, near]) + 0.0
    codes = np.unique(codes[~np.isnan(codes)])[:, None]
    rows = space.rows(codes)
    assert np.array_equal(space.codes(rows), codes)
    assert len(set(exact(rows["x"]))) == len(codes)
    if library == "pandas" and isinstance(feature, Continuous):
        printed = rows["x"].to_csv(index=False).splitlines()[1:]
        assert len(set(printed)) == len(printed)


def test_steps_are_powers_of_ten_to_the_last_digit() -> None:
    """On every processor: with AVX-512, NumPy's powers of ten are off in their last digit."""
    exponents = np.arange(-30, 31)
    assert powers_of_ten(exponents).tolist() == [float(f"1e{n}") for n in exponents]


BIG = 2**53 + 1


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([BIG, 1]),
        pd.Series([-BIG, 1]),
        pd.Series([2**64 - 1, 1], dtype="uint64"),
        pd.Series([BIG, None], dtype="Int64"),
        pd.Series([BIG, 1], dtype="int64[pyarrow]"),
        pd.Series([BIG, 1], dtype=object),
        pd.Series([10**400, 1], dtype=object),
        pl.Series([BIG, 1]),
        pl.Series([BIG, None]),
    ],
    ids=lambda values: f"{type(values).__module__.partition('.')[0]} {values.dtype}",
)
def test_whole_numbers_that_codes_cannot_hold_are_refused(values: Any) -> None:
    library = pd if isinstance(values, pd.Series) else pl
    frame = library.DataFrame({"id": values, "y": [1, 2]})
    with pytest.raises(DataError, match=r"'id'.*2\*\*53"):
        Space.infer(frame)
    small = library.DataFrame({"id": [1, 2], "y": [1, 2]})
    with pytest.raises(DataError, match="'id'"):
        Space.infer(small).codes(frame, "rows")


@pytest.mark.parametrize("library", [pd, pl])
def test_large_whole_numbers_are_exact_as_categories(library: Any) -> None:
    values = [BIG, BIG + 1, BIG + 2, BIG + 1] * 20
    frame = library.DataFrame({"id": values, "y": list(range(80))})
    space = Space.infer(frame, categorical=["id"])
    assert space.rows(space.codes(frame))["id"].to_list() == values


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1, True, "1"], "1 and True"),
        ([1, 1.0, "x"], "1 and 1.0"),
        ([-0.0, 0.0, "x"], "-0.0 and 0.0"),
        ([decimal.Decimal("1.0"), decimal.Decimal("1.00"), "x"], "equal"),
        (["x", None, np.nan], "None and nan"),
        (["x", pd.NA], "<NA>"),
        ([1, None, np.nan], "None and nan"),
        ([1, 2.5], "whole numbers and floats"),
    ],
)
@pytest.mark.parametrize("times", [1, 50])
def test_values_that_would_become_one_are_refused(values: list[Any], told: str, times: int) -> None:
    with pytest.raises(DataError, match=told) as caught:
        Space.infer(pd.DataFrame({"c": pd.Series(values * times, dtype=object)}))
    assert "'c'" in str(caught.value)


def test_zeros_of_both_signs_are_no_two_categories() -> None:
    with pytest.raises(DataError, match=r"0\.0"):
        Space.infer(pd.DataFrame({"x": [0.0, -0.0, 1.0]}), categorical=["x"])


def test_a_level_of_another_type_is_no_level_of_objects() -> None:
    space = Space.infer(pd.DataFrame({"c": pd.Series([1, "x"], dtype=object)}))
    for odd in (True, 1.0):
        with pytest.raises(DataError, match="'c'"):
            space.codes(pd.DataFrame({"c": pd.Series([odd], dtype=object)}))


def test_polars_columns_with_null_and_nan_are_refused() -> None:
    with pytest.raises(DataError, match="null and NaN"):
        Space.infer(pl.DataFrame({"x": [1.0, None, float("nan")]}))


@pytest.mark.parametrize(("dtype", "value"), [("int8", 300), ("uint8", -1), ("float16", 1e5)])
def test_what_the_dtype_cannot_hold_is_refused(dtype: str, value: float) -> None:
    space = Space.infer(pd.DataFrame({"x": np.array([1, 2, 3], dtype=dtype)}))
    with pytest.raises(DataError, match=f"{dtype} of the data"):
        space.codes(pd.DataFrame({"x": [value]}))


def test_decimals_of_more_digits_than_codes_hold_are_refused() -> None:
    amounts = [decimal.Decimal("123456789012345.67"), decimal.Decimal("2.20")]
    arrow = pd.Series(pd.arrays.ArrowExtensionArray(pa.array(amounts)))
    objects = pd.Series(amounts, dtype=object)
    for values in (pl.Series(amounts), arrow, objects):
        frame = (pl if isinstance(values, pl.Series) else pd).DataFrame({"x": values})
        with pytest.raises(DataError, match=r"'x'.*digits"):
            Space.infer(frame)
        small = frame[1:]
        with pytest.raises(DataError, match="'x'"):
            Space.infer(small).codes(frame)


def test_a_decimal_that_the_dtype_of_the_data_cannot_hold_is_refused() -> None:
    data = pl.DataFrame({"x": [decimal.Decimal("1.10"), decimal.Decimal("2.20")]})
    with pytest.raises(DataError, match=r"1\.234"):
        Space.infer(data).codes(pl.DataFrame({"x": [1.234]}))
    own = pd.DataFrame({"x": [decimal.Decimal("1.234")]})
    objects = Space.infer(data.to_pandas().astype(object))
    assert objects.rows(objects.codes(own))["x"].to_list() == [decimal.Decimal("1.234")]


@pytest.mark.parametrize("odd", ["Infinity", "1E-400", "1E+400", "NaN"])
def test_decimals_beyond_numbers_are_refused_by_name(odd: str) -> None:
    values = [decimal.Decimal(odd), decimal.Decimal("1.5")]
    with pytest.raises(DataError, match="'x'"):
        Space.infer(pd.DataFrame({"x": pd.Series(values, dtype=object)}))


def test_decimals_as_categories_survive_json() -> None:
    data = pd.DataFrame({"x": pd.Series([decimal.Decimal("1.10"), None], dtype=object)})
    space = Space.infer(data, categorical=["x"])
    again = Space.from_json(space.to_json())
    assert again == space
    assert again.rows(again.codes(data)).equals(data)


def test_lists_are_refused_by_name() -> None:
    with pytest.raises(DataError, match=r"'x'.*\[1\]"):
        Space.infer(pl.DataFrame({"x": [[1], [2]]}), categorical=["x"])


def test_dates_are_exact_as_categories() -> None:
    stamps = pd.to_datetime(np.arange(80) // 2 * 1_000_000_001)
    for values in (stamps, stamps.tz_localize("Europe/Paris"), stamps - stamps[0]):
        frame = pd.DataFrame({"when": values})
        space = Space.infer(frame, categorical=["when"])
        pd.testing.assert_frame_equal(space.rows(space.codes(frame)), frame)


def test_a_negative_zero_of_the_row_is_kept_and_none_is_made() -> None:
    data = pd.DataFrame({"x": np.arange(-20, 21) / 10, "w": np.arange(41) % 7})
    signed = ifonly.as_model(lambda f: np.copysign(1, f["x"]) + f["w"] > 3, classes=[0, 1])
    rows = pd.DataFrame({"x": [-0.0, 0.0, -0.04, 1.0], "w": [1, 1, 2, 3]})
    frame = ifonly.explain(signed, rows, data=data, k=6, diversity=1).frame()
    negative = np.signbit(frame["x"]) & (frame["x"] == 0)
    zero, first = frame["x"] == 0, frame["query"] == 0
    assert negative.equals(zero & first)
    assert negative.any()
    assert (zero & (frame["query"] == 1)).any()
    assert ((np.copysign(1, frame["x"]) + frame["w"] > 3) == frame["prediction"]).all()
