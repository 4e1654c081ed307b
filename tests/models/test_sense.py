"""A model whose scores of its training rows make no sense is warned of."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import ifonly
from ifonly.errors import ModelWarning, PredictionError
from ifonly.models import Dense

RNG = np.random.default_rng(0)
DATA = pd.DataFrame({"age": RNG.integers(20, 80, 120), "pay": RNG.integers(1000, 9000, 120)})
RICH = DATA["pay"] > 5000


def on_scaled_columns() -> Any:
    """A model of standardised columns, of which the scaler was left behind."""
    scaled = pd.DataFrame(StandardScaler().fit_transform(DATA), columns=DATA.columns)
    return LogisticRegression().fit(scaled, RICH)


def classifier(function: Any) -> Any:
    return ifonly.as_model(function, classes=["no", "yes"])


ODD = {
    "on scaled columns": (on_scaled_columns(), "for all|same score"),
    "constant": (classifier(lambda frame: np.full(len(frame), 0.3)), "same score to all 120"),
    "one class": (classifier(lambda frame: frame["pay"] / 30000), "predicts 'no' for all 120"),
    "percentages": (classifier(lambda frame: frame["pay"] / 100), "from 11.* to 89.*percentages"),
    "logits": (classifier(lambda frame: frame["pay"] / 1000 - 5), "from -.*lie in \\[0, 1\\]"),
    "some without score": (
        classifier(lambda frame: np.where(frame["age"] > 70, np.nan, frame["pay"] / 9000)),
        "no finite score for \\d+ of 120",
    ),
}


@pytest.mark.parametrize("kind", ODD)
def test_scores_that_make_no_sense_are_warned_of(kind: str) -> None:
    model, message = ODD[kind]
    with pytest.warns(ModelWarning, match=message):
        ifonly.Explainer(model, data=DATA)


def test_a_regression_that_predicts_one_number_is_warned_of() -> None:
    model = ifonly.as_model(lambda frame: np.zeros(len(frame)), task="regression")
    with pytest.warns(ModelWarning, match="same score"):
        ifonly.Explainer(model, data=DATA)


def test_rows_without_a_score_leave_the_others_their_answers() -> None:
    model, _ = ODD["some without score"]
    rows = DATA[DATA["age"] < 60][:5]
    with pytest.warns(ModelWarning):
        answers = ifonly.explain(model, rows, data=DATA, k=2)
    assert answers.filled.all()
    assert np.isfinite(answers.frame()["score"]).all()


def test_a_model_without_any_score_is_an_error() -> None:
    model = classifier(lambda frame: np.full(len(frame), np.nan))
    with pytest.raises(PredictionError, match="NaN for 120 of 120"):
        ifonly.Explainer(model, data=DATA)


def test_models_that_make_sense_are_silent() -> None:
    space = ifonly.Space.infer(DATA)

    class Votes:
        """A model of the user's own, whose scores need not be probabilities."""

        classes = ("no", "yes")

        def scores(self, codes: Any) -> Any:
            return np.stack([9000 - codes[:, 1], codes[:, 1]], axis=1)

        def decide(self, codes: Any) -> None:
            """None: the scores decide."""

    sensible = [
        LogisticRegression().fit(DATA / 1000, RICH).fit(DATA, RICH),
        classifier(lambda frame: frame["pay"] / 9000),
        ifonly.as_model(lambda frame: frame["pay"] * 1.0, task="regression"),
        Dense([(np.array([[0.0], [1.0]]), np.array([-0.5]))], space, (0, 1)),
        Votes(),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        for model in sensible:
            ifonly.Explainer(model, data=DATA)
        ifonly.Explainer(ODD["one class"][0], data=DATA[:5])  # too few to tell
