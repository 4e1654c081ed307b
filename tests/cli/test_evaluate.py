"""`ifonly evaluate`: the metrics of saved answers, for people and for programs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ifonly import Answers
from ifonly.metrics import summary


@pytest.fixture
def saved(explain: Any, folder: Path) -> Answers:
    explain("--out", "answers.json", "-k", "3")
    return Answers.from_json((folder / "answers.json").read_text())


def test_csv_has_every_metric_of_every_row_and_both_means(run: Any, saved: Answers) -> None:
    frame = pd.read_csv(io.StringIO(run("evaluate", "answers.json", "--format", "csv").out))
    assert frame["query"].tolist() == ["0", "1", "all", "full"]
    assert list(frame.columns) == list(saved.metrics().columns)
    assert frame["distance"].iloc[:2].tolist() == pytest.approx(saved.metrics()["distance"])
    means = summary(saved.metrics(), saved.k)
    assert frame["objective"].iloc[2] == pytest.approx(means.loc["objective", "all"])


def test_json_has_the_rows_and_the_means(run: Any, saved: Answers) -> None:
    told = json.loads(run("evaluate", "answers.json", "--format", "json").out)
    assert list(told) == ["rows", "all", "full"]
    assert [row["answers"] for row in told["rows"]] == [3, 3]
    assert told["full"]["rows"] == 2


def test_a_table_has_the_means_and_a_line_a_row(run: Any, saved: Answers) -> None:
    ran = run("evaluate", "answers.json")
    assert (ran.code, ran.err) == (0, "")
    assert "valid_unique" in ran.out
    assert ran.out.count("found") == 2


def test_rows_without_answers_have_no_distance(run: Any, explain: Any) -> None:
    explain(
        "--rule", "income fixed", "--rule", "debt fixed", "--rule", "job fixed", "--out", "a.json"
    )
    assert "—" in run("evaluate", "a.json").out
    told = json.loads(run("evaluate", "a.json", "--format", "json").out)
    assert told["rows"][0]["distance"] is None


def test_metrics_can_be_written_to_a_file(run: Any, saved: Answers, folder: Path) -> None:
    assert run("evaluate", "answers.json", "--format", "csv", "--out", "m.csv").out == ""
    assert (folder / "m.csv").read_text().startswith("query,status,")


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("", "is empty"),
        ("[1, 2]", "not the JSON of saved answers"),
        ("income,debt\n1,2\n", "not the JSON of saved answers"),
        ('{"format": "ifonly answers 1"}', "odd.json"),
    ],
)
def test_a_file_that_holds_no_answers_is_refused(
    run: Any, folder: Path, content: str, word: str
) -> None:
    (folder / "odd.json").write_text(content)
    ran = run("evaluate", "odd.json", "--out", "m.csv")
    assert (ran.code, ran.out) == (2, "")
    assert word in ran.err
    assert not (folder / "m.csv").exists()


def test_a_file_that_is_not_there_is_refused(run: Any) -> None:
    ran = run("evaluate", "answer.json")
    assert ran.code == 2
    assert "There is no file 'answer.json'." in ran.err


@pytest.fixture
def theirs(saved: Answers, folder: Path) -> list[str]:
    """The answers as a stranger's table, and the words that say what it answers."""
    frame = saved.frame()
    frame[["query", *saved.space.names]].to_csv(folder / "theirs.csv", index=False)
    return ["evaluate", "theirs.csv", "--rows", "rows.csv", "--data", "loan.csv"]


def test_a_strangers_table_is_measured_like_saved_answers(
    run: Any, saved: Answers, theirs: list[str]
) -> None:
    told = json.loads(run(*theirs, "--outcome", "loan", "-k", "3", "--format", "json").out)
    own = json.loads(run("evaluate", "answers.json", "--format", "json").out)
    assert told["all"]["distance"] == pytest.approx(own["all"]["distance"])
    assert [row["status"] for row in told["rows"]] == ["found", "found"]


def test_a_report_of_a_strangers_table_has_the_boundary_that_it_tells(
    run: Any, theirs: list[str], folder: Path
) -> None:
    words = ("--outcome", "loan", "--model", "loan.skops", "--report", "page.html")
    assert run(*theirs, *words).code == 0
    page = (folder / "page.html").read_text()
    assert "figure-boundary" in page
    assert "Validity is the model" in page
    for metric in ("%Valid CFs", "Cont-Diversity", "precision"):
        assert metric in page


def test_a_report_without_a_model_says_what_is_not_run(
    run: Any, saved: Answers, folder: Path
) -> None:
    assert run("evaluate", "answers.json", "--report", "page.html").code == 0
    page = (folder / "page.html").read_text()
    assert "not run" in page
    assert "No model was asked" in page


def test_what_a_model_does_not_accept_is_not_valid(run: Any, saved: Answers, folder: Path) -> None:
    rows = saved.space.rows(saved.x).assign(query=[0, 1])  # the rows themselves
    rows.to_csv(folder / "same.csv", index=False)
    words = ("--rows", "rows.csv", "--data", "loan.csv", "--outcome", "loan")
    model = ("--model", "loan.skops", "--format", "json")
    told = json.loads(run("evaluate", "same.csv", *words, *model).out)
    assert told["all"]["valid_unique"] == 0


def test_a_table_needs_its_rows_and_its_column_of_queries(
    run: Any, saved: Answers, theirs: list[str], folder: Path
) -> None:
    ran = run("evaluate", "theirs.csv")
    assert ran.code == 2
    assert "--rows" in ran.err
    saved.frame()[list(saved.space.names)].to_csv(folder / "theirs.csv", index=False)
    ran = run(*theirs, "--outcome", "loan")
    assert ran.code == 2
    assert "'query'" in ran.err
