"""Missing values: kept by default, filled in or left out where the space says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import ifonly
from ifonly.solve.method import SEARCHERS

METHODS = sorted(set(SEARCHERS) - {"gradient", "exact", "surrogate"})


@pytest.fixture(scope="module")
def model(adult: Any, gaps: pd.DataFrame) -> HistGradientBoostingClassifier:
    """A model that takes missing values."""
    _, outcome, _ = adult
    return HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=20).fit(
        gaps, outcome
    )


@pytest.fixture(scope="module")
def rows(gaps: pd.DataFrame) -> pd.DataFrame:
    """Rows that lack an age or an occupation, and some that lack nothing."""
    lacking = gaps[gaps["age"].isna() | gaps["occupation"].isna()]
    return pd.concat([lacking[:10], gaps[gaps.notna().all(axis=1)][:4]])


@pytest.mark.parametrize("method", METHODS)
def test_an_answer_keeps_a_missing_value_and_makes_none(
    model: Any, gaps: pd.DataFrame, rows: pd.DataFrame, method: str
) -> None:
    answers = ifonly.explain(model, rows, data=gaps, k=3, method=method)
    frame = answers.frame()
    assert (model.predict(frame[list(gaps.columns)]) == frame["prediction"]).all()
    assert (frame.dtypes[gaps.columns] == gaps.dtypes).all()
    lacked = np.isnan(answers.x)[frame["query"]]
    assert (frame[list(gaps.columns)].isna().to_numpy() == lacked).all()
    if method == "auto":
        assert set(answers.status) == {ifonly.Status.FOUND}


def described(gaps: pd.DataFrame, **flags: bool) -> ifonly.Space:
    space = ifonly.Space.infer(gaps)
    features = [replace(f, **flags) if f.missing else f for f in space.features]
    return ifonly.Space(tuple(features), space.library)


def test_a_fillable_value_may_be_filled_in(model: Any, gaps: pd.DataFrame, rows: Any) -> None:
    answers = ifonly.explain(model, rows, space=described(gaps, fillable=True), k=8, diversity=0.9)
    lacked = np.isnan(answers.x)[:, None] & answers.filled[:, :, None]
    filled_in = lacked & ~np.isnan(answers.points)
    made = ~np.isnan(answers.x)[:, None] & np.isnan(answers.points)
    assert filled_in.any()
    assert not made.any()
    frame = answers.frame()
    assert (model.predict(frame[list(gaps.columns)]) == frame["prediction"]).all()


def test_an_erasable_value_may_go_missing(model: Any, gaps: pd.DataFrame, rows: Any) -> None:
    answers = ifonly.explain(model, rows, space=described(gaps, erasable=True), k=8, diversity=0.9)
    made = ~np.isnan(answers.x)[:, None] & np.isnan(answers.points) & answers.filled[:, :, None]
    filled_in = np.isnan(answers.x)[:, None] & ~np.isnan(answers.points)
    assert made.any()
    assert not (filled_in & answers.filled[:, :, None]).any()
    frame = answers.frame()
    assert (model.predict(frame[list(gaps.columns)]) == frame["prediction"]).all()


def test_a_rule_on_a_feature_keeps_it_from_going_missing(
    model: Any, gaps: pd.DataFrame, rows: Any
) -> None:
    space = described(gaps, erasable=True)
    rules = ["age only increases", "occupation fixed"]
    answers = ifonly.explain(model, rows, space=space, rules=rules, k=4, diversity=0.9)
    made = ~np.isnan(answers.x)[:, None] & np.isnan(answers.points)
    assert not made.any()


def test_gaps_need_a_feature_that_may_be_missing() -> None:
    with pytest.raises(ifonly.IfonlyError, match="may not be missing"):
        ifonly.Continuous("age", 0, 99, fillable=True)
