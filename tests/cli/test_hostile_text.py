"""Text of data, columns and files is shown, never obeyed: by terminals, browsers, spreadsheets."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from ifonly import Answers
from ifonly.cli.messages import show_error
from ifonly.errors import DataError
from ifonly.render.view import visible
from ifonly.tables.files import read_table

RED, BELL, TURN, UP = "\x1b[31mred", "a\x07b", "x\u202ey\u2066z", "\x1b]0;title\x07\x9b2J"
LEVELS = [RED, BELL, TURN, UP, "[bold]loud[/bold]", "=1+1", "@SUM(A1)", "-x", "<b>", "\t=2"]
NAME = "=ci\x1b[7mty\u202e[red]"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(folder: Path) -> list[str]:
    """The words of a command whose every name and level wants to be obeyed."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(-9, 80, 300), NAME: rng.choice(LEVELS, 300)})
    y = np.where(frame["age"] + 30 * (frame[NAME] == RED) > 45, "yes\x1b[0m", "no\u202e")
    columns = make_column_transformer((OneHotEncoder(), [NAME]), remainder="passthrough")
    model = make_pipeline(columns, LogisticRegression(max_iter=500)).fit(frame, y)
    skops.io.dump(model, folder / "own\x1b[5m.skops")
    frame.to_csv(folder / "own\x1b[5m.csv", index=False)
    rows = frame[:12].assign(age=30)
    rows = rows.assign(**{NAME: np.resize(LEVELS[4:], 12)}).set_axis(
        [f"row\x1b[1m{n}" for n in range(12)], axis=0
    )
    rows.to_csv(folder / "few\x1b[5m.csv")
    data = ("--data", "own\x1b[5m.csv", "--model", "own\x1b[5m.skops", "-k", "2")
    return ["explain", "few\x1b[5m.csv", *data]


def test_nothing_that_a_terminal_obeys_is_printed(run: Any, hostile: list[str]) -> None:
    rules = ("--rule", f"'{NAME}' fixed", "--rule", "age fixed")
    ran = run(*hostile, *rules, "--explain-failures", "--format", "csv")
    assert ran.code == 3
    assert visible(NAME) in ran.err
    ran = run(*hostile, *rules, "--explain-failures")
    for said in (ran.out, ran.err):
        assert not OBEYED.search(said)
    ran = run(*hostile, "--rule", "age only increases", "--missing", RED)
    assert (ran.code, OBEYED.search(ran.out + ran.err)) == (2, None)
    assert "\\x1b[31mred" in ran.err


def test_a_level_of_markup_is_shown_as_it_is(run: Any, hostile: list[str]) -> None:
    ran = run(*hostile, "--rule", "age fixed")
    assert not OBEYED.search(ran.out)
    assert "[bold]loud[/bold]" in ran.out
    assert "\\x1b[31mred" in ran.out
    assert "Row row\\x1b[1m0" in ran.out


def test_a_file_that_is_written_is_named_without_control_characters(
    run: Any, hostile: list[str]
) -> None:
    assert "Written: new\\x1b[2m.csv\n" in run(*hostile, "--out", "new\x1b[2m.csv").err


def test_errors_are_shown_without_control_characters(
    folder: Path, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    show_error(DataError(f"The level {RED} [bold] is new.", f"Drop {TURN}."))
    said = capsys.readouterr().err
    assert said == (
        "Error: The level \\x1b[31mred [bold] is new.\n\nHint: Drop x\\u202ey\\u2066z.\n"
    )
    ran = run("evaluate", "absent\x1b[5m.json")
    assert not OBEYED.search(ran.err)


def test_sentences_have_no_control_characters(run: Any, hostile: list[str]) -> None:
    answers = Answers.from_json(run(*hostile, "--format", "json").out)
    told = " ".join(line for lines in answers.sentences() for line in lines)
    assert not OBEYED.search(told)
    assert visible(RED) in told


class Isolated(HTMLParser):
    """Collects the texts inside <bdi> and outside."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.inside, self.outside, self.open = [""], [""], 0
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open += tag == "bdi"

    def handle_endtag(self, tag: str) -> None:
        self.open -= tag == "bdi"

    def handle_data(self, data: str) -> None:
        (self.inside if self.open else self.outside).append(data)


def test_a_page_isolates_every_text_that_comes_from_data(run: Any, hostile: list[str]) -> None:
    answers = Answers.from_json(run(*hostile, "--format", "json").out)
    for content in (answers.to_html(), answers._repr_html_()):
        assert not OBEYED.search(content)
        read = Isolated(content)
        outside = "".join(read.outside)
        for text in (*LEVELS[:6], NAME, "yes\x1b[0m", "no\u202e", "row\x1b[1m0"):
            assert visible(text) not in outside
        assert visible(RED) in read.inside
        assert visible(NAME) in read.inside


def test_csv_is_data_unless_a_spreadsheet_is_to_open_it(
    run: Any, hostile: list[str], folder: Path
) -> None:
    as_it_is = run(*hostile, "--format", "csv").out
    safe = run(*hostile, "--format", "csv", "--spreadsheet-safe").out
    frame, guarded = (pd.read_csv(io.StringIO(text), dtype=str) for text in (as_it_is, safe))
    assert set(frame[NAME]) <= set(LEVELS)
    assert list(guarded.columns) == [f"'{name}" if name == NAME else name for name in frame]
    for before, after in zip(frame[NAME], guarded[f"'{NAME}"], strict=True):
        starts = before[0] in "=@-\t\x1b"
        assert after == (f"'{before}" if starts else before)
    assert guarded["age"].tolist() == frame["age"].tolist()
    (folder / "safe.csv").write_text(safe)
    assert read_table(folder / "safe.csv")["age"].dtype == np.int64


def test_the_option_for_spreadsheets_is_for_csv_alone(run: Any, hostile: list[str]) -> None:
    ran = run(*hostile, "--format", "html", "--spreadsheet-safe")
    assert (ran.code, ran.out) == (2, "")
    assert "--spreadsheet-safe is for CSV" in ran.err
