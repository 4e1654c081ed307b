"""Rows with dates that the data do not have: missing, finer than their dtype, or text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest

import ifonly
from ifonly.errors import DataError

DATA = pd.DataFrame(
    {
        "customer": [f"C-{n}" for n in range(60)],
        "since": pd.date_range("2020-01-01", periods=60, freq="10D").astype("datetime64[s]"),
        "orders": [n % 7 for n in range(60)],
    }
)
FINE = pd.Timestamp("2021-03-04 10:00:00.5")


def _loyal(frame: Any) -> Any:
    """Early customers with orders; it takes every column, and any date."""
    frame = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    since = pd.to_datetime(frame["since"].astype(object).where(lambda s: s != "never", None))
    early = since.fillna(pd.Timestamp("2021-01-01")) < "2021-03-05"
    return (early & (frame["orders"] > 3) & frame["customer"].str.startswith("C-")).astype(float)


LOYAL = ifonly.as_model(_loyal, classes=["no", "yes"])


def _rows(value: Any, dtype: Any) -> pd.DataFrame:
    rows = DATA[43:46].assign(since=DATA["since"][43:46].astype(dtype), orders=1)
    rows.loc[44, "since"] = value
    return rows


@pytest.mark.parametrize(
    ("value", "dtype", "told"),
    [
        (pd.NaT, "datetime64[s]", "since is missing"),
        (FINE, "datetime64[ms]", "which the datetime64[s] of the data cannot be"),
        ("never", object, "since is never"),
    ],
)
def test_a_date_that_the_data_do_not_have_is_kept(value: Any, dtype: Any, told: str) -> None:
    rows = _rows(value, dtype)
    answers = ifonly.explain(LOYAL, rows, data=DATA, k=1, rules=["since fixed"], plausible=False)
    assert told in answers.notes[1]
    assert answers.status[1] == "found"
    (kept,) = answers.frame().query("query == 1")["since"]
    assert kept == value or (pd.isna(kept) and pd.isna(value))
    again = ifonly.Answers.from_json(answers.to_json())
    pd.testing.assert_frame_equal(again.frame(), answers.frame())
    ordinary = ifonly.explain(LOYAL, rows.drop(44), data=DATA, k=1, rules=["since fixed"])
    assert ordinary.notes[0] == answers.notes[0]


def test_another_library_keeps_a_missing_date() -> None:
    rows = pl.from_pandas(_rows(pd.NaT, "datetime64[s]"))
    answers = ifonly.explain(LOYAL, rows, data=pl.from_pandas(DATA), k=1, rules=["since fixed"])
    assert answers.frame().filter(pl.col("query") == 1)["since"].to_list() == [None]


@pytest.mark.parametrize(
    ("since", "told"),
    [
        ("2021-01-01", "dates are expected"),
        (5, "dates are expected"),
        (pd.Timestamp("2021-01-01", tz="UTC"), "time zone"),
    ],
)
def test_a_column_that_has_to_be_converted_is_refused(
    refused: Callable[..., Exception], since: Any, told: str
) -> None:
    rows = DATA[43:46].assign(since=since)
    refused(DataError, told, hint="Convert", ask=lambda: ifonly.explain(LOYAL, rows, data=DATA))
