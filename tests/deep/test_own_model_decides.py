"""The user's own model decides about the rows and about every answer, whatever it is made of.

Random tables, and pipelines of steps that mix features, flag rare combinations, cut into bins or
replace values; behind them estimators whose `predict` is the largest probability, a threshold of
their own, or something else altogether.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import ifonly
from ifonly.search import Engine

NUMBERS, FLAGS, NAMES = ["amount", "points"], ["late", "new"], ["job", "zone"]


class Deciding(ClassifierMixin, BaseEstimator):
    """A classifier whose `predict` is not the largest of `predict_proba`, in one of many ways."""

    def __init__(self, inner: Any, way: str, cut: float) -> None:
        self.inner, self.way, self.cut = inner, way, cut

    def fit(self, frame: Any, outcome: Any) -> Deciding:
        self.inner_ = self.inner.fit(frame, outcome)
        self.classes_ = self.inner_.classes_
        self.buffer_ = np.zeros((100_000, len(self.classes_)))
        return self

    def predict_proba(self, frame: Any) -> np.ndarray:
        given = self.inner_.predict_proba(frame)
        if self.way != "buffer":
            return np.asarray(given)
        self.buffer_[: len(given)] = given
        return self.buffer_[: len(given)]

    def predict(self, frame: Any) -> np.ndarray:
        second = np.array(self.inner_.predict_proba(frame))[:, 1]
        if self.way == "reached":
            return np.asarray(self.classes_[(second >= self.cut).astype(int)])
        if self.way == "above":
            return np.asarray(self.classes_[(second > self.cut).astype(int)])
        if self.way == "band":
            return np.asarray(self.classes_[(abs(second - self.cut) < 0.15).astype(int)])
        return np.asarray(self.classes_[(second > 0.5).astype(int)])


def table(rng: np.random.Generator, n: int = 2500) -> tuple[pd.DataFrame, np.ndarray]:
    data = pd.DataFrame(
        {
            "amount": rng.gamma(2, 700, n).round(int(rng.integers(0, 3))),
            "points": rng.integers(0, int(rng.choice([12, 90, 4000])), n),
            "late": (rng.random(n) < 0.04).astype(int),
            "new": rng.random(n) < 0.04,
            "job": rng.choice(["clerk", "driver", "None", "nurse"], n),
            "zone": rng.choice(["01", "02", "1"], n),
        }
    )
    both = (data["late"] == 1) & data["new"]
    sum_ = (data["points"] / data["points"].max() - 0.5) * 4 + (data["amount"] - 1200) / 900
    sum_ += rng.normal(0, 1.5) * (data["job"] == "None") + rng.normal(0, 0.4, n)
    outcome = ((sum_ > rng.normal(0, 1)) ^ both).to_numpy(copy=True)
    outcome[:4] = [True, False, True, False]
    return data, outcome.astype(int)


def steps(rng: np.random.Generator) -> list[Any]:
    numbers = [
        StandardScaler(),
        "passthrough",
        PolynomialFeatures(2, include_bias=False),
        KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"),
    ][int(rng.integers(4))]
    flags = [
        "passthrough",
        PolynomialFeatures(interaction_only=True, include_bias=False),
        FunctionTransformer(_both_flags),
    ][int(rng.integers(3))]
    names = [
        OneHotEncoder(),
        OneHotEncoder(drop="first"),
        OneHotEncoder(sparse_output=False),
        OrdinalEncoder(),
    ][int(rng.integers(4))]
    encode = make_column_transformer((numbers, NUMBERS), (flags, FLAGS), (names, NAMES))
    before = [FunctionTransformer(_replaced)] if rng.random() < 0.3 else []
    after = [FunctionTransformer(_dense), StandardScaler()] if rng.random() < 0.3 else []
    return [*before, encode, FunctionTransformer(_dense), *after]


def _both_flags(frame: pd.DataFrame) -> np.ndarray:
    values = frame.to_numpy(float)
    return np.column_stack([values, values.all(axis=1)])


def _replaced(frame: pd.DataFrame) -> pd.DataFrame:
    """A step that takes a value in the middle of the range for another."""
    return frame.assign(amount=frame["amount"].where(frame["amount"].round() != 999, 20.0))


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)


def estimator(rng: np.random.Generator) -> Any:
    seed = int(rng.integers(1000))
    made: list[Callable[[], Any]] = [
        lambda: LogisticRegression(max_iter=2000, C=float(rng.choice([0.1, 1, 30]))),
        lambda: RandomForestClassifier(int(rng.integers(2, 21)), random_state=seed),
        lambda: ExtraTreesClassifier(10, min_samples_leaf=3, random_state=seed),
        lambda: DecisionTreeClassifier(max_depth=int(rng.integers(2, 9)), random_state=seed),
        lambda: GradientBoostingClassifier(n_estimators=15, random_state=seed),
        lambda: HistGradientBoostingClassifier(max_iter=15, random_state=seed),
        lambda: XGBClassifier(n_estimators=12, max_depth=4, random_state=seed),
        lambda: MLPClassifier((8,), max_iter=150, tol=1e-2, random_state=seed),
        lambda: GaussianNB(),
        lambda: KNeighborsClassifier(int(rng.choice([4, 7]))),
        lambda: SVC(kernel="rbf", gamma=0.2),
        lambda: LinearSVC(max_iter=20_000),
        lambda: CalibratedClassifierCV(GaussianNB(), cv=3),
        lambda: VotingClassifier([("a", GaussianNB()), ("b", DecisionTreeClassifier())]),
    ]
    return made[int(rng.integers(len(made)))]()


def wrapped(rng: np.random.Generator, inner: Any) -> Any:
    """The estimator, or one that decides by a rule of its own on top of it."""
    cut = float(rng.choice([0.1, 0.2, 0.37, 0.5, 0.62, 0.8]))
    if not hasattr(inner, "predict_proba") or rng.random() < 0.35:
        return inner
    way = str(rng.choice(["fixed", "tuned", "above", "reached", "band", "buffer"]))
    if way == "fixed":
        return FixedThresholdClassifier(inner, threshold=cut, pos_label=1)
    if way == "tuned":
        return TunedThresholdClassifierCV(inner, cv=2, thresholds=20, scoring="balanced_accuracy")
    return Deciding(inner, way, cut)


@pytest.mark.draws(24)
@pytest.mark.filterwarnings("ignore")
def test_the_users_own_predict_confirms_rows_and_answers(
    seed: int, tally: Callable[[str, int], None]
) -> None:
    rng = np.random.default_rng(seed)
    data, outcome = table(rng)
    if rng.random() < 0.5:
        model = make_pipeline(*steps(rng), wrapped(rng, estimator(rng)))
    else:
        model = wrapped(rng, make_pipeline(*steps(rng), estimator(rng)))
    both = (data["late"] == 1) & data["new"]
    try:
        model.fit(data[both | (data.index < 600)], outcome[both | (data.index < 600)])
    except ValueError as error:
        if "constant predictions" in str(error):  # a threshold that cannot be tuned
            return
        raise
    rows = pd.concat([data[both][:4], data[600:].sample(10, random_state=seed)])
    answers = ifonly.explain(
        model, rows, data=data, k=4, method=Engine(needed=bool(rng.random() < 0.3))
    )
    assert list(answers.predicted) == model.predict(rows).tolist()
    frame = answers.frame()
    told = model.predict(frame[list(data.columns)]) if len(frame) else np.empty(0)
    assert told.tolist() == frame["prediction"].tolist()
    assert (told != np.asarray(answers.predicted)[frame["query"]]).all()
    if hasattr(model, "predict_proba") and len(frame):
        proba = np.array(model.predict_proba(frame[list(data.columns)]))
        assert np.allclose(proba[np.arange(len(frame)), told], frame["score"], rtol=0, atol=1e-9)
    assert not frame.duplicated(["query", *data.columns]).any()
    if (model.predict(data) == 1).mean() not in (0, 1):  # a row of the data would be an answer
        assert answers.filled.any(axis=1).all()
    tally("pipelines fitted", 1)
    tally("rows predicted", len(rows))
    tally("answers confirmed", len(frame))
