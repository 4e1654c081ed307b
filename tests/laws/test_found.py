"""Laws that mistakes have taught: each was broken once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import ifonly
from ifonly.models import Dense
from ifonly.rules import Box
from ifonly.search import Engine


def test_a_bound_with_decimals_holds_in_a_space_described_with_whole_numbers() -> None:
    space = ifonly.Space.describe(
        {"name": "a", "low": 0, "high": 90, "decimals": 2, "mad": 10},
        {"name": "b", "low": 0, "high": 9, "mad": 2},
    )
    model = ifonly.as_model(lambda frame: frame["a"] + frame["b"] > 20, classes=["no", "yes"])
    rows = pd.DataFrame({"a": [5.0, 10.25], "b": [1, 2]})
    rules = ["a between 28.75 and 90", "b fixed"]
    answers = ifonly.explain(model, rows, space=space, rules=rules, k=3)
    assert answers.filled.all()
    assert (answers.points[:, :, 0] >= 28.75).all()
    assert (answers.points[:, :, 1] == answers.x[:, None, 1]).all()


def test_a_bound_on_the_value_grid_is_allowed_itself() -> None:
    space = ifonly.Space.describe({"name": "a", "low": 0, "high": 1e7, "decimals": 2, "mad": 10})
    bounds = np.round(np.random.default_rng(0).uniform(1e6, 9e6, 500), 2)
    for bound in bounds:
        box = Box.whole(space, np.array([[0.0]])).within(0, bound, 1e7)
        assert box.contains(np.array([[[bound]]])).all(), bound


def rare(frame: pd.DataFrame) -> pd.DataFrame:
    """A column that depends on two features at once, in a corner that few rows reach."""
    corner = (frame["x"] > 95) & (frame["y"] > 95)
    return frame.assign(corner=corner.astype(float))


def test_a_regression_is_judged_by_the_pipeline_and_not_by_tables() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"x": rng.integers(0, 94, 300), "y": rng.integers(0, 94, 300)})
    data = pd.concat([data, pd.DataFrame({"x": [100] * 6, "y": [100] * 6})], ignore_index=True)
    outcome = np.where((data["x"] > 95) & (data["y"] > 95), 0.0, data["x"] + data["y"])
    model = make_pipeline(FunctionTransformer(rare), RandomForestRegressor(10, random_state=0))
    model.fit(data, outcome)
    answers = ifonly.explain(model, data[:15], data=data, k=3, target=(120, 400))
    predicted = model.predict(answers.frame()[["x", "y"]])
    assert ((predicted >= 120) & (predicted <= 400)).all()
    assert np.allclose(predicted, answers.frame()["score"])


def test_numbers_far_from_zero_are_told_apart() -> None:
    start = 1_600_000_000
    space = ifonly.Space.describe({"name": "t", "low": start, "high": start + 1000, "mad": 100})
    model = Dense([(np.array([[10.0]]), np.array([-8.0]))], space, ("no", "yes"))
    rows = pd.DataFrame({"t": [start + 100, start + 500]})
    answers = ifonly.explain(model, rows, space=space, k=1, method=Engine("thorough"))
    assert (answers.points[:, 0, 0] - start <= 825).all()


def test_the_frontier_keeps_the_users_other_knobs() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.integers(0, 50, 200), "b": rng.integers(0, 50, 200)})
    model = ifonly.as_model(lambda frame: frame["a"] + frame["b"] > 60, classes=["no", "yes"])
    space = ifonly.Space.infer(data, sparsity=2.0)
    free = Engine(nearest=False)
    answers = ifonly.explain(model, data[:10], data=data, k=3, space=space, method=free)
    sets = answers.frontier([0.9])
    again = ifonly.explain(
        model, data[:10], data=data, k=3, space=space, method=free, diversity=0.9
    )
    assert sets[0.9].metrics()["changed"].mean() <= again.metrics()["changed"].mean() + 0.5


@pytest.mark.parametrize("method", ["auto", "gradient"])
def test_an_explainer_of_layers_pickles_after_use(method: str) -> None:
    space = ifonly.Space.describe({"name": "a", "low": 0, "high": 9, "mad": 2})
    model = Dense([(np.array([[1.0]]), np.array([-0.5]))], space, ("no", "yes"))
    explainer = ifonly.Explainer(model, space=space, method=method)
    rows = pd.DataFrame({"a": [1]})
    before = explainer.explain(rows, k=2)
    after = pickle.loads(pickle.dumps(explainer)).explain(rows, k=2)
    assert np.array_equal(before.points, after.points)


def test_models_without_data_have_fingerprints_of_their_own() -> None:
    space = ifonly.Space.describe({"name": "a", "low": 0, "high": 9, "mad": 2})
    prints = {
        ifonly.Explainer(
            ifonly.as_model(lambda frame, s=slope: s * frame["a"] / 10, classes=[0, 1]), space=space
        ).setting.fingerprint
        for slope in (0.2, 0.9)
    }
    assert len(prints) == 2


@pytest.mark.parametrize("options", [{}, {"handle_unknown": "ignore"}])
def test_numbers_that_the_model_takes_for_categories_are_asked_about(options: Any) -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"zip": rng.choice([10, 20, 50], 200), "x": rng.normal(size=200).round(2)})
    outcome = ((data["zip"] == 50) | (data["x"] > 1)).astype(int)
    encode = make_column_transformer((OneHotEncoder(**options), ["zip"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression()).fit(data, outcome)
    with pytest.raises(ifonly.IfonlyError, match=r"'zip' as categories"):
        ifonly.explain(model, data[:3], data=data)
    answers = ifonly.explain(model, data[:3], data=data, categorical=["zip"])
    assert set(answers.frame()["zip"]) <= {10, 20, 50}


def test_a_range_that_its_decimals_cannot_write_is_refused() -> None:
    with pytest.raises(ifonly.IfonlyError, match="decimals"):
        ifonly.Continuous("a", 0.5, 9)


@pytest.mark.parametrize("k", [1, 4])
def test_every_change_of_a_minimal_answer_is_needed(k: int) -> None:
    train, test = ifonly.datasets.load("german_credit").split()
    names = list(train.categorical)
    numbers = [name for name in train.features if name not in names]
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), names), (StandardScaler(), numbers)
    )
    model = make_pipeline(encode, LogisticRegression(max_iter=500))
    model.fit(train.features, train.outcome)
    rows = test.features[:40]
    answers = ifonly.explain(
        model, rows, data=train.features, k=k, method=Engine(), categorical=names
    )
    assert answers.filled.all()
    frame, columns = answers.frame(), list(train.features.columns)
    assert not frame.duplicated(["query", *columns]).any()
    for name in columns:
        back = frame[columns].copy()
        back[name] = rows[name].to_numpy()[frame["query"]]
        changed = (back[name] != frame[name]).to_numpy()
        lost = model.predict(back) != frame["prediction"].to_numpy()
        assert lost[changed].all(), name
