"""Demands on answers from the command line: other models, a margin, a tolerance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import skops.io
from sklearn.tree import DecisionTreeClassifier

from ifonly import Answers

from .conftest import fitted, lender_frame


@pytest.fixture
def other(folder: Path) -> Any:
    model = fitted(DecisionTreeClassifier(max_depth=4, random_state=0), lender_frame(), "loan")
    skops.io.dump(model, folder / "other.skops")
    return model


def test_another_model_agrees_with_every_answer(explain: Any, other: Any) -> None:
    asked = ("--format", "json", "--robust", "other.skops", "--trust", "sklearn.tree._tree.Tree")
    answers = Answers.from_json(explain(*asked, "-k", "2").out)
    found = answers.frame()
    assert set(other.predict(found[["income", "debt", "job"]])) == {"granted"}
    assert (answers.agreeing == 1).all()
    assert answers.record["robust"] == [{"models": ["Pipeline"], "share": 1.0}]


@pytest.mark.parametrize("option", ["--robust-share", "--robust-deviations"])
def test_how_to_agree_without_other_models_is_refused(explain: Any, option: str) -> None:
    ran = explain(option, "0.5")
    assert ran.code == 2
    assert f"{option} 0.5 has no effect without --robust." in ran.err


def test_every_score_is_a_margin_beyond_the_threshold(explain: Any) -> None:
    answers = Answers.from_json(explain("--format", "json", "--margin", "0.2").out)
    assert (answers.score >= 0.7).all()
    assert answers.record["margin"] == 0.2


def test_the_outcome_stays_within_a_tolerance(explain: Any) -> None:
    asked = ("-k", "2", "--tolerance", "income=100", "--tolerance", "debt=50")
    ran = explain(*asked)
    assert ran.code == 0
    assert "It stays everywhere within the tolerance, proved." in " ".join(ran.out.split())
    answers = Answers.from_json(explain(*asked, "--format", "json").out)
    assert (answers.tolerated == 1).all()


@pytest.mark.parametrize("stated", ["salary=100", "job=1", "income=-5", "income=much"])
def test_a_tolerance_that_means_nothing_is_refused(explain: Any, stated: str) -> None:
    ran = explain("--tolerance", stated)
    assert (ran.code, ran.out) == (2, "")
    assert stated.split("=")[0] in ran.err
