"""Bad input on the command line: a message on stderr, status 2, no traceback, nothing written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import pytest

from ifonly import Answers
from ifonly.errors import MissingExtra, absent
from ifonly.models.files.load import LOADERS
from ifonly.tables.files import read_table

HEAD = "income,debt,job\n"


def refused(ran: Any, *words: str) -> None:
    """The command said what is wrong, on stderr alone, and ended with 2."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert any(line.startswith("Error: ") for line in ran.err.splitlines())
    assert "Traceback" not in ran.err
    for word in words:
        assert word in ran.err


ROWS = {
    "a missing column": ("income,debt\n1200,30\n", "'job'"),
    "an unknown column": ("incom,debt,job\n1200,30,nurse\n", "Did you mean 'income'?"),
    "an extra column": ("income,debt,job,id\n1200,30,nurse,7\n", "'id'"),
    "an empty file": ("", "is empty"),
    "blank lines alone": ("\n\n", "holds no table"),
    "a column twice": (
        "income,debt,job,job\n1,2,nurse,nurse\n",
        "more than one column named 'job'",
    ),
    "lines longer than the header": (f"{HEAD}1200,30,nurse,7\n", "few.csv"),
}


@pytest.mark.parametrize("case", ROWS)
def test_rows_that_do_not_fit_are_refused(explain: Any, folder: Path, case: str) -> None:
    content, word = ROWS[case]
    (folder / "few.csv").write_text(content)
    refused(explain("--out", "answers.csv", rows="few.csv"), word)
    assert not (folder / "answers.csv").exists()


def test_an_odd_row_is_answered_or_fails_alone(explain: Any, folder: Path) -> None:
    lines = ("1200.5,30,nurse", "1200,30,nurs", "1200,,nurse", "much,30,nurse", "1200,30,nurse")
    (folder / "few.csv").write_text(HEAD + "\n".join(lines))
    ran = explain("--out", "answers.json", rows="few.csv")
    assert ran.code == 3
    answers = Answers.from_json((folder / "answers.json").read_text())
    assert [str(one) for one in answers.status] == ["found", *["failed"] * 3, "found"]
    told = ("whole numbers", "Did you mean 'nurse'?", "debt is missing", "income is 'much'", "")
    for note, word in zip(answers.notes, told, strict=True):
        assert word in note
    assert answers.x[0, 0] == 1200.5


def test_a_file_without_rows_gives_answers_without_rows(explain: Any, folder: Path) -> None:
    (folder / "few.csv").write_text(HEAD)
    ran = explain("--format", "csv", rows="few.csv")
    assert ran.code == 0
    assert ran.out.startswith("query,answer,income,debt,job,")
    assert "0 rows." in ran.err


OPTIONS = {
    "k of nothing": (["-k", "0"], "k is 0"),
    "k below nothing": (["-k", "-2"], "k is -2"),
    "an unknown class": (["--target", "grante"], "no class 'grante'"),
    "a range for a classifier": (["--target", "1..2"], "is a classifier"),
    "a rule on an unknown feature": (["--rule", "incme fixed"], "Did you mean 'income'?"),
    "a rule that is no rule": (["--rule", "income grows"], "cannot be understood"),
    "rules that no row can satisfy": (
        ["--rule", "income between 0 and 20", "--rule", "income between 30 and 40"],
        "No row can satisfy the rules",
    ),
    "an unknown method": (["--method", "edit"], "Did you mean 'edits'?"),
    "a threshold above 1": (["--threshold", "1.5"], "1.5"),
    "a diversity above 1": (["--diversity", "3"], "diversity is 3"),
    "a seed below nothing": (["--seed", "-1"], "seed is -1"),
    "an unknown category": (["--categorical", "jop"], "Did you mean 'job'?"),
    "an unknown outcome": (["--outcome", "lone"], "Did you mean 'loan'?"),
    "an outcome left in": (["--outcome", ""], "--outcome 'loan'"),
    "an absent model": (["--model", "loan.skop"], "loan.skops"),
    "a model that runs code": (["--model", "loan.joblib"], "--trust-pickle"),
    "a model of no known kind": (["--model", "loan.csv"], "no loader knows"),
    "an absent table": (["--data", "laon.csv"], "Did you mean 'loan.csv'?"),
    "a table of no known kind": (["--data", "loan.skops"], ".parquet"),
    "an absent folder": (["--data", "nowhere/loan.csv"], "no folder 'nowhere'"),
    "a place that is absent": (["--out", "nowhere/answers.csv"], "no folder 'nowhere'"),
    "a place that is a folder": (["--out", "."], "is a folder"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_mean_nothing_are_refused(explain: Any, folder: Path, case: str) -> None:
    arguments, word = OPTIONS[case]
    before = sorted(path.name for path in folder.iterdir())
    refused(explain("--out", "answers.json", *arguments), word)
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("about", "target", "word"),
    [
        ("rating", "opposite", "'opposite' needs two classes"),
        ("price", "opposite", "--target LOW..HIGH"),
        ("price", "20..10", "reversed"),
        ("price", "cheap", "'cheap' is not a range"),
        ("price", "..", "'..' is not a range"),
    ],
)
def test_targets_that_do_not_fit_the_model_are_refused(
    explain: Any, about: str, target: str, word: str
) -> None:
    refused(explain("--target", target, rows="rows.parquet", about=about), word)


@pytest.mark.parametrize("name", ["few.csv", "few.csv.gz", "few.parquet"])
def test_files_of_garbage_are_refused(explain: Any, folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"\xff\xfe\x00garbage\x00\n" * 20)
    refused(explain(rows=name), name, "cannot be read")


def test_a_model_file_of_garbage_is_refused(explain: Any, folder: Path) -> None:
    (folder / "bad.skops").write_bytes(b"garbage")
    refused(explain("--model", "bad.skops"), "bad.skops cannot be read as a model")


BROKEN = """
import numpy as np

class Broken:
    classes_ = np.array(["granted", "refused"])

    def __init__(self, kind):
        self.kind = kind

    def predict(self, frame):
        return self.classes_[np.zeros(len(frame), dtype=int)]

    def predict_proba(self, frame):
        if self.kind == "raises":
            raise KeyError("the cause")
        scores = np.full((len(frame), 2), 0.5)
        scores[:] = np.nan if self.kind == "nan" else 0.5
        return {"short": scores[:-1], "wide": scores[:, [0, 1, 1]]}.get(self.kind, scores)
"""


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("nan", "returned NaN"),
        ("short", "It must return one entry for each row"),
        ("wide", "shape"),
        ("raises", "KeyError: 'the cause'"),
    ],
)
def test_a_broken_model_is_told_from_a_broken_command(
    explain: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, kind: str, word: str
) -> None:
    (folder / "broken_model.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(str(folder))
    import broken_model

    joblib.dump(broken_model.Broken(kind), folder / "broken.joblib")
    refused(explain("--model", "broken.joblib", "--trust-pickle"), word)


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain"],
        ["explain", "rows.csv"],
        ["explain", "rows.csv", "--data", "d.csv", "--model", "m.skops", "-k", "2.5"],
        ["explain", "rows.csv", "--data", "d.csv", "--model", "m.skops", "--format", "xml"],
        ["evaluate", "a.json", "b.json"],
        ["explane"],
        ["--colour"],
    ],
)
def test_wrong_usage_ends_with_2_and_says_so_on_stderr(run: Any, arguments: list[str]) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage: ifonly" in ran.err
    assert "Traceback" not in ran.err


def test_an_interrupt_ends_with_130(explain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ifonly.tables.files.read", interrupted)
    ran = explain("--out", "answers.csv")
    assert (ran.code, ran.out) == (130, "")


def test_a_parquet_file_without_pyarrow_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'ifonly\[parquet\]'"):
        read_table(Path("rows.parquet"))


def test_the_hint_for_a_missing_file_names_none_that_is_something_else(tmp_path: Path) -> None:
    for name in ("constraints.txt", "Makefile", "package.json", "notes.md", "data.csv", "m.skops"):
        (tmp_path / name).touch()
    hints = {
        "credit.skops": f"The folder {str(tmp_path)!r} has 'm.skops'.",
        "loan-17.json": f"The folder {str(tmp_path)!r} has no file of a similar name.",
        "rows.csv": f"The folder {str(tmp_path)!r} has 'data.csv'.",
        "dat.cvs": "Did you mean 'data.csv'?",
    }
    for name, hint in hints.items():
        endings = LOADERS if name.endswith(".skops") else ()
        assert absent(tmp_path / name, "file", endings).hint == hint


def test_the_installed_command_ends_the_same_way(folder: Path) -> None:
    command = [str(Path(sys.executable).with_name("ifonly")), "evaluate", "absent.json"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: There is no file 'absent.json'.\n\nHint: ")
    assert "Traceback" not in done.stderr
