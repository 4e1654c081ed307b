"""A budget is kept: of seconds, of model rows, and of model rows for each row by itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ifonly
from ifonly.solve.question import PREPARING
from ifonly.status import Status

RNG = np.random.default_rng(0)
DATA = pd.DataFrame({"a": RNG.integers(0, 90, 600), "b": RNG.normal(size=600).round(2)})
OUTCOME = DATA["a"] / 45 + DATA["b"] > 1
ROWS = DATA[:8]


def score(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-4 * (frame["a"] / 45 + frame["b"] - 1))))


@dataclass
class Costly:
    """A model that moves a clock, by so many seconds per call and per row, and notes its calls."""

    call: float = 0.0
    row: float = 0.0
    now: float = 0.0
    calls: list[tuple[float, float, int]] = field(default_factory=list)
    """When each began and ended, and its rows."""

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        began = self.now
        self.now += self.call + self.row * len(frame)
        self.calls.append((began, self.now, len(frame)))
        return score(frame)

    @property
    def rows(self) -> int:
        return sum(rows for _, _, rows in self.calls)


COSTS = {"call": (0.05, 0.0), "slow call": (2.0, 0.0), "row": (0.0, 0.002), "both": (0.2, 0.01)}


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("seconds", [0.5, 5.0, 60.0])
@pytest.mark.parametrize("batch_rows", [None, 20])
def test_a_budget_of_seconds_is_exceeded_by_one_call_at_most(
    monkeypatch: pytest.MonkeyPatch, cost: str, seconds: float, batch_rows: int | None
) -> None:
    costly = Costly(*COSTS[cost])
    monkeypatch.setattr(time, "monotonic", lambda: costly.now)
    model = ifonly.as_model(costly, classes=[0, 1], batch_rows=batch_rows)
    answers = ifonly.explain(model, ROWS, data=DATA, k=2, budget=seconds, plausible=False)
    assert all(began < seconds for began, _, _ in costly.calls)
    assert batch_rows is None or max(rows for _, _, rows in costly.calls) <= batch_rows
    assert answers.record["prepared_rows"] + answers.record["model_rows"] == costly.rows
    unknown = [one is None for one in answers.predicted]
    assert all(answers.status[i] is Status.SKIPPED for i in np.flatnonzero(unknown))
    if seconds == 60 and batch_rows is None:
        assert answers.filled.all()


def test_most_of_a_budget_of_seconds_is_left_to_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    costly = Costly(0.01, 0.01)
    monkeypatch.setattr(time, "monotonic", lambda: costly.now)
    answers = ifonly.explain(
        ifonly.as_model(costly, classes=[0, 1]), ROWS, data=DATA, k=2, budget=10, plausible=False
    )
    assert answers.record["prepared_rows"] * 0.01 <= 10 * PREPARING + 0.1
    assert answers.filled.any()


@pytest.mark.parametrize("rows", [1, 5, 40, 400, 4000])
def test_a_budget_of_model_rows_includes_preparation(rows: int) -> None:
    costly = Costly()
    model = ifonly.as_model(costly, classes=[0, 1])
    answers = ifonly.explain(
        model, ROWS, data=DATA, k=2, plausible=False, budget={"model_rows": rows}
    )
    assert answers.record["prepared_rows"] + answers.record["model_rows"] == costly.rows <= rows
    assert rows > 5 or set(answers.status) == {Status.SKIPPED}
    assert rows < 4000 or answers.filled.any()
    again = ifonly.explain_again(answers.record, model, ROWS, data=DATA)
    assert np.array_equal(again.points, answers.points)
    assert dict(again.record) == dict(answers.record)


@pytest.mark.parametrize("budget", [1000, {"model_rows": 10**6}, {"model_rows_per_row": 10**5}])
def test_a_budget_that_is_enough_changes_nothing(budget: Any) -> None:
    model = RandomForestClassifier(5, random_state=0).fit(DATA, OUTCOME)
    whole = ifonly.explain(model, ROWS, data=DATA, k=2, plausible=False)
    answers = ifonly.explain(model, ROWS, data=DATA, k=2, plausible=False, budget=budget)
    assert np.array_equal(answers.points, whole.points)
    assert answers.status == whole.status


class Noting(LogisticRegression):
    """A regression that notes how many rows it is asked about."""

    asked = 0

    def predict_proba(self, X: Any) -> np.ndarray:
        Noting.asked += len(X)
        return np.asarray(super().predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        Noting.asked += len(X)
        return np.asarray(super().predict(X))


FITTED: dict[str, Callable[[], Any]] = {
    "estimator": lambda: Noting().fit(DATA, OUTCOME),
    "pipeline": lambda: make_pipeline(StandardScaler(), Noting()).fit(DATA, OUTCOME),
    "threshold": lambda: FixedThresholdClassifier(Noting(), threshold=0.3).fit(DATA, OUTCOME),
}


@pytest.mark.parametrize("kind", FITTED)
def test_preparing_an_explainer_is_counted_by_itself(kind: str) -> None:
    model = FITTED[kind]()
    Noting.asked = 0
    explainer = ifonly.Explainer(model, data=DATA)
    prepared, Noting.asked = Noting.asked, 0
    record = explainer.explain(ROWS, k=1, plausible=False, budget={"model_rows": 900}).record
    assert prepared > len(DATA)
    assert record["prepared_rows"] == prepared
    assert Noting.asked <= record["model_rows"] <= 900


def test_preparing_an_explainer_can_be_limited() -> None:
    costly = Costly()
    model = ifonly.as_model(costly, classes=[0, 1])
    explainer = ifonly.Explainer(model, data=DATA, budget={"model_rows": 100})
    assert costly.rows <= 100
    answers = explainer.explain(ROWS, k=1, plausible=False)
    assert answers.record["prepared_rows"] <= 100
    assert answers.filled.all()


@pytest.mark.parametrize("rows", [2, 60, 400])
@pytest.mark.parametrize("kind", ["function", "pipeline"])
def test_an_allowance_for_each_row_is_its_own(kind: str, rows: int) -> None:
    costly = Costly()
    model = ifonly.as_model(costly, classes=[0, 1]) if kind == "function" else FITTED[kind]()
    explainer = ifonly.Explainer(model, data=DATA)
    budget = {"model_rows_per_row": rows}
    doubled = pd.concat([ROWS[:4], ROWS[:2]])
    together = explainer.explain(doubled, k=2, budget=budget, plausible=False)
    assert together.record["model_rows"] <= rows * len(doubled)
    for row in range(len(doubled)):
        alone = explainer.explain(doubled[row : row + 1], k=2, budget=budget, plausible=False)
        assert alone.record["model_rows"] <= rows
        assert np.array_equal(alone.points[0], together.points[row])
        assert alone.status[0] is together.status[row]
    assert rows > 2 or set(together.status) == {Status.SKIPPED}
    assert rows < 400 or together.filled.any()


def test_an_allowance_for_each_row_limits_preparation_as_if_it_were_one() -> None:
    costly = Costly()
    model = ifonly.as_model(costly, classes=[0, 1])
    budget = {"model_rows_per_row": 300}
    ifonly.explain(model, ROWS, data=DATA, k=2, plausible=False, budget=budget)
    assert costly.rows <= 300 * (len(ROWS) + 1)


def test_what_does_not_fit_into_a_short_time_is_not_fitted() -> None:
    model = ifonly.as_model(score, classes=[0, 1])
    explainer = ifonly.Explainer(model, data=DATA)
    assert explainer.explain(ROWS[:1], k=1, budget=1).usual is None
    assert explainer.explain(ROWS[:1], k=1, budget=1, plausible=0.05).usual is not None


def test_a_row_without_an_answer_never_sinks_the_batch() -> None:
    def refusing(frame: pd.DataFrame) -> np.ndarray:
        if (frame["a"] == 1000).any():
            raise ValueError("no such person")
        return score(frame)

    explainer = ifonly.Explainer(ifonly.as_model(refusing, classes=[0, 1]), data=DATA)
    low = DATA[score(DATA) < 0.4][:4]
    rows = pd.concat([low, DATA[score(DATA) > 0.6][:1], low[:1].assign(a=1000)])
    asked: dict[str, Any] = {"k": 2, "target": 1, "plausible": False}
    answers = explainer.explain(rows, row_rules={1: ["a fixed", "b fixed"]}, **asked)
    statuses = [str(status) for status in answers.status]
    assert statuses == ["found", "infeasible", "found", "found", "already", "failed"]
    assert all(answers.notes[row] for row in (1, 5))
    for row in (0, 2, 3):
        alone = explainer.explain(rows[row : row + 1], **asked)
        assert np.array_equal(alone.points[0], answers.points[row])
