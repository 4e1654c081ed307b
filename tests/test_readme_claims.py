"""What the README and the pages beside it promise holds, and stands there in these words."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ifonly
from ifonly.cli import main
from ifonly.errors import OptionError

ROOT = Path(__file__).parents[1]
README, OPTIONS, COMMANDS = (
    " ".join((ROOT / page).read_text(encoding="utf-8").split())
    for page in ("README.md", "docs/options.md", "docs/command-line.md")
)
RNG = np.random.default_rng(0)
DATA = pd.DataFrame({"income": RNG.integers(10, 90, 300), "debt": RNG.integers(0, 50, 300)})
GRANTED = (DATA["income"] - DATA["debt"] > 30).astype(int)
MODEL = make_pipeline(StandardScaler(), LogisticRegression()).fit(DATA, GRANTED)
REFUSED = DATA[GRANTED == 0][:6]


class Counting:
    """A model that counts its rows, and rejects negative debts."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, frame: pd.DataFrame) -> Any:
        if (frame["debt"] < 0).any():
            raise ValueError("debts are at least 0")
        self.rows += len(frame)
        return MODEL.predict_proba(frame)


def test_the_readme_is_the_first_minute_of_a_stranger() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
    for part in ("make demo", "ifonly serve --demo", "import ifonly", "| model | library |"):
        assert any(part in line for line in lines)


def test_the_pages_list_every_extra() -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = set(stated["project"]["optional-dependencies"]) - {"dev"}
    table = OPTIONS.partition("| extra |")[2].partition("##")[0]
    assert {extra for extra in extras if f"`{extra}`" not in table} == set()


def explain(model: Any = MODEL, rows: pd.DataFrame = REFUSED, **options: Any) -> ifonly.Answers:
    return ifonly.explain(model, rows, data=DATA, k=2, **options)


def test_a_row_without_an_answer_says_why_and_leaves_the_others_alone() -> None:
    assert "A row without an answer has a status that says why, and does not affect" in README
    rows = REFUSED.assign(debt=[-5, *REFUSED["debt"][1:]])
    asked = ifonly.Explainer(ifonly.as_model(Counting(), classes=[0, 1]), data=DATA)
    answers = asked.explain(rows, k=2, row_rules={1: ["income fixed", "debt fixed"]})
    assert [str(status) for status in answers.status[:2]] == ["failed", "infeasible"]
    assert "debts are at least 0" in str(answers.notes[0])
    alone = asked.explain(REFUSED[2:], k=2)
    pd.testing.assert_frame_equal(
        answers[2:].frame().drop(columns="query"), alone.frame().drop(columns="query")
    )


@pytest.mark.parametrize("per_row", [False, True])
def test_a_budget_of_model_rows_includes_preparation(per_row: bool) -> None:
    assert '`{"model_rows": n}`, `{"model_rows_per_row": n}`, preparation included' in OPTIONS
    model = Counting()
    most = 100 * len(REFUSED) if per_row else 700
    budget = {"model_rows_per_row": 100} if per_row else {"model_rows": most}
    explain(ifonly.as_model(model, classes=[0, 1]), budget=budget)
    assert 0 < model.rows <= most


def test_an_option_that_the_method_does_not_use_is_an_error() -> None:
    assert "An option that the chosen method does not use raises an error" in OPTIONS
    with pytest.raises(OptionError, match="diversity"):
        explain(method="exact", diversity=0.9)


def test_a_recorded_question_is_repeated() -> None:
    assert "`ifonly.explain_again(answers.record, model, rows, data=train)` repeats" in OPTIONS
    answers = explain(rules=["debt only decreases"], diversity=0.3)
    again = ifonly.explain_again(answers.record, MODEL, REFUSED, data=DATA)
    pd.testing.assert_frame_equal(answers.frame(), again.frame())


def test_the_exit_codes_and_the_trust_in_pickle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        "Exit codes: 0 every row answered, 3 some rows without k answers, 2 bad input" in COMMANDS
    )
    assert "Pickle, joblib and `.pt2` files run code when they are opened, so they need" in COMMANDS
    DATA.assign(loan=GRANTED).to_csv(tmp_path / "train.csv", index=False)
    REFUSED.to_csv(tmp_path / "rows.csv", index=False)
    joblib.dump(MODEL, tmp_path / "model.joblib")
    files = {name: str(tmp_path / name) for name in ("rows.csv", "train.csv", "model.joblib")}
    command = ["explain", files["rows.csv"], "--data", files["train.csv"], "--outcome", "loan"]
    command += ["--model", files["model.joblib"]]
    assert ended(command) == 2
    assert "--trust-pickle" in capsys.readouterr().err
    command += ["--trust-pickle"]
    assert ended(command) == 0
    assert ended([*command, "--rule", "income fixed", "--rule", "debt fixed"]) == 3


def ended(command: list[str]) -> Any:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as end:
        main(command)
    return end.value.code
