"""The user's own model decides about rows and answers; a faster route is for the search alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

import ifonly
from ifonly.solve.method import SEARCHERS


def confirmed(model: Any, data: pd.DataFrame, rows: pd.DataFrame, **options: Any) -> ifonly.Answers:
    """Answers whose rows and points the model itself has confirmed."""
    answers = ifonly.explain(model, rows, data=data, k=2, **options)
    own = model.predict(rows)
    assert np.array_equal(answers.predicted, own)
    frame = answers.frame()
    told = model.predict(frame[list(data.columns)])
    assert np.array_equal(told, frame["prediction"])
    assert (told != own[frame["query"]]).all()
    scores = model.predict_proba(frame[list(data.columns)])
    assert np.allclose(scores[np.arange(len(frame)), told], frame["score"], rtol=0, atol=1e-9)
    return answers


@pytest.mark.parametrize("boosted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_features_that_interact_in_a_pipeline_are_seen(boosted: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 4000
    data = pd.DataFrame(
        {
            "defaulted": (rng.random(n) < 0.04).astype(int),
            "fresh": (rng.random(n) < 0.04).astype(int),
            "points": rng.integers(0, 5000, n),
        }
    )
    both = (data["defaulted"] == 1) & (data["fresh"] == 1)
    outcome = ((data["points"] > 2000) & ~both).astype(int)
    columns = (
        PolynomialFeatures(interaction_only=True, include_bias=False),
        ["defaulted", "fresh"],
    )
    last = (
        GradientBoostingClassifier(n_estimators=20)
        if boosted
        else LogisticRegression(C=100, max_iter=5000)
    )
    encode = make_column_transformer(columns, remainder="passthrough")
    model = make_pipeline(encode, last).fit(data, outcome)
    answers = confirmed(model, data, data[both][:8])
    assert answers.filled.all()


def flagged(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray((frame["claims"] == 6) & (frame["amount"] == 250))


def with_flag(frame: pd.DataFrame) -> np.ndarray:
    return np.column_stack([frame.to_numpy(float), flagged(frame)])


@pytest.mark.parametrize("method", ["auto", "edits", "neighbours"])
def test_a_route_that_contradicts_the_model_is_dropped_and_reported(method: str) -> None:
    rng = np.random.default_rng(0)
    n = 3000
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "claims": rng.integers(0, 12, n),
            "amount": rng.integers(0, 500, n),
        }
    )
    rare = pd.DataFrame({"age": [30, 70] * 4, "claims": 6, "amount": 250})
    whole = pd.concat([data[~flagged(data)], rare], ignore_index=True)
    outcome = np.where(flagged(whole), whole["age"] <= 50, whole["age"] > 50).astype(int)
    last = RandomForestClassifier(10, random_state=0, max_features=None)
    model = make_pipeline(FunctionTransformer(with_flag), last).fit(whole, outcome)
    # The data that ifonly sees have no such row, and random points hardly ever have.
    explainer = ifonly.Explainer(model, data=whole[~flagged(whole)], method=method)
    ordinary = explainer.explain(data[:3], k=2)
    assert ordinary.record["route"] == "leaves of its trees"
    rows = rare[:2]
    answers = explainer.explain(rows, k=2)
    assert (answers.record["contradicted"], answers.record["route"]) == (True, "the model itself")
    assert np.array_equal(answers.predicted, model.predict(rows))
    frame = answers.frame()
    assert np.array_equal(model.predict(frame[list(data)]), frame["prediction"])
    assert (frame["prediction"] != np.asarray(answers.predicted)[frame["query"]]).all()


class Reusing:
    """A model that returns the same array each time."""

    classes_ = np.array([0, 1])

    def __init__(self) -> None:
        self.buffer = np.zeros((100_000, 2))

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        second = 1 / (1 + np.exp(-(frame["a"].to_numpy() - 25) / 5))
        self.buffer[: len(frame)] = np.column_stack([1 - second, second])
        return self.buffer[: len(frame)]

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(frame["a"] > 25, dtype=int)


def test_a_model_may_use_its_output_array_again() -> None:
    data = pd.DataFrame({"a": np.random.default_rng(0).integers(0, 50, 300)})
    answers = ifonly.explain(Reusing(), data[:5], data=data, k=2)
    second = 1 / (1 + np.exp(-(data["a"][:5].to_numpy() - 25) / 5))
    assert np.allclose(
        answers.row_score, np.where(np.array(answers.wanted) == 1, second, 1 - second)
    )


class Counting:
    """A function that counts the rows that it is asked about."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.rows += len(frame)
        return np.asarray(frame["a"] / 45 + frame["b"] > 1, dtype=float)


@pytest.mark.parametrize("method", sorted(set(SEARCHERS) - {"gradient", "exact", "surrogate"}))
@pytest.mark.parametrize("rows", [1, 10, 100, 1000, 20_000])
def test_a_budget_of_model_rows_is_never_exceeded(method: str, rows: int) -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.integers(0, 90, 500), "b": rng.normal(size=500).round(2)})
    count = Counting()
    explainer = ifonly.Explainer(ifonly.as_model(count, classes=[0, 1]), data=data, method=method)
    count.rows = 0
    answers = explainer.explain(data[:40], k=4, budget={"model_rows": rows})
    assert count.rows <= rows
    assert answers.record["model_rows"] == count.rows
    assert answers.frame()["score"].notna().all()
    unknown = [one is None for one in answers.predicted]
    assert all(answers.status[i] == "skipped" for i in np.flatnonzero(unknown))
    assert len(answers.sentences()) == 40
    assert len(answers.to_html()) > 0
    assert ifonly.Answers.from_json(answers.to_json()).predicted == answers.predicted
    if rows == 20_000:
        assert answers.filled.any()


@pytest.mark.parametrize("method", ["gradient", "exact"])
@pytest.mark.parametrize("rows", [1, 30, 300, 3000])
def test_a_budget_holds_for_methods_that_know_the_model(method: str, rows: int) -> None:
    if method == "exact":
        pytest.importorskip("highspy")
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.integers(0, 90, 500), "b": rng.normal(size=500).round(2)})
    model = LogisticRegression(max_iter=500).fit(data, data["a"] / 45 + data["b"] > 1)
    asked = data[:12].assign(b=lambda frame: frame["b"] + 9 * (frame.index % 2))
    answers = ifonly.explain(
        model, asked, data=data, k=2, method=method, budget={"model_rows": rows}
    )
    assert answers.record["model_rows"] <= rows
    assert answers.frame()["score"].notna().all()


class Cut(ClassifierMixin, BaseEstimator):
    """A last step that decides at a threshold which nobody would guess."""

    def fit(self, matrix: np.ndarray, outcome: np.ndarray) -> Cut:
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, matrix: np.ndarray) -> np.ndarray:
        second = 1 / (1 + np.exp(-matrix.sum(axis=1)))
        return np.column_stack([1 - second, second])

    def predict(self, matrix: np.ndarray) -> np.ndarray:
        return (self.predict_proba(matrix)[:, 1] >= 0.30471234).astype(int)


def test_rows_between_the_threshold_that_was_found_and_the_real_one_are_the_models() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.integers(0, 900, 800), "b": rng.integers(0, 900, 800)})
    model = make_pipeline(StandardScaler(), Cut()).fit(data, np.zeros(800))
    grid = pd.DataFrame(
        {"a": np.repeat(np.arange(300, 420), 9), "b": np.tile(np.arange(200, 380, 20), 120)}
    )
    score = model.predict_proba(grid)[:, 1]
    near = grid[abs(score - 0.30471234) < 2e-3][:40]
    answers = confirmed(model, data, near)
    assert len(near) > 10
    assert answers.filled.any(axis=1).all()


class Refusing:
    """A model that refuses rows with some values."""

    classes_ = np.array([0, 1])

    def __init__(self, refused: Any) -> None:
        self.refused, self.rows = refused, 0

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        self.rows += len(frame)
        if self.refused(frame).any():
            raise ValueError("such a row cannot be")
        second = 1 / (1 + np.exp(-(frame["a"] + frame["b"] - 20).to_numpy() / 3.0))
        return np.column_stack([1 - second, second])

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.predict_proba(frame)[:, 1] > 0.5, dtype=int)


SMALL = pd.DataFrame({"a": np.arange(300) % 21, "b": np.arange(300) * 7 % 23})


def test_a_model_that_refuses_rows_like_nobody_can_be_explained() -> None:
    ordered = SMALL[SMALL["a"] <= SMALL["b"]]
    model = Refusing(lambda frame: frame["a"] > frame["b"])
    answers = ifonly.explain(model, ordered[:20], data=ordered, k=2, rules=["a <= b"])
    assert (answers.frame()["a"] <= answers.frame()["b"]).all()
    assert answers.filled.any(axis=1).all()


def test_a_candidate_that_the_model_refuses_is_no_answer_and_fails_no_row() -> None:
    model = Refusing(lambda frame: frame["a"] == 13)
    data = SMALL[SMALL["a"] != 13]
    rows = pd.concat([data[:6], SMALL[SMALL["a"] == 13][:1]])
    answers = ifonly.explain(model, rows, data=data, k=2)
    assert [str(status) for status in answers.status] == ["found"] * 6 + ["failed"]
    assert (answers.frame()["a"] != 13).all()


@pytest.mark.parametrize("budget", [7.5, 45, 60, 1e5])
def test_a_budget_holds_where_the_model_refuses_rows(budget: float) -> None:
    model = Refusing(lambda frame: (frame["a"] == 7) & (frame["b"] == 7))
    rows = pd.concat([SMALL[:19], pd.DataFrame({"a": [7], "b": [7]})])
    explainer = ifonly.Explainer(model, data=SMALL[(SMALL["a"] != 7) | (SMALL["b"] != 7)])
    model.rows = 0
    answers = explainer.explain(rows, k=2, budget={"model_rows": budget})
    assert model.rows <= budget
    assert answers.record["model_rows"] >= model.rows
    known = np.array([one is not None for one in answers.predicted])
    assert np.isfinite(answers.row_score[known]).all()


def test_rows_that_fail_in_any_order_fail_alone() -> None:
    model = Refusing(lambda frame: frame["a"] > 100)
    rows = pd.concat([SMALL[:130]]).astype({"a": float})
    rows.iloc[::2, 0] = 101.0
    answers = ifonly.explain(model, rows, data=SMALL.astype({"a": float}), k=1)
    assert [str(one) == "failed" for one in answers.status] == [True, False] * 65


def test_a_row_that_the_pipeline_refuses_leaves_the_route_to_the_others() -> None:
    def checked(frame: pd.DataFrame) -> np.ndarray:
        if ((frame["a"] == 7) & (frame["b"] == 8)).any():
            raise ValueError("such a row cannot be")
        return frame.to_numpy(float)

    data = SMALL[(SMALL["a"] != 7) | (SMALL["b"] != 8)]
    model = make_pipeline(FunctionTransformer(checked), RandomForestClassifier(5, random_state=0))
    model.fit(data, data["a"] + data["b"] > 20)
    explainer = ifonly.Explainer(model, data=data)
    if explainer.explain(data[:2], k=1).record["route"] != "leaves of its trees":
        pytest.skip("a random point has met the row that is refused")
    answers = explainer.explain(pd.DataFrame({"a": [7, 3], "b": [8, 3]}), k=1)
    assert [str(one) for one in answers.status] == ["failed", "found"]
    assert not answers.record["contradicted"]
    assert explainer.explain(data[:2], k=1).record["route"] == "leaves of its trees"
