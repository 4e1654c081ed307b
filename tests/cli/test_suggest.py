"""Rules that a file suggests, listed by a command and accepted by a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ifonly import Answers

RULES = ["total = income + debt", "job determines code: 10 -> 3, clerk -> 1, nurse -> 2"]


@pytest.fixture
def table(folder: Path) -> str:
    """The training rows with two columns more."""
    frame = pd.read_csv(folder / "loan.csv", dtype={"job": str})
    frame["total"] = frame["income"] + frame["debt"]
    frame["code"] = frame["job"].map({"clerk": 1, "nurse": 2, "10": 3})
    frame.to_csv(folder / "wide.csv", index=False)
    return "wide.csv"


def test_a_table_says_rule_rows_and_meaning(run: Any, table: str) -> None:
    ran = run("suggest-rules", table, "--outcome", "loan")
    assert ran.code == 0, ran.err
    head, *lines = (line for line in ran.out.splitlines() if line.strip(" ─"))
    assert head.split() == ["rule", "rows", "meaning"]
    assert "total = income + debt" in lines[0]
    assert "300" in lines[0]
    assert "total equals income + debt." in " ".join(ran.out.split())


def test_text_is_a_file_of_rules(run: Any, table: str, folder: Path) -> None:
    ran = run("suggest-rules", table, "--outcome", "loan", "--format", "text", "--out", "rules.txt")
    assert ran.code == 0, ran.err
    assert [
        line.replace('"', "") for line in (folder / "rules.txt").read_text().splitlines()
    ] == RULES


def test_json_has_all_of_it_and_most_limits_it(run: Any, table: str) -> None:
    ran = run("suggest-rules", table, "--outcome", "loan", "--format", "json", "--most", "1")
    (one,) = json.loads(ran.out)
    assert one == {"rule": RULES[0], "rows": 300, "meaning": "total equals income + debt."}


def test_without_any_rule_it_says_so(run: Any) -> None:
    ran = run("suggest-rules", "loan.csv", "--outcome", "loan")
    assert (ran.code, ran.out) == (0, "No rule is suggested by 300 rows.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["wide.csv", "--outcome", "lone"], "Did you mean 'loan'?"),
        (["wide.csv", "--most", "-1"], "most is -1"),
        (["nothing.csv"], "no file 'nothing.csv'"),
        (["wide.csv", "--categorical", "cod"], "Did you mean 'code'?"),
    ],
)
def test_what_cannot_be_used_is_refused(run: Any, table: str, words: list[str], said: str) -> None:
    ran = run("suggest-rules", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_explain_accepts_them_by_a_word(explain: Any, folder: Path) -> None:
    """Also where there are none."""
    ran = explain("--rule", "suggested", "--rule", "job fixed", "-k", "1", "--format", "json")
    assert ran.code == 0, ran.err
    assert Answers.from_json(ran.out).record["rules"] == ["job fixed"]
