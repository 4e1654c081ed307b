"""Values keep their types over JSON, in both directions."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.contract import Handler
from ifonly.contract.values import plain, read_rows
from ifonly.space.table.values import value_of

DAYS = pd.to_datetime(["2024-01-01", "2024-02-29", "2024-12-31"])
COLUMNS: dict[str, Any] = {
    "whole": [1, 2, 3],
    "small": pd.array([1, 2, None], dtype="Int8"),
    "number": [0.1, 2.5, 1e-7],
    "single": np.array([0.1, 2.5, 3.25], dtype=np.float32),
    "decimal": [Decimal("1.10"), Decimal("2.25"), Decimal("3.00")],
    "text": ["a", "é", None],
    "category": pd.Categorical(["x", "y", "x"]),
    "flag": [True, False, True],
    "gappy": pd.array([True, None, False], dtype="boolean"),
    "codes": pd.Categorical([1, 2, 1]),
    "mixed": [1, "1", 2.5],
    "day": DAYS.date,
    "moment": DAYS + pd.to_timedelta([1, 2, 3], "ms"),
    "gap": [DAYS[0], pd.NaT, DAYS[2]],
    "zone": DAYS.tz_localize("Europe/Berlin"),
    "length": pd.to_timedelta([1, 30, 400], "D"),
    "hours": pd.to_timedelta(["01:00:00", "02:30:00", "1 days 00:00:00"]),
    "huge": pd.Categorical([2**60, 2**61, 2**60]),
    "period": pd.cut(pd.Series([1, 5, 9]), [0, 4, 10]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_read_as_it_was_written(name: str) -> None:
    frame = pd.DataFrame({name: COLUMNS[name]})
    space = ifonly.Space.infer(frame, carry=())
    codes = space.codes(frame)
    rows = [{name: plain(value_of(space.features[0], code))} for code in codes[:, 0]]
    sent = json.loads(json.dumps(rows, allow_nan=False))
    np.testing.assert_array_equal(read_rows(space, sent, "rows[{}]"), codes)
    as_javascript = [
        {name: int(v) if isinstance(v, float) and v.is_integer() else v}
        for row in sent
        for v in row.values()
    ]
    np.testing.assert_array_equal(read_rows(space, as_javascript, "rows[{}]"), codes)


def test_rows_are_read_for_data_of_another_library() -> None:
    frame = pl.DataFrame({"age": [20, 30, 40], "day": list(DAYS.date), "job": ["a", "b", "a"]})
    rich = ifonly.as_model(lambda f: f["age"] > 35, classes=["no", "yes"])
    handler = Handler(ifonly.Explainer(rich, data=frame))
    row = {"age": 20, "day": "2024-01-01", "job": "a"}
    (way,) = handler.answer("explain", {"rows": [row], "k": 1}).rows[0].answers
    assert way.values == {**row, "age": 36}


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.floats(-1e100, 1e100), st.integers(-(2**53) + 1, 2**53 - 1)))
def test_every_number_arrives_as_it_was_sent(number: float) -> None:
    space = ifonly.Space.describe({"name": "x", "low": -1, "high": 1, "decimals": 3})
    sent = json.loads(json.dumps([{"x": number}]))
    assert read_rows(space, sent, "rows[{}]")[0, 0] == number


def test_carried_columns_reach_the_model_as_the_data_have_them() -> None:
    born = pd.DataFrame({"born": DAYS, "height": [1.5, 2.0, 1.0], "pay": [10, 20, 30]})
    model = ifonly.as_model(
        lambda f: (f["born"].dt.month > 1) & (f["height"].dtype == float) & (f["pay"] > 15),
        classes=["no", "yes"],
    )
    space = ifonly.Space.infer(born, carry=["born", "height"])
    handler = Handler(ifonly.Explainer(model, data=born, space=space))
    row = {"born": "2024-02-29", "height": 2, "pay": 10}
    (way,) = handler.answer("explain", {"rows": [row], "k": 1}).rows[0].answers
    assert way.values == {**row, "pay": 16}


def test_answers_have_the_types_of_the_data(mixed: Handler, frame: pd.DataFrame) -> None:
    row = {"customer": "c7", "age": 30, "pay": None, "member": True, "since": "2021-03-01"}
    row |= {"grade": "mid", "job_a": 1, "job_b": 0, "job_c": 0.0}
    reply = mixed.answer("explain", {"rows": [row], "k": 3})
    for way in reply.rows[0].answers:
        kinds = {name: type(value) for name, value in way.values.items()}
        assert kinds["age"] is kinds["job_a"] is int
        assert kinds["member"] is bool
        assert way.values["pay"] is None
        assert way.values["customer"] == "c7"
        assert date.fromisoformat(way.values["since"].removesuffix("T00:00:00"))
        assert mixed.answer("predict", {"rows": [way.values]}).rows[0].prediction == way.prediction
