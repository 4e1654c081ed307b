"""`ifonly batch`: many files in a terminal, how far a run is, and what it found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from ifonly import Answers


@pytest.fixture
def batch(run: Any, folder: Path, tmp_path: Path) -> Any:
    def command(*words: str, out: str = "", rows: str = "rows.csv") -> Any:
        model = ["--data", "loan.csv", "--model", "loan.skops", "--outcome", "loan"]
        place = out or str(tmp_path / "out")
        return run("batch", rows, *model, "--out", place, "--workers", "1", *words)

    return command


def test_rows_are_answered_and_then_nothing_is_left_to_do(
    batch: Any, run: Any, tmp_path: Path
) -> None:
    ran = batch("--shard-rows", "1", "-k", "2")
    assert ran.code == 0, ran.err
    assert "2 of 2 rows" in ran.err
    assert "per second" in ran.err
    assert "statuses: 2 found" in ran.err
    assert "means: nearest" in ran.err
    assert ran.out == ""
    before = sorted((tmp_path / "out").glob("*.parquet"))
    assert len(before) == 2
    again = batch("--shard-rows", "1", "-k", "2")
    assert again.code == 0
    assert "per second" not in again.err
    other = batch("-k", "3")
    assert other.code == 4
    assert "k" in other.err
    status = run("batch", "status", str(tmp_path / "out"))
    assert status.code == 0
    assert status.out.startswith("2 of 2 rows, 2 of 2 parts\nstatuses: 2 found\n")
    told = json.loads(run("batch", "status", str(tmp_path / "out"), "--json").out)
    assert told["summary"]["statuses"] == {"found": 2}


def test_a_run_is_read_as_a_table_and_as_answers(
    batch: Any, run: Any, tmp_path: Path, explain: Any
) -> None:
    assert batch("-k", "2").code == 0
    out, fresh = (
        str(tmp_path / "out"),
        Answers.from_json(explain("--format", "json", "-k", "2").out),
    )
    for name in ("all.json", "all.csv", "all.parquet"):
        ran = run("batch", "read", out, "--out", str(tmp_path / name))
        assert ran.code == 0, ran.err
    read = Answers.from_json((tmp_path / "all.json").read_text())
    assert read.sentences() == fresh.sentences()
    table = pq.read_table(tmp_path / "all.parquet").to_pandas()
    assert table["answer"].tolist() == [-1, 0, 1] * 2
    frame = pd.read_csv(tmp_path / "all.csv")
    assert frame["income"].tolist() == table["income"].tolist()
    assert run("batch", "read", out).out == (tmp_path / "all.csv").read_text()
    assert run("batch", "read", out, "--out", str(tmp_path / "all.txt")).code == 2


def test_rows_that_lack_answers_end_with_3_and_say_why(
    batch: Any, run: Any, tmp_path: Path
) -> None:
    rules = ["--rule", "income fixed", "--rule", "debt fixed", "--rule", "job fixed"]
    ran = batch(*rules)
    assert ran.code == 3
    assert "2 rows: infeasible" in ran.err
    assert run("batch", "status", str(tmp_path / "out")).code == 3


def test_bad_input_ends_with_2(batch: Any, run: Any, tmp_path: Path) -> None:
    assert batch(rows="nothing.csv").code == 2
    assert batch("--on", "moon").code == 2
    assert run("batch", "status", str(tmp_path / "none")).code == 2
    assert run("batch").code in (0, 2)
    assert "status" in run("batch", "--help").out
