"""From a DataFrame and a model to checked answers: what a user does, on real tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly

K = 4


def piped(estimator: Any) -> Pipeline:
    columns = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, estimator)


def check(answers: ifonly.Answers, features: list[str]) -> pd.DataFrame:
    """Every row found, k lines each, none twice and none the row itself."""
    assert set(answers.status) == {ifonly.Status.FOUND}
    frame = answers.frame()
    assert frame["query"].value_counts().to_list() == [K] * len(answers)
    assert not frame.duplicated(["query", *features]).any()
    assert (frame["changed"] > 0).all()
    return frame


def test_a_forest_pipeline_on_adult() -> None:
    data = ifonly.datasets.load("adult")
    features, outcome = data.features[:8000], data.outcome[:8000]
    model = piped(RandomForestClassifier(30, min_samples_leaf=5, random_state=0, n_jobs=1))
    model.fit(features, outcome)
    rows = features.sample(25, random_state=0)
    answers = ifonly.explain(model, rows, data=features, k=K, seed=0)
    frame = check(answers, list(features.columns))
    wanted = 1 - model.predict(rows)[frame["query"]]
    assert (model.predict(frame[list(features.columns)]) == wanted).all()


def test_logistic_regression_on_german_credit() -> None:
    data = ifonly.datasets.load("german_credit")
    features, outcome = data.features, data.outcome
    model = piped(LogisticRegression(max_iter=2000)).fit(features, outcome)
    rows = features[:50]
    rules = ["age only increases", "foreign_worker fixed"]
    named = {"categorical": data.categorical}
    answers = ifonly.explain(model, rows, data=features, k=K, rules=rules, **named)
    frame = check(answers, list(features.columns))
    own = rows.iloc[frame["query"]].reset_index(drop=True)
    assert (model.predict(frame[list(features.columns)]) == 1 - model.predict(own)).all()
    assert (frame["age"] >= own["age"]).all()
    assert (frame["foreign_worker"] == own["foreign_worker"]).all()


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize(
    "model",
    [LogisticRegression(max_iter=5000), RandomForestClassifier(30, random_state=0)],
    ids=["logistic", "forest"],
)
def test_three_classes(load: Any, model: Any) -> None:
    bunch = load(as_frame=True)
    features, labels = bunch.data, bunch.target_names[bunch.target]
    model = make_pipeline(StandardScaler(), model).fit(features, labels)
    rows = features.iloc[::10]
    wanted = np.resize(bunch.target_names, len(rows))
    wanted = np.where(model.predict(rows) == wanted, np.roll(wanted, 1), wanted)
    keep = model.predict(rows) != wanted
    answers = ifonly.explain(model, rows[keep], data=features, target=list(wanted[keep]), k=K)
    frame = check(answers, list(features.columns))
    assert (model.predict(frame[list(features.columns)]) == wanted[keep][frame["query"]]).all()
    assert (frame["prediction"] == wanted[keep][frame["query"]]).all()


@pytest.mark.parametrize(
    "model",
    [LinearRegression(), RandomForestRegressor(30, random_state=0)],
    ids=["linear", "forest"],
)
@pytest.mark.parametrize("target", [(200, 250), (float("-inf"), 90)], ids=["range", "open end"])
def test_a_regression_with_a_range(model: Any, target: tuple[float, float]) -> None:
    bunch = load_diabetes(as_frame=True, scaled=False)
    features = bunch.data
    model = model.fit(features, bunch.target)
    predicted = model.predict(features)
    rows = features[(predicted < target[0]) | (predicted > target[1])][:20]
    answers = ifonly.explain(model, rows, data=features, target=target, k=K)
    frame = check(answers, list(features.columns))
    again = model.predict(frame[list(features.columns)])
    assert ((again >= target[0]) & (again <= target[1])).all()
    assert np.allclose(frame["prediction"], again)
