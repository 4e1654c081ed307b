"""Two handlers: one of a small model, and one of a pipeline over columns of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import ifonly
from ifonly.contract import Handler

LABELS = {
    "pay": "Income",
    "job": "Occupation",
    1: "granted",
    0: "refused",
    ("grade", "mid"): "middle",
}
RULES = ["age only increases"]


def mixed_frame(n: int = 80) -> pd.DataFrame:
    """Whole numbers, decimals with gaps, a flag, dates, an order, one-hot columns, identifiers."""
    rng = np.random.default_rng(0)
    job = rng.integers(0, 3, n)
    pay = np.round(rng.normal(3000, 800, n), 1)
    return pd.DataFrame(
        {
            "customer": [f"c{i}" for i in range(n)],
            "age": rng.integers(18, 70, n),
            "pay": np.where(rng.random(n) < 0.1, np.nan, pay),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "grade": rng.choice(["low", "mid", "high"], n),
            **{f"job_{name}": (job == i).astype(int) for i, name in enumerate("abc")},
        }
    )


def as_numbers(frame: pd.DataFrame) -> np.ndarray:
    """The frame as the model is fitted on it."""
    days = (frame["since"] - pd.Timestamp("2020-01-01")).dt.days
    grade = frame["grade"].map({"low": 0, "mid": 1, "high": 2})
    rest = frame[["age", "member", "job_a", "job_b"]].astype(float)
    return np.column_stack([rest, days, grade, frame["pay"].fillna(3000)])


def mixed_model(frame: pd.DataFrame) -> Pipeline:
    """A pipeline that grants what about half of the rows ask for."""
    numbers = as_numbers(frame)
    score = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0) @ [1, 1, 0.5, 0, -1, 1, 2]
    model = make_pipeline(FunctionTransformer(as_numbers), StandardScaler(), LogisticRegression())
    return model.fit(frame, (score > 0).astype(int))


@pytest.fixture(scope="session")
def frame() -> pd.DataFrame:
    return mixed_frame()


@pytest.fixture(scope="session")
def explainer(frame: pd.DataFrame) -> ifonly.Explainer:
    order = {"grade": ["low", "mid", "high"]}
    space = ifonly.Space.infer(frame, ordinal=order, labels=LABELS)
    return ifonly.Explainer(mixed_model(frame), data=frame, space=space, rules=RULES)


@pytest.fixture(scope="session")
def mixed(explainer: ifonly.Explainer) -> Handler:
    return Handler(explainer, units={"pay": "EUR"})


@pytest.fixture(scope="session")
def small() -> Handler:
    data = pd.DataFrame({"income": [10, 30, 50, 20], "job": ["a", "b", "a", "c"]})
    rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    return Handler(ifonly.Explainer(rich, data=data))
