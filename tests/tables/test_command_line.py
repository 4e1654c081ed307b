"""Dates and carried columns on the command line: CSV files, --carry, and what is said of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from ifonly import Answers
from ifonly.cli import main
from ifonly.tables.columns import Words


def days(frame: pd.DataFrame) -> pd.DataFrame:
    """Days before 2025, of dates only."""
    assert all(dtype.kind == "M" for dtype in frame.dtypes), frame.dtypes
    return frame.apply(lambda one: (pd.Timestamp("2025-01-01") - one).dt.days)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """train.csv, rows.csv and model.joblib; the model knows neither `customer` nor `remark`."""
    random = np.random.default_rng(0)
    train = pd.DataFrame(
        {
            "customer": [f"C-{n:03d}" for n in range(80)],
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(random.integers(0, 1800, 80), unit="D"),
            "income": random.integers(1000, 6000, 80),
            "remark": random.choice(["one", "two"], 80),
        }
    )
    columns = ColumnTransformer(
        [
            ("since", make_pipeline(FunctionTransformer(days), StandardScaler()), ["since"]),
            ("income", StandardScaler(), ["income"]),
        ]
    )
    features = train[["since", "income"]]
    good = (train["since"] < "2022-06-01") + 1 * (train["income"] > 3500) > 1
    model = make_pipeline(columns, LogisticRegression()).fit(features, good)
    path = tmp_path_factory.mktemp("tables")
    joblib.dump(model, path / "model.joblib")
    train.to_csv(path / "train.csv", index=False)
    train[~model.predict(features)][:2].to_csv(path / "rows.csv", index=False)
    return path


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def explain(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*options: str) -> tuple[int, str, str]:
        files = ["--data", str(folder / "train.csv"), "--model", str(folder / "model.joblib")]
        command = ["explain", str(folder / "rows.csv"), *files, "--trust-pickle", "-k", "1"]
        with pytest.raises(SystemExit) as ended:
            main([*command, *options])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


def test_a_csv_file_has_dates_and_carries_what_is_named_and_found(
    explain: Run, folder: Path
) -> None:
    code, out, err = explain(
        "--carry", "remark", "--rule", "since >= 2020-03-01", "--format", "csv"
    )
    assert code == 0, err
    assert "Carried along unchanged: customer (all its values differ), remark." in err
    frame, rows = pd.read_csv(io.StringIO(out)), pd.read_csv(folder / "rows.csv")
    assert frame.columns.tolist()[2:6] == rows.columns.tolist()
    assert frame["customer"].tolist() == rows["customer"].tolist()
    assert (frame["since"] >= "2020-03-01").all()
    assert frame["since"].str.fullmatch(r"\d{4}-\d{2}-\d{2}").all()


def test_json_keeps_dates_and_carried_columns(explain: Run, folder: Path) -> None:
    code, out, _ = explain("--carry", "remark", "--format", "json")
    answers = Answers.from_json(out)
    assert code == 0
    assert answers.frame()["since"].dtype.kind == "M"
    assert answers.frame()["remark"].tolist() == pd.read_csv(folder / "rows.csv")["remark"].tolist()


def test_a_column_that_the_model_does_not_know_is_named_with_carry(explain: Run) -> None:
    code, _, err = explain()
    assert code == 2
    assert "'remark'" in err
    assert "--carry" in err


def test_dates_that_the_model_knows_as_levels_stay_text() -> None:
    words = pd.Series(["2024-01-01", "2024-02-01", ""], name="month")
    read, missing = Words().read(words, None)
    assert (read.dtype.kind, read.isna().sum(), missing) == ("M", 1, {"": 1})
    text, _ = Words(levels={"month": ["2024-01-01", "2024-02-01"]}).read(words, None)
    assert text.tolist()[:2] == words.tolist()[:2]
    for odd in (["2024-01-01", "soon"], ["2024-02-30", "2024-02-01"]):
        assert Words().read(pd.Series(odd, name="month"), None)[0].tolist() == odd
