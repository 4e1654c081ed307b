"""The line that a model's own `predict` draws between its scores is found and searched for."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ifonly
from ifonly.models import adapt
from ifonly.models.decision import Decision
from ifonly.models.pace import Meter
from ifonly.models.routes.fastest import approach
from ifonly.space import Space


def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    n = 1500
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.integers(10, 200, n) * 100,
            "debt": rng.integers(0, 100, n) * 100,
        }
    )
    drawn = 0.03 * (data["age"] - 50) - 0.0002 * (data["income"] - 10000)
    drawn += 0.0005 * (data["debt"] - 5000) + rng.normal(0, 1, n) - 3.2
    return data, np.asarray(drawn > 0, dtype=int)


DATA, OUTCOME = table()


def logistic() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


def forest() -> Any:
    return RandomForestClassifier(20, min_samples_leaf=20, random_state=0)


class Cut:
    """A fitted model that decides for the second class from a score on, or above it."""

    classes_ = np.array([0, 1])

    def __init__(self, cut: float, *, above: bool = False) -> None:
        self.inner, self.cut, self.above = logistic().fit(DATA, OUTCOME), cut, above

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.inner.predict_proba(frame))

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        second = self.predict_proba(frame)[:, 1]
        return (second > self.cut if self.above else second >= self.cut).astype(int)


class Band(Cut):
    """A model that decides for the second class in a band of scores alone."""

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return (abs(self.predict_proba(frame)[:, 1] - self.cut) < 0.04).astype(int)


def decision(model: Any) -> Decision:
    space = Space.infer(DATA)
    codes = space.codes(DATA)
    adapted = adapt(model, space, codes)
    scores = np.asarray(adapted.scores(codes))
    return approach(model, adapted, space, codes, scores, Meter()).decision


@pytest.mark.parametrize("cut", [0.03, 0.1, 0.3, 0.62, 0.8])
@pytest.mark.parametrize("above", [False, True])
def test_a_threshold_that_nobody_states_is_found_by_asking(cut: float, above: bool) -> None:
    found = decision(Cut(cut, above=above))
    assert found.threshold == pytest.approx(cut, abs=2e-3)
    assert not found.labels


def test_the_largest_score_decides_where_nothing_contradicts_it() -> None:
    assert decision(Cut(0.5, above=True)) == Decision()
    assert decision(forest().fit(DATA, OUTCOME)) == Decision()


def test_a_model_that_follows_no_line_is_searched_by_its_decisions() -> None:
    assert decision(Band(0.1)).labels
    model = Band(0.1)
    rows = DATA[model.predict(DATA) == 0][:20]
    answers = ifonly.explain(model, rows, data=DATA, k=2, target=1)
    frame = answers.frame()
    assert answers.record["route"] == "its decisions"
    assert answers.filled.all()
    assert (model.predict(frame[list(DATA)]) == 1).all()
    # A threshold that is stated decides by scores instead.
    stated = ifonly.explain(model, rows, data=DATA, k=2, target=1, threshold=0.3)
    assert (model.predict_proba(stated.frame()[list(DATA)])[:, 1] >= 0.3).all()


@pytest.mark.sample(3)
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("make", [logistic, forest])
@pytest.mark.parametrize("cut", [0.05, 0.3])
def test_a_fixed_threshold_finds_what_the_same_threshold_stated_finds(
    make: Any, cut: float, inside: bool
) -> None:
    wrap = partial(FixedThresholdClassifier, threshold=cut)
    inner = make().fit(DATA, OUTCOME)
    model = make_pipeline(StandardScaler(), wrap(make())) if inside else wrap(make())
    model.fit(DATA, OUTCOME)
    plain = make_pipeline(StandardScaler(), make()).fit(DATA, OUTCOME) if inside else inner
    for target in (0, 1):
        rows = DATA[model.predict(DATA) != target][:12]
        own = ifonly.explain(model, rows, data=DATA, k=2, target=target)
        stated = ifonly.explain(plain, rows, data=DATA, k=2, target=target, threshold=cut)
        assert own.record["decides_from"] == cut
        assert (model.predict(own.frame()[list(DATA)]) == target).all()
        assert own.filled.sum() == stated.filled.sum()
        assert own.distance()[:, 0].mean() <= 1.02 * stated.distance()[:, 0].mean()


def test_a_tuned_threshold_below_every_even_chance_has_answers() -> None:
    model = TunedThresholdClassifierCV(
        RandomForestClassifier(30, min_samples_leaf=60, random_state=0),
        scoring="balanced_accuracy",
        cv=3,
        random_state=0,
    ).fit(DATA, OUTCOME)
    assert model.predict_proba(DATA)[:, 1].max() < 0.5
    rows = DATA[model.predict(DATA) == 0][:20]
    answers = ifonly.explain(model, rows, data=DATA, k=2, target=1)
    assert answers.filled.all()
    assert (model.predict(answers.frame()[list(DATA)]) == 1).all()


def test_a_threshold_inside_a_classifier_is_proved_too() -> None:
    pytest.importorskip("highspy")
    model = FixedThresholdClassifier(logistic(), threshold=0.2).fit(DATA, OUTCOME)
    rows = DATA[model.predict(DATA) == 0][:8]
    answers = ifonly.explain(model, rows, data=DATA, k=1, target=1, method="exact")
    assert answers.certificates()["proved"].all()
    assert (model.predict(answers.frame()[list(DATA)]) == 1).all()


def test_equal_scores_are_the_first_class_for_rows_and_answers_alike() -> None:
    data = pd.DataFrame({"votes": np.arange(11), "other": np.arange(11) % 3})
    even = ifonly.as_model(lambda frame: frame["votes"] / 10, classes=["no", "yes"])
    answers = ifonly.explain(even, data[9:10], data=data, k=1, target="no")
    assert answers.frame()["votes"].tolist() == [5]
    assert ifonly.explain(even, data[5:6], data=data, k=1).predicted == ("no",)


def test_the_classes_of_a_function_may_be_an_array_as_estimators_have_them() -> None:
    model = ifonly.as_model(lambda frame: frame["age"] > 40, classes=np.array([0, 1]))
    assert model.classes == (0, 1)
