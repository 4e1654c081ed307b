"""A folder with all that a user of the command line has, and a way to run commands in it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ifonly.cli import main


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it said where."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def lender_frame(n: int = 300) -> pd.DataFrame:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": random.integers(1000, 6000, n),
            "debt": random.integers(0, 3000, n) / 2,
            "job": random.choice(["clerk", "nurse", "10"], n),
        }
    )
    granted = frame["income"] - frame["debt"] + 500 * (frame["job"] == "nurse") > 2800
    return frame.assign(
        loan=np.where(granted, "granted", "refused"),
        rating=pd.cut(frame["income"], 3, labels=["C", "B", "A"]).astype(str),
        price=frame["income"] * 2.0 + frame["debt"],
    )


def fitted(estimator: object, frame: pd.DataFrame, outcome: str) -> Pipeline:
    features = frame[["income", "debt", "job"]]
    columns = make_column_transformer(
        (OneHotEncoder(), ["job"]), (StandardScaler(), ["income", "debt"])
    )
    return make_pipeline(columns, estimator).fit(features, frame[outcome])


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Training rows, rows to explain and models, made once."""
    folder = tmp_path_factory.mktemp("lender")
    frame = lender_frame()
    features = frame[["income", "debt", "job"]]
    for outcome in ("loan", "rating", "price"):
        frame[[*features.columns, outcome]].to_csv(folder / f"{outcome}.csv", index=False)
        estimator = LinearRegression() if outcome == "price" else LogisticRegression(max_iter=1000)
        skops.io.dump(fitted(estimator, frame, outcome), folder / f"{outcome}.skops")
    joblib.dump(fitted(LogisticRegression(), frame, "loan"), folder / "loan.joblib")
    refused = frame[frame["loan"] == "refused"]
    refused[[*features.columns, "loan"]].iloc[:2].to_csv(folder / "rows.csv")
    refused[features.columns].iloc[:2].to_parquet(folder / "rows.parquet")
    refused[features.columns].iloc[:2].to_csv(folder / "rows.csv.gz", index=False)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the files, as the working folder."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in the folder."""

    def command(*arguments: str) -> Ran:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        said = capsys.readouterr()
        return Ran(int(ended.value.code or 0), said.out, said.err)

    return command


@pytest.fixture
def explain(run: Run) -> Run:
    """Run `ifonly explain` on the loans; what is given last wins."""

    def command(*arguments: str, rows: str = "rows.csv", about: str = "loan") -> Ran:
        files = ["--data", f"{about}.csv", "--outcome", about, "--model", f"{about}.skops"]
        return run("explain", rows, *files, *arguments)

    return command


SIGNALLING = '''
import os, signal
from pathlib import Path

class Signalling:
    """Asks a fitted model; the file `plan` says at which call what happens."""

    def __init__(self, model):
        self.model, self.classes_, self.calls = model, model.classes_, 0

    def predict(self, frame):
        return self.model.predict(frame)

    def predict_proba(self, frame):
        self.calls += 1
        Path("calls").write_text(str(self.calls))
        call, what = Path("plan").read_text().split()
        if what == "error" and self.calls >= int(call):
            raise RuntimeError("the model is out of order")
        if self.calls == int(call):
            os.kill(os.getpid(), getattr(signal, what))
        return self.model.predict_proba(frame)
'''


@dataclass(frozen=True)
class Signalling:
    """A command whose model sends its own process a signal, or fails, at a chosen call.

    So a signal arrives at the same place in every run: while the model is prepared, or in a chosen
    part of the search.
    """

    folder: Path
    words = (
        *("explain", "many.csv", "--data", "loan.csv", "--outcome", "loan", "-k", "1"),
        *("--model", "signalling.joblib", "--trust-pickle", "--format", "csv"),
    )

    def plan(self, call: int, what: str) -> None:
        """Say at which call of the next run what happens: 'error', or the name of a signal."""
        (self.folder / "plan").write_text(f"{call} {what}")

    @property
    def calls(self) -> int:
        """How often the model of the last run was called."""
        return int((self.folder / "calls").read_text())


WHOLE: dict[str, bytes] = {}
"""What the first run of the command has left; every other one leaves the same."""


@pytest.fixture
def signalling(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Signalling:
    """Such a command, run once to the end: `whole.csv` is what it writes, in several chunks."""
    monkeypatch.setattr("ifonly.solve.chunks.CHUNK", 20_000)
    (folder / "signalling_model.py").write_text(SIGNALLING)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "signalling_model", raising=False)
    made = importlib.import_module("signalling_model")
    model = made.Signalling(joblib.load(folder / "loan.joblib"))
    joblib.dump(model, folder / "signalling.joblib")
    lines = (folder / "loan.csv").read_text().splitlines()
    (folder / "many.csv").write_text("\n".join(lines[:9]) + "\n")
    command = Signalling(folder)
    command.plan(0, "nothing")
    if not WHOLE:
        assert run(*command.words, "--out", "whole.csv").code == 0
        WHOLE.update({name: (folder / name).read_bytes() for name in ("whole.csv", "calls")})
    for name, content in WHOLE.items():
        (folder / name).write_bytes(content)
    return command
