"""A reading holds at every value of the data: one that a step replaces is found and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import ifonly
from ifonly.errors import ReadingError

UNKNOWN = 9999.0
"""A number that stands for 'not known', in the middle of the range."""


class Spiked(LogisticRegression):
    """A linear model that says otherwise for one value of its first column."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Its own probabilities, turned round where the value is met."""
        given = super().predict_proba(X)
        return np.where(np.asarray(X)[:, :1] == 250.25, given[:, ::-1], given)


def table(known: bool) -> pd.DataFrame:
    """Incomes of which five are not known, or none."""
    rng = np.random.default_rng(0)
    income = rng.gamma(3, 2500, 4000).round(0).clip(0, 60000)
    income[income == UNKNOWN] -= 1
    income[: 0 if known else 5] = UNKNOWN
    return pd.DataFrame({"income": income, "age": rng.integers(18, 80, 4000)})


def replaced(frame: pd.DataFrame) -> np.ndarray:
    """The step that puts a usual income where none is known."""
    return np.asarray(
        frame.assign(income=frame["income"].where(frame["income"] != UNKNOWN, 1500.0))
    )


def fitted(estimator: Any, data: pd.DataFrame) -> Pipeline:
    truth = data["income"] / 12000 + (data["age"] - 50) / 40 < 0.55
    return make_pipeline(FunctionTransformer(replaced), StandardScaler(), estimator).fit(
        data, truth.astype(int)
    )


ESTIMATORS = {
    "logistic": LogisticRegression(max_iter=1000),
    "boosting": GradientBoostingClassifier(n_estimators=10),
}


@pytest.mark.parametrize("known", [False, True], ids=["in the data", "on the value grid alone"])
@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS.keys())
def test_a_value_that_a_step_replaces_is_named(estimator: Any, known: bool) -> None:
    data = table(known)
    model = fitted(estimator, data)
    with pytest.raises(ReadingError, match="9999"):
        ifonly.explain(model, data[:1], data=data, method="exact")


@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS.keys())
def test_certify_proves_nothing_and_says_why(estimator: Any) -> None:
    data = table(known=False)
    model = fitted(estimator, data)
    rows = data[model.predict(data) == 0][:3]
    answers = ifonly.explain(model, rows, data=data, k=1, certify=True)
    proofs = answers.certificates()
    assert answers.filled.all()
    assert not proofs["proved"].any()
    assert (proofs["bound"] == 0).all()
    assert proofs["reason"].str.contains("9999").all()
    again = ifonly.Answers.from_json(answers.to_json()).certificates()
    pd.testing.assert_frame_equal(again, proofs)


def test_a_value_that_the_estimator_itself_treats_otherwise_is_found() -> None:
    rng = np.random.default_rng(1)
    rate = rng.integers(0, 40_000, 900) / 100
    rate[600] = 250.25
    data = pd.DataFrame({"rate": rate, "age": rng.integers(18, 80, 900)})
    model = Spiked().fit(data, data["rate"] > 200)
    with pytest.raises(ReadingError, match=r"'rate': 250\.25"):
        ifonly.explain(model, data[:1], data=data, method="exact")


def test_certificates_say_where_the_reading_was_checked() -> None:
    rng = np.random.default_rng(2)
    data = pd.DataFrame({"rate": rng.integers(0, 30, 500) / 10, "job": rng.choice(["a", "b"], 500)})
    data["job"] = data["job"].astype("category")
    model = GradientBoostingClassifier(n_estimators=5)
    plain = data.assign(job=data["job"].cat.codes)
    asked = model.fit(plain, plain["rate"] > 1)
    answers = ifonly.explain(asked, plain[:2], data=plain, k=1, method="exact")
    proofs = answers.certificates()
    assert answers.record["checked"]["rows"] == len(data)
    assert answers.record["checked"]["values"] == 30 + 2
    assert (proofs["checked_rows"] == 500).all()
    assert (proofs["checked_points"] >= 2000).all()
    assert (proofs["reason"] == "").all()
