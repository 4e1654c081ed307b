"""Whatever frame goes in, frames of the same kind come back, and files lose nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet
import pytest
from polars.testing import assert_frame_equal as assert_polars_equal

import ifonly

N = 60


def zoo() -> pd.DataFrame:
    """A table with a column of every dtype that pandas users have."""
    rng = np.random.default_rng(2)
    gaps = rng.random(N) < 0.2
    words = rng.choice(["a", "b", "c"], N)
    return pd.DataFrame(
        {
            "int32": rng.integers(0, 50, N).astype(np.int32),
            "uint8": rng.integers(0, 9, N).astype(np.uint8),
            "int64": rng.integers(-5, 5, N),
            "float32": np.round(rng.uniform(0, 2, N), 2).astype(np.float32),
            "float64": np.round(rng.normal(0, 3, N), 3),
            "Int64": pd.array(np.where(gaps, None, rng.integers(0, 9, N)), dtype="Int64"),
            "Float64": pd.array(np.round(rng.random(N), 1), dtype="Float64"),
            "boolean": pd.array(np.where(gaps, None, rng.random(N) < 0.5), dtype="boolean"),
            "bool": rng.random(N) < 0.5,
            "category": pd.Categorical(words),
            "ordered": pd.Categorical(words, ["c", "b", "a", "never"], ordered=True),
            "coded": pd.Categorical(rng.choice([10, 20], N)),
            "string": pd.array(words, dtype="string"),
            "python": pd.array(words, dtype="string[python]"),
            "str": pd.Series(words, dtype="str"),
            "object": pd.Series(np.where(gaps, None, words), dtype=object),
            "numbers": pd.Series(np.where(gaps, None, rng.integers(0, 9, N)), dtype=object),
            "mixed": pd.Series(rng.choice(np.array([1, "one"], dtype=object), N), dtype=object),
        }
    )


def lend(frame: Any) -> np.ndarray:
    """More for higher numbers; reads pandas and Polars alike."""
    whole, single = (np.asarray(frame[n], dtype=float) for n in ("int32", "float32"))
    return 1 / (1 + np.exp(-(whole / 10 + single - 3.5)))


LENDER = ifonly.as_model(lend, classes=["no", "yes"])
PRICER = ifonly.as_model(lambda frame: 10 * lend(frame), task="regression")


def explain(data: Any, rows: Any = None, model: Any = LENDER, **options: Any) -> ifonly.Answers:
    rows = data[:6] if rows is None else rows
    return ifonly.explain(model, rows, data=data, **{"k": 3, **options})


def polars_zoo() -> pl.DataFrame:
    data = zoo().drop(columns=["mixed"])
    frame = pl.from_pandas(data.drop(columns=["category", "ordered", "coded"]))
    return frame.with_columns(
        pl.Series("category", data["category"].astype(str), dtype=pl.Categorical),
        pl.Series("enum", data["ordered"].astype(str), dtype=pl.Enum(["c", "b", "a"])),
        pl.Series("int16", range(N), dtype=pl.Int16),
    )


@pytest.fixture(params=["pandas", "polars"])
def data(request: pytest.FixtureRequest) -> Any:
    return zoo() if request.param == "pandas" else polars_zoo()


def same(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, pl.DataFrame):
        assert_polars_equal(a, b)
    else:
        pd.testing.assert_frame_equal(a, b, check_exact=True)


def dtypes(frame: Any, names: Any) -> list[Any]:
    return [frame[name].dtype for name in names]


def test_codes_and_rows_give_the_frame_back(data: Any) -> None:
    space = ifonly.Space.infer(data)
    same(space.rows(space.codes(data)), data)


def test_answers_have_the_dtypes_of_the_data(data: Any) -> None:
    answers = explain(data)
    frame = answers.frame()
    assert type(frame) is type(data)
    assert dtypes(frame, data.columns) == dtypes(data, data.columns)
    assert set(answers.status) <= {ifonly.Status.FOUND, ifonly.Status.ALREADY}
    assert (lend(frame) > 0.5).tolist() == [label == "yes" for label in frame["prediction"]]


def test_the_model_is_asked_with_frames_like_the_data(data: Any) -> None:
    asked: list[Any] = []

    def watch(frame: Any) -> np.ndarray:
        asked.append(frame)
        return lend(frame)

    explain(data, model=ifonly.as_model(watch, classes=["no", "yes"]))
    assert asked
    for frame in asked:
        assert type(frame) is type(data)
        assert list(frame.columns) == list(data.columns)
        assert dtypes(frame, data.columns) == dtypes(data, data.columns)


def test_the_frames_that_go_in_stay_as_they_are(data: Any) -> None:
    before = data.clone() if isinstance(data, pl.DataFrame) else data.copy(deep=True)
    rows = data[:6]
    explain(data, rows)
    same(data, before)
    same(rows, before[:6])


def test_every_table_comes_back_in_the_library_of_the_rows(data: Any) -> None:
    answers = explain(data)
    for frame in (answers.frame(), answers.changes(), answers.metrics()):
        assert type(frame) is type(data)


def test_polars_rows_may_be_asked_of_pandas_data() -> None:
    data = zoo().drop(columns=["mixed", "category", "ordered", "coded"])
    answers = explain(data, pl.from_pandas(data[:6]))
    assert isinstance(answers.frame(), pl.DataFrame)
    own = explain(data)
    assert np.array_equal(answers.points, own.points, equal_nan=True)


def test_one_row_may_be_a_series_or_a_dictionary() -> None:
    data = zoo()[["int32", "float32", "str"]]
    whole = explain(data)
    for row in (data.iloc[2], data.iloc[2].to_dict()):
        assert np.array_equal(explain(data, row).points[0], whole.points[2])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"target": ["yes", "no"] * 3},
        {"rules": ["int32 fixed", "float32 fixed"], "weights": {"bool": 2.5}},
        {"threshold": 0.8, "labels": {"int32": "Age", "yes": "granted"}},
        {"model": PRICER, "target": (6, float("inf"))},
        {"model": PRICER, "target": [(float("-inf"), 2.0), (7, 8)] * 3},
    ],
    ids=lambda options: ", ".join(options) or "plain",
)
def test_json_gives_the_answers_back(data: Any, options: dict[str, Any]) -> None:
    if not isinstance(data, pl.DataFrame):
        data = data.set_axis([f"row {i}" for i in range(N)])
    if "labels" in options:
        options = {**options, "space": ifonly.Space.infer(data, labels=options["labels"])}
        del options["labels"]
    answers = explain(data, **options)
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.source is None  # what answers are asked further with does not travel
    for name, value in vars(answers).items():
        if name == "source":
            continue
        other = getattr(again, name)
        if isinstance(value, np.ndarray):
            assert value.dtype == other.dtype, name
            assert np.array_equal(value, other, equal_nan=value.dtype != bool), name
        else:
            assert value == other, name
            assert type(value) is type(other), name
    same(again.frame(), answers.frame())
    same(again.changes(), answers.changes())
    same(again.metrics(), answers.metrics())
    assert again.sentences() == answers.sentences()
    assert again.to_json() == answers.to_json()


def test_parquet_holds_the_frame_and_the_answers(data: Any, tmp_path: Path) -> None:
    if isinstance(data, pd.DataFrame):
        data = data.drop(columns="mixed")
    answers = explain(data)
    path = tmp_path / "answers.parquet"
    answers.to_parquet(path)
    read = pl.read_parquet(path) if isinstance(data, pl.DataFrame) else pd.read_parquet(path)
    assert len(read) == len(answers.frame())
    assert np.allclose(lend(read), lend(answers.frame()))
    content = pyarrow.parquet.read_schema(path).metadata[b"ifonly"].decode()
    same(ifonly.Answers.from_json(content).frame(), answers.frame())
    assert [entry.name for entry in tmp_path.iterdir()] == ["answers.parquet"]


def test_a_feature_called_like_a_column_of_ours_keeps_its_name() -> None:
    data = zoo()[["int32", "float32"]].assign(score=range(N), query=1, changed="x")
    frame = explain(data).frame()
    assert list(frame.columns) == [
        "_query", "answer", *data.columns, "prediction", "_score", "distance", "_changed",
        "price", "extra",
    ]  # fmt: skip
    assert dtypes(frame, data.columns) == dtypes(data, data.columns)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("seed", range(8))
def test_every_feature_keeps_its_name_and_its_values(
    seed: int, library: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    ours = ["query", "answer", "prediction", "score", "distance", "changed", "price", "extra"]
    names = [f"{'_' * int(rng.integers(3))}{name}" for name in rng.choice(ours, 5)]
    names = list(dict.fromkeys([*names, names[0].lstrip("_"), f"_{names[0].lstrip('_')}"]))
    data: Any = pd.DataFrame({name: rng.integers(0, 100, N) for name in names})
    if library == "polars":
        data = pl.from_pandas(data)

    def add(frame: Any) -> np.ndarray:
        return np.asarray(sum(np.asarray(frame[name]) for name in names) > 50 * len(names))

    answers = explain(data, model=ifonly.as_model(add, classes=[False, True]))
    frame = answers.frame()
    columns = list(frame.columns)
    assert [name for name in columns if name in names] == names
    assert [name.lstrip("_") for name in columns if name not in names] == ours
    assert len(set(columns)) == len(columns)
    query, _, *_ = columns
    prediction = columns[2 + len(names)]
    assert add(frame).tolist() == frame[prediction].to_list()
    lines = ifonly.metrics.evaluate(frame[[query, *names]], data[:6], answers.space, k=3)
    assert lines["distance"].tolist() == answers.metrics()["distance"].to_list()
    answers.to_parquet(tmp_path / "answers.parquet")
    assert pyarrow.parquet.read_schema(tmp_path / "answers.parquet").names == columns


def test_no_answer_at_all_still_gives_whole_tables(data: Any) -> None:
    answers = explain(data, rules=["int32 fixed", "float32 fixed"], target="yes")
    assert not answers.filled.any()
    frame = answers.frame()
    assert len(frame) == 0
    assert dtypes(frame, data.columns) == dtypes(data, data.columns)
    assert list(answers.changes().columns) == ["query", "answer", "feature", "before", "after"]
    assert len(answers.metrics()) == len(answers)
    same(ifonly.Answers.from_json(answers.to_json()).frame(), frame)
