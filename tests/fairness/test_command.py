"""`ifonly audit`: the same audit from files, as a table, as JSON and as a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.cli import main

Run = Callable[..., tuple[int, str, str]]
ASK = ("--outcome", "loan", "--target", "yes", "--least", "5", "-k", "1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model of incomes and debts, and rows with a sex and an age besides."""
    folder, random = tmp_path_factory.mktemp("audit"), np.random.default_rng(0)
    frame = pd.DataFrame(
        {"income": random.integers(10, 60, 60), "debt": random.integers(0, 20, 60)}
    )
    frame["loan"] = np.where(frame["income"] - frame["debt"] > 25, "yes", "no")
    model = LogisticRegression(max_iter=1000).fit(frame[["income", "debt"]], frame["loan"])
    skops.io.dump(model, folder / "model.skops")
    frame.to_csv(folder / "train.csv", index=False)
    people = pd.DataFrame({"sex": ["f", "m"] * 30, "age": random.integers(20, 70, 60)})
    people.to_csv(folder / "people.csv", index=False)
    frame.join(people).to_csv(folder / "rows.csv", index=False)
    return folder


@pytest.fixture
def run(made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(made)
    monkeypatch.delenv("COLUMNS", raising=False)

    def command(rows: str, *more: str) -> tuple[int, str, str]:
        files = ["--data", "train.csv", "--model", "model.skops"]
        with pytest.raises(SystemExit) as ended:
            main(["audit", rows, *files, *ASK, *more])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return command


def test_the_table_the_json_and_the_page_are_those_of_python(run: Run, made: Path) -> None:
    train, rows = pd.read_csv(made / "train.csv"), pd.read_csv(made / "rows.csv")
    model = skops.io.load(made / "model.skops")
    features = ["income", "debt"]
    wanted = ifonly.audit(
        model,
        rows[[*features, "sex"]],
        data=train[features],
        target="yes",
        groups=["sex"],
        least=5,
        k=1,
    )
    rows.drop(columns="age").to_csv(made / "named.csv", index=False)
    code, _, err = run(
        "named.csv", "--group", "sex", "--out", "audit.json", "--report", "report.html"
    )
    assert code == 0, err
    content = json.loads((made / "audit.json").read_text())
    assert content["measures"] == json.loads(wanted.to_json())["measures"]
    page = (made / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "ifonly audit" in page.partition("Run it again")[2]
    code, out, _ = run("named.csv", "--group", "sex")
    assert code == 0
    head, *lines = (line for line in out.splitlines() if line.strip(" ─"))
    assert head.split()[:3] == ["sex", "rows", "refused"]
    assert [line.split()[:2] for line in lines] == [["f", "30"], ["m", "30"]]


def test_groups_may_lie_in_a_file_beside_the_rows_and_be_cut(run: Run) -> None:
    more = ("--groups", "people.csv", "--group", "age: 30, 50", "--group", "sex")
    code, out, err = run("train.csv", *more, "--format", "json")
    assert code == 0, err
    groups = json.loads(out)["record"]["groups"]
    assert groups == {"age": ["under 30", "30 to under 50", "50 or more"], "sex": ["f", "m"]}


def test_what_cannot_be_audited_ends_with_2_before_any_work(run: Run) -> None:
    for more, told in (
        ((), "No groups are named"),
        (("--group", "sexx"), "'sexx'"),
        (("--group", "income: low, high"), "no numbers"),
        (("--groups", "people.csv", "--group", "age"), "no cuts"),
        (("--groups", "people.csv", "--group", "race"), "Neither file"),
        (("--groups", "nowhere.csv"), "nowhere.csv"),
        (("--group", "income: 30", "--report", "nowhere/report.html"), "no folder"),
        (("--group", "income: 30", "--target", "opposite"), "the one outcome"),
    ):
        code, _, err = run("train.csv", *more)
        assert (code, told in err) == (2, True), err


def test_rows_that_a_budget_leaves_out_end_with_3(run: Run) -> None:
    code, _, err = run("train.csv", "--group", "income: 30", "--budget", "1e-6")
    assert code == 3, err
    assert "Left out:" in err
