"""`ifonly explain` on good input: every format, every kind of file, the exit codes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ifonly import Answers
from ifonly.cli.options import as_target


def test_a_table_shows_only_what_changes_and_says_it_in_sentences(explain: Any) -> None:
    ran = explain("--rule", "job fixed", "-k", "2")
    assert ran.code == 0
    assert "If only income were" in ran.out
    assert "its score for granted is" in ran.out
    assert "job" not in ran.out
    assert "clerk" not in ran.out


def test_stdout_is_data_and_stderr_is_talk(explain: Any) -> None:
    ran = explain("--format", "csv")
    assert ran.err == "2 rows: 2 found.\n"
    frame = pd.read_csv(io.StringIO(ran.out))
    assert len(frame) == 8
    assert set(frame["prediction"]) == {"granted"}


def test_json_is_what_answers_read(explain: Any) -> None:
    answers = Answers.from_json(explain("--format", "json", "-k", "3", "--seed", "5").out)
    assert (len(answers), answers.k, answers.record["seed"]) == (2, 3, 5)


def test_thousands_are_apart_as_stated(explain: Any) -> None:
    answers = Answers.from_json(explain("--format", "json", "--thousands", "_", "-k", "1").out)
    assert answers.space.thousands == "_"
    assert explain("--thousands", ".").code == 2


def test_the_same_command_gives_the_same_bytes(explain: Any) -> None:
    assert explain("--format", "json").out == explain("--format", "json").out


def test_any_number_of_workers_gives_the_same_bytes(explain: Any) -> None:
    whole = explain("--format", "csv")
    for workers in ("2", "all"):
        assert explain("--format", "csv", "--workers", workers) == whole
    ran = explain("--workers", "many")
    assert ran.code == 2
    assert "workers is 'many'" in ran.err


@pytest.mark.parametrize("rows", ["rows.csv.gz", "rows.parquet"])
def test_rows_in_other_files_get_the_same_answers(explain: Any, rows: str) -> None:
    other = explain("--format", "csv", rows=rows)
    assert other.out == explain("--format", "csv").out


def test_the_index_of_a_saved_frame_names_its_rows(explain: Any, folder: Path) -> None:
    first = (folder / "rows.csv").read_text().splitlines()[1].split(",")[0]
    assert f"Row {first} " in explain().out


@pytest.mark.parametrize(
    ("name", "start"), [("a.json", "{"), ("a.csv", "query,"), ("a.html", "<!")]
)
def test_a_file_gets_the_format_that_its_name_ends_in(
    explain: Any, folder: Path, name: str, start: str
) -> None:
    ran = explain("--out", name)
    assert (ran.code, ran.out) == (0, "")
    assert (folder / name).read_text().startswith(start)


def test_a_table_can_be_written_to_a_file(explain: Any, folder: Path) -> None:
    assert explain("--out", "answers.txt").out == ""
    lines = (folder / "answers.txt").read_text().splitlines()
    assert any("If only" in line for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_a_pickle_is_opened_where_it_is_trusted(run: Any) -> None:
    arguments = ["rows.csv", "--data", "loan.csv", "--outcome", "loan", "--model", "loan.joblib"]
    assert run("explain", *arguments, "--trust-pickle").code == 0


def test_a_level_that_looks_like_a_number_stays_text(explain: Any, folder: Path) -> None:
    (folder / "few.csv").write_text("income,debt,job\n1200,30,10\n")
    ran = explain("-k", "1", rows="few.csv")
    assert (ran.code, ran.err) == (0, "1 row: 1 found.\n")


def test_whole_numbers_with_a_decimal_point_are_whole_numbers(explain: Any, folder: Path) -> None:
    (folder / "few.csv").write_text("income,debt,job\n1200.0,30,nurse\n")
    assert explain("-k", "1", rows="few.csv").code == 0


def test_a_row_outside_the_known_range_is_answered_with_a_note(explain: Any, folder: Path) -> None:
    (folder / "few.csv").write_text("income,debt,job\n10,30,nurse\n")
    ran = explain("-k", "1", rows="few.csv")
    assert ran.code == 0
    assert "income is 10, outside the known" in ran.out


def test_a_row_that_has_the_outcome_is_answered(explain: Any, folder: Path) -> None:
    (folder / "few.csv").write_text("income,debt,job\n5900,0,nurse\n")
    ran = explain("--target", "granted", rows="few.csv")
    assert (ran.code, ran.err) == (0, "1 row: 1 already.\n")
    assert "The outcome is already granted." in ran.out


def test_rows_without_all_answers_end_with_3(explain: Any) -> None:
    ran = explain("--rule", "income fixed", "--rule", "debt fixed", "--rule", "job fixed")
    assert (ran.code, ran.err) == (3, "2 rows: 2 infeasible.\n")
    assert "No change can give granted. These rules conflict for this row" in ran.out


def test_a_regressor_is_asked_for_a_range(explain: Any) -> None:
    ran = explain("--target", "9000..10000", "--format", "csv", rows="rows.parquet", about="price")
    assert ran.code == 0
    assert pd.read_csv(io.StringIO(ran.out))["prediction"].between(9000, 10000).all()


def test_one_of_three_classes_is_named_by_its_text(explain: Any) -> None:
    ran = explain("--target", "A", "--format", "csv", rows="rows.parquet", about="rating")
    assert set(pd.read_csv(io.StringIO(ran.out))["prediction"]) == {"A"}


@pytest.mark.parametrize(
    ("text", "classes", "target"),
    [
        ("1", (0, 1), 1),
        ("1", (0.0, 1.0), 1.0),
        ("True", (False, True), True),
        ("opposite", (0, 1), "opposite"),
        ("1..2", ("1..2", "3..4"), "1..2"),
        ("-2..1e3", (), (-2.0, 1000.0)),
        ("5..", (), (5.0, float("inf"))),
    ],
)
def test_a_target_is_read_as_the_model_means_it(
    text: str, classes: tuple[Any, ...], target: Any
) -> None:
    read = as_target(text, classes)
    assert (read, type(read)) == (target, type(target))


def test_a_proof_is_told_and_kept(explain: Any) -> None:
    ran = explain("--certify", "20", "--format", "json")
    assert "The nearest answer by distance plus 0.5 times the share of features" in ran.err
    assert Answers.from_json(ran.out).certificates()["gap"].max() < 0.05


def test_a_device_is_named_and_needs_the_default_method(explain: Any) -> None:
    pytest.importorskip("torch")
    ran = explain("--device", "cpu", "-k", "2", "--format", "json")
    assert ran.code == 0
    assert "device='cpu'" in Answers.from_json(ran.out).record["method"]
    refused = explain("--device", "cpu", "--method", "gradient")
    assert refused.code == 2
    assert "--device cpu has no effect with --method gradient." in refused.err
