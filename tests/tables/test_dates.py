"""Dates, times and durations: exact in every dtype, shown as dates, and obeyed in rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import ifonly
from ifonly import Answers, Space
from ifonly.errors import DataError, OptionError

FIRST = pd.Timestamp("2020-01-01")
PANDAS = [
    *(f"datetime64[{tick}]" for tick in ("s", "ms", "us", "ns")),
    *(f"datetime64[us, {zone}]" for zone in ("UTC", "Europe/Berlin", "America/Havana")),
    *("timedelta64[s]", "timedelta64[ns]", "timestamp[us][pyarrow]", "duration[ms][pyarrow]"),
    *("timestamp[ns, tz=Asia/Kolkata][pyarrow]", "date32[day][pyarrow]", "object"),
]
SIZES = {"D": 86400, "h": 3600, "min": 60, "s": 1}


def column(dtype: str, seconds: np.ndarray, gap: bool) -> pd.Series[Any]:
    """Values of a dtype, so many seconds after a start; the second one missing or not."""
    length = pd.Series(pd.to_timedelta(seconds, unit="s").as_unit("s"))
    values = length if dtype.startswith(("timedelta", "duration")) else FIRST.as_unit("s") + length
    zone = dtype.partition(", ")[2].removeprefix("tz=").partition("]")[0]
    if zone:
        values = values.dt.tz_localize(zone, nonexistent="shift_forward", ambiguous=True)
    if gap:
        values[1] = pd.NaT
    if dtype == "object":
        return values.dt.date.astype(object)
    if dtype.startswith("date32"):
        values = values.astype("timestamp[s][pyarrow]")
    return values.astype(dtype)


@settings(max_examples=60, deadline=None)
@given(
    dtype=st.sampled_from(PANDAS),
    unit=st.sampled_from(list(SIZES)),
    steps=st.lists(st.integers(-20_000, 20_000), min_size=3, max_size=6),
    gap=st.booleans(),
)
def test_every_date_is_written_as_it_was_read(
    dtype: str, unit: str, steps: list[int], gap: bool
) -> None:
    unit = "D" if dtype in ("object", "date32[day][pyarrow]") else unit
    frame = pd.DataFrame({"when": column(dtype, np.array(steps) * SIZES[unit], gap)})
    space = Space.infer(frame)
    codes = space.codes(frame)
    assert (np.isnan(codes) | (codes == np.round(codes))).all()
    pd.testing.assert_frame_equal(space.rows(codes), frame)
    assert Space.from_json(space.to_json()) == space
    assert space.features[0].missing == gap
    low, high = space.features[0].low, space.features[0].high  # type: ignore[union-attr]
    order = pd.Series(space.rows(np.array([[low], [high]]))["when"]).tolist()
    assert order[0] <= order[1]


@pytest.mark.parametrize(
    ("step", "unit"),
    [("1D", "D"), ("1h", "h"), ("15min", "min"), ("1s", "s"), ("1ms", "ms"), ("1us", "us")],
)
def test_the_unit_is_the_coarsest_that_writes_every_value(step: str, unit: str) -> None:
    when = pd.date_range("2024-03-30", periods=5, freq="1D") + pd.Timedelta(step)
    spaces = [Space.infer(pd.DataFrame({"when": when.tz_localize(z)})) for z in (None, "Etc/UTC")]
    assert [space.features[0].column.unit for space in spaces] == [unit] * 2


def test_midnights_are_those_of_the_time_zone() -> None:
    days = pd.date_range("2024-03-28", periods=6, tz="Europe/Berlin")  # summer time begins
    space = Space.infer(pd.DataFrame({"day": days}))
    assert space.features[0].column.unit == "D"
    assert np.diff(space.codes(pd.DataFrame({"day": days}))[:, 0]).tolist() == [1.0] * 5


def test_wide_frames_hold_dates_too() -> None:
    frame = pd.DataFrame({f"x{j}": [1, 2, 3] for j in range(70)})
    frame["when"] = pd.to_datetime(["2024-01-01", None, "2024-02-01"])
    space = Space.infer(frame, one_hot=())
    pd.testing.assert_frame_equal(space.rows(space.codes(frame)), frame)


def test_polars_and_arrow_keep_their_dtypes() -> None:
    when = pl.Series([FIRST + timedelta(hours=n) for n in range(4)])
    frame = pl.DataFrame(
        {
            "day": [date(2024, 1, n) for n in (1, 5, 9)] + [None],
            "ms": when.cast(pl.Datetime("ms")),
            "zone": when.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"),
            "length": [timedelta(hours=3), None, timedelta(days=2), timedelta(0)],
        }
    )
    space = Space.infer(frame)
    again = space.rows(space.codes(frame))
    assert again.schema == frame.schema
    assert again.equals(frame)
    arrow = frame.to_arrow()
    space = Space.infer(arrow)
    assert space.rows(space.codes(arrow)).equals(arrow)
    other = space.rows(space.codes(arrow), "pandas")  # rows of another library
    assert np.array_equal(space.codes(other), space.codes(arrow), equal_nan=True)


def years(frame: pd.DataFrame) -> pd.DataFrame:
    """The age of dates in days, for a pipeline that insists on dates."""
    assert frame.dtypes.tolist() == [np.dtype("datetime64[us]")], frame.dtypes
    return frame.apply(lambda one: (pd.Timestamp("2025-01-01") - one).dt.days)


@pytest.fixture(scope="module")
def customers() -> pd.DataFrame:
    random = np.random.default_rng(0)
    days = pd.to_timedelta(random.integers(0, 1800, 150), unit="D")
    return pd.DataFrame(
        {
            "since": (FIRST + days).astype("datetime64[us]"),
            "income": random.integers(1000, 6000, 150),
            "job": random.choice(["clerk", "nurse"], 150),
        }
    )


@pytest.fixture(scope="module")
def model(customers: pd.DataFrame) -> Pipeline:
    good = (customers["since"] < "2022-06-01").astype(int) + (customers["income"] > 3500) > 1
    columns = ColumnTransformer(
        [
            ("since", make_pipeline(FunctionTransformer(years), StandardScaler()), ["since"]),
            ("income", StandardScaler(), ["income"]),
            ("job", OneHotEncoder(), ["job"]),
        ]
    )
    return make_pipeline(columns, LogisticRegression()).fit(customers, good)


@pytest.fixture(scope="module")
def rows(model: Pipeline, customers: pd.DataFrame) -> pd.DataFrame:
    return customers[~model.predict(customers)].head(3)


Obeyed = Callable[["pd.Series[Any]", "pd.Series[Any]"], "pd.Series[bool]"]


@pytest.mark.parametrize(
    ("rule", "obeyed"),
    [
        ("since >= 2021-06-01", lambda own, new: new >= "2021-06-01"),
        (
            "since between 2020-06-01 and '2022-01-01'",
            lambda own, new: new.between("2020-06-01", "2022-01-01"),
        ),
        ("since changes by at most 300 days", lambda own, new: (new - own).abs() <= "300D"),
        ("since changes by at most 10 weeks", lambda own, new: (new - own).abs() <= "70D"),
        ("since only decreases", lambda own, new: new <= own),
        ("since fixed", lambda own, new: new == own),
        ("if job is nurse then since < 2021-01-01", None),
    ],
)
def test_answers_obey_rules_on_dates(
    rule: str, obeyed: Obeyed | None, model: Pipeline, customers: pd.DataFrame, rows: pd.DataFrame
) -> None:
    answers = ifonly.explain(model, rows, data=customers, k=2, rules=[rule], plausible=False)
    frame = answers.frame()
    assert len(frame)
    assert frame["since"].dtype == customers["since"].dtype
    assert model.predict(frame[customers.columns.to_list()]).all()
    if obeyed is None:
        held = (frame["job"] != "nurse") | (frame["since"] < "2021-01-01")
    else:
        own = rows["since"].iloc[frame["query"]]
        held = obeyed(own, frame["since"])
    assert held.all()
    assert answers.record["rules"] == [rule.replace("'", "")]


def test_dates_are_shown_saved_and_asked_again(
    model: Pipeline, customers: pd.DataFrame, rows: pd.DataFrame
) -> None:
    answers = ifonly.explain(model, rows, data=customers, k=2, rules=["job fixed"])
    own = rows["since"].iloc[0]
    assert f"(not {own.date()})" in answers.sentences()[0][0]
    changes = answers.changes()
    assert changes["before"].iloc[0] == own
    assert isinstance(changes["after"].iloc[0], pd.Timestamp)
    assert str(own.date()) in answers.to_html()
    assert str(own.date()) in str(answers.plan(0, 0))
    saved = Answers.from_json(answers.to_json())
    pd.testing.assert_frame_equal(saved.frame(), answers.frame())
    assert saved.sentences() == answers.sentences()
    again = ifonly.explain_again(saved.record, model, rows, data=customers)
    pd.testing.assert_frame_equal(again.frame(), answers.frame())


def test_every_library_and_time_zone_gives_the_same_answers(customers: pd.DataFrame) -> None:
    def granted(frame: Any) -> np.ndarray:
        if isinstance(frame, pl.DataFrame):
            frame = frame.to_pandas()
        since = pd.to_datetime(frame["since"])
        zone = pd.DatetimeIndex(since).tz
        return np.asarray((since < pd.Timestamp("2022-06-01", tz=zone)) & (frame["income"] > 3500))

    model = ifonly.as_model(granted, classes=["no", "yes"])
    zoned = customers.assign(since=customers["since"].dt.tz_localize("Europe/Berlin"))
    arrow = customers.assign(since=customers["since"].astype("timestamp[us][pyarrow]"))
    frames = [customers, zoned, arrow, pl.from_pandas(customers)]
    found = [ifonly.explain(model, one[:2], data=one, k=2, plausible=False) for one in frames]
    for one, answers in zip(frames, found, strict=True):
        assert answers.sentences() == found[0].sentences()
        assert answers.frame()["since"].dtype == one["since"].dtype


def test_a_missing_date_is_missing() -> None:
    when = pd.Series(pd.date_range("2024-01-01", periods=40)).where(np.arange(40) % 8 > 0)
    data = pd.DataFrame({"seen": when, "income": np.arange(40)})
    model = ifonly.as_model(
        lambda f: f["seen"].isna() & (f["income"] > 20) | (f["seen"] > "2024-02-01"), classes=[0, 1]
    )
    answers = ifonly.explain(model, data[:2], data=data, k=1)
    assert answers.sentences() == [
        ["If only income were 21 (not 0): 1 (1.00)."],
        ["If only seen were 2024-02-02 (not 2024-01-02): 1 (1.00)."],
    ]


TIMES = pd.DataFrame(
    {
        "start": pd.date_range("2023-01-01", periods=30),
        "end": pd.date_range("2023-02-01", periods=30),
        "seen": pd.date_range("2023-01-01 10:30:05", periods=30, tz="Europe/Berlin"),
        "wait": pd.to_timedelta(np.arange(30), unit="D"),
        "income": np.arange(30),
        "job": ["a", "b"] * 15,
    }
)


def test_rows_that_do_not_fit_the_dates_say_why(refused: Callable[..., Exception]) -> None:
    space = Space.infer(TIMES)
    row = TIMES[:1]
    text = row.assign(start=["2023-01-01"])
    refused(DataError, "'start'", "dates", hint="to_datetime", ask=lambda: space.codes(text))
    moment = row.assign(wait=row["start"])
    refused(DataError, "'wait'", "durations", hint="to_timedelta", ask=lambda: space.codes(moment))
    naive = row.assign(seen=row["start"])
    refused(DataError, "no time zone", hint="tz_localize", ask=lambda: space.codes(naive))
    finer = row.assign(start=row["start"] + pd.Timedelta("1ns"))
    refused(DataError, "'start'", "finer", hint="Round", ask=lambda: space.codes(finer))
    times = pl.DataFrame({"at": [timedelta(hours=3)]}).select(pl.time(3).alias("at"))
    refused(DataError, "without a date", hint="carry", ask=lambda: Space.infer(times))
    refused(OptionError, "days", hint="0", ask=lambda: Space.infer(TIMES, precision={"start": 2}))


def test_a_row_between_two_days_keeps_its_time() -> None:
    row = TIMES[:1].assign(start=pd.Timestamp("2023-01-05 10:30:17.123456"))
    space = Space.infer(TIMES)
    pd.testing.assert_frame_equal(space.rows(space.codes(row)), row, check_dtype=False)
