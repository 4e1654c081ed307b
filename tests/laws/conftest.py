"""Models of every kind over one small table, which the laws are tried on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import ifonly
from ifonly.solve.method import SEARCHERS

NUMBERS = ["age", "income"]
CATEGORIES = ["job", "married", "grade"]


@dataclass(frozen=True)
class Case:
    """A model, what it is asked for, and its users' own way to predict."""

    model: Any
    data: pd.DataFrame
    predict: Callable[[pd.DataFrame], np.ndarray]
    target: Any = "opposite"
    options: dict[str, Any] = field(default_factory=dict)
    known: dict[str, ifonly.Answers] = field(default_factory=dict)
    """What `answers` has given, by its options; shared with copies of the case."""

    @property
    def rows(self) -> pd.DataFrame:
        """Six rows whose outcome is another than the wanted one."""
        predicted = self.predict(self.data)
        if isinstance(self.target, tuple):
            mask = (predicted < self.target[0]) | (predicted > self.target[1])
        else:
            mask = predicted != self.target
        return self.data[np.asarray(mask)].iloc[:6]

    def explain(self, rows: Any = None, **options: Any) -> ifonly.Answers:
        """The answers to rows, or to the case's own; no frame that goes in is changed."""
        rows = self.rows if rows is None else rows
        settings = {"target": self.target, "k": 3, **self.options, **options}
        before = [frame.copy(deep=True) for frame in (rows, self.data)]
        answers = ifonly.explain(self.model, rows, data=self.data, **settings)
        for frame, copy in zip((rows, self.data), before, strict=True):
            pd.testing.assert_frame_equal(frame, copy, check_exact=True)
        return answers

    def answers(self, **options: Any) -> ifonly.Answers:
        """What `explain` gives for the case's own rows, asked once by all tests."""
        name = str(sorted({**self.options, **options}.items()))
        if name not in self.known:
            self.known[name] = self.explain(**options)
        return self.known[name]

    def right(self, frame: pd.DataFrame, wanted: list[Any]) -> np.ndarray:
        """Whether the users' own prediction of each row of a frame is the wanted outcome."""
        predicted = self.predict(frame)
        if isinstance(self.target, tuple):
            low, high = np.transpose(wanted)
            return np.asarray((predicted >= low) & (predicted <= high))
        return np.asarray(np.asarray(predicted) == np.asarray(wanted))


class Bare:
    """A model with nothing but predict, and labels of text."""

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return np.where(score(frame) > 0, "granted", "refused")


class Disagreeing:
    """A classifier whose predict asks for more than the largest probability."""

    classes_ = np.array(["refused", "granted"])

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        second = 1 / (1 + np.exp(-score(frame)))
        return np.column_stack([1 - second, second])

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return np.where(self.predict_proba(frame)[:, 1] > 0.6, "granted", "refused")


def score(frame: pd.DataFrame) -> np.ndarray:
    raised = frame["job"].map({"Sales": 0.0, "Service": 0.3, "Other, rare": -0.5}).to_numpy(float)
    income = (frame["income"] - 3200).to_numpy(float)
    return np.asarray(income / 800 + raised + 0.4 * frame["married"])


@cache
def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n = 160
    grade = pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], True)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.round(rng.lognormal(8, 0.4, n), 1),
            "job": rng.choice(["Sales", "Service", "Other, rare"], n),
            "married": rng.random(n) < 0.5,
            "grade": grade,
        },
        index=pd.Index(np.arange(n) * 7 + 3, name="applicant"),
    )


def piped(estimator: Any) -> Pipeline:
    columns = make_column_transformer((StandardScaler(), NUMBERS), (OneHotEncoder(), CATEGORIES))
    return make_pipeline(columns, estimator)


@cache
def case_of(name: str) -> Case:
    data = table()
    truth = score(data) + np.random.default_rng(1).normal(0, 0.3, len(data))
    labels = np.where(truth > 0, "granted", "refused")
    bands = np.digitize(truth, [-0.7, 0.7])
    wanted: Any = "granted"
    options: dict[str, Any] = {}
    if name == "logistic":
        model = piped(LogisticRegression()).fit(data, labels)
    elif name == "network":
        network = MLPClassifier(6, max_iter=3000, random_state=0, tol=1e-3)
        model = piped(network).fit(data, labels)
    elif name == "forest":
        model = piped(RandomForestClassifier(6, random_state=0)).fit(data, labels)
    elif name == "support vectors":
        model = piped(SVC()).fit(data, labels)
    elif name == "three classes":
        model, wanted = piped(LogisticRegression()).fit(data, bands), 2
    elif name == "linear regression":
        model, wanted = piped(LinearRegression()).fit(data, truth), (0.2, 1.1)
    elif name == "forest regression":
        forest = RandomForestRegressor(6, random_state=0)
        model, wanted = piped(forest).fit(data, truth), (0.2, float("inf"))
    elif name == "bare labels":
        model = Bare()
    elif name == "disagreeing":
        model = Disagreeing()
    elif name == "threshold":
        model, options = Disagreeing(), {"threshold": 0.8}
        return Case(model, data, _over(model, 0.8), wanted, options)
    elif name == "function":
        model = ifonly.as_model(Bare().predict, classes=["refused", "granted"], gives="labels")
        return Case(model, data, Bare().predict, wanted)
    return Case(model, data, model.predict, wanted, options)


def _over(model: Any, threshold: float) -> Callable[[pd.DataFrame], np.ndarray]:
    def predict(frame: pd.DataFrame) -> np.ndarray:
        return np.where(model.predict_proba(frame)[:, 1] >= threshold, "granted", "refused")

    return predict


CASES = (
    "logistic",
    "network",
    "forest",
    "support vectors",
    "three classes",
    "linear regression",
    "forest regression",
    "bare labels",
    "disagreeing",
    "threshold",
    "function",
)


DESCENDING = ("logistic", "network", "three classes", "linear regression")
"""The models that have a gradient."""
NEEDS = {"gradient": DESCENDING, "exact": ("logistic", "linear regression")}
"""The models that a method can look inside of; the exact one takes its time."""


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param)


@pytest.fixture(
    params=[(c, m) for c in CASES for m in SEARCHERS if c in NEEDS.get(m, CASES)],
    ids=lambda pair: f"{pair[0]} by {pair[1]}",
)
def asked(request: pytest.FixtureRequest) -> Case:
    """Every case with every method that can answer it."""
    name, method = request.param
    case = case_of(name)
    return replace(case, options={**case.options, "method": method})
