"""A surrogate proposes, and the slow model judges: few model rows, and the same laws."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.errors import OptionError
from ifonly.search import Engine, Surrogate
from ifonly.solve.slow import prepared
from ifonly.solve.statuses import UNCHECKED
from ifonly.testing import MODEL_KINDS, random_frame, random_model, random_rules
from ifonly.testing.spaces import CODED

RNG = np.random.default_rng(5)
DATA = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, 300),
        "income": RNG.integers(5, 90, 300),
        "debt": RNG.random(300).round(2),
        "job": RNG.choice(["clerk", "cook", "judge"], 300),
    }
)
LIGHT = Surrogate(Engine("small"), model_rows=24)


class Counting:
    """Probabilities of three grades; it counts the rows that it is asked about."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        self.rows += len(frame)
        merit = frame["income"] / 20 - 3 * frame["debt"] + 1.5 * (frame["job"] == "judge")
        merit = merit + np.where(frame["age"] > 40, 0.5, -0.5)
        logits = np.stack([-merit + 2, np.full(len(frame), 0.3), merit - 2], axis=1)
        return np.asarray(np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True))

    def two(self, frame: pd.DataFrame) -> np.ndarray:
        """[n, 2] of the highest grade and the others."""
        best = self(frame)[:, 2]
        return np.stack([1 - best, best], axis=1)


COUNT = Counting()
MODEL = ifonly.as_model(COUNT.two, classes=["no", "yes"])
ROWS = DATA[COUNT.two(DATA)[:, 1] < 0.4][:4].reset_index(drop=True)


@pytest.fixture(scope="module")
def explainer() -> ifonly.Explainer:
    COUNT.rows = 0
    made = ifonly.Explainer(MODEL, data=DATA, method=LIGHT)
    assert made.setting.prepared_rows == COUNT.rows <= prepared.MOST
    return made


@pytest.fixture(scope="module")
def answers(explainer: ifonly.Explainer) -> ifonly.Answers:
    COUNT.rows = 0
    return explainer.explain(ROWS, k=3)


def test_a_row_costs_no_more_model_rows_than_stated(answers: ifonly.Answers) -> None:
    assert answers.filled.any(axis=1).all()
    assert answers.record["model_rows"] <= len(ROWS) * (LIGHT.model_rows + 3 + 1)


def test_the_model_confirms_every_answer_and_that_its_changes_are_needed(
    answers: ifonly.Answers,
) -> None:
    frame, names = answers.frame(), list(DATA)
    assert (COUNT.two(frame[names])[:, 1] > 0.5).all()
    checked = 0
    for place, line in frame[~frame["extra"]].iterrows():
        row = ROWS.iloc[line["query"]]
        changed = [name for name in names if line[name] != row[name]]
        if UNCHECKED in answers.notes[line["query"]] or len(changed) < 2:
            continue
        for name in changed:
            reverted = frame.loc[[place], names].assign(**{name: row[name]})
            assert COUNT.two(reverted)[0, 1] <= 0.5
            checked += 1
    assert checked


def test_the_answers_of_a_row_depend_on_the_row_alone(
    explainer: ifonly.Explainer, answers: ifonly.Answers
) -> None:
    alone = explainer.explain(ROWS[2:3], k=3)
    assert np.array_equal(alone.points[0], answers.points[2])
    backwards = explainer.explain(ROWS[::-1], k=3)
    assert np.array_equal(backwards.points[::-1], answers.points)


@pytest.mark.parametrize("budget", [{"model_rows": 60}, {"model_rows_per_row": 20}])
def test_budgets_of_model_rows_hold(explainer: ifonly.Explainer, budget: dict[str, int]) -> None:
    COUNT.rows = 0
    answers = explainer.explain(ROWS, k=2, budget=budget)
    assert COUNT.rows == answers.record["model_rows"] <= 80
    assert budget.get("model_rows", 80) >= COUNT.rows
    assert answers.filled.any()
    assert answers.frame()["score"].notna().all()


def test_a_whole_question_keeps_its_budget_of_model_rows() -> None:
    COUNT.rows = 0
    asked = ifonly.explain(MODEL, ROWS, data=DATA, k=2, method=LIGHT, budget={"model_rows": 150})
    assert COUNT.rows <= 150
    assert asked.filled.any()


def test_rules_thresholds_and_diversity_are_those_of_the_question(
    explainer: ifonly.Explainer,
) -> None:
    rules = ["age fixed", "debt only decreases"]
    answers = explainer.explain(ROWS[:2], k=2, rules=rules, threshold=0.7, diversity=0.9)
    frame = answers.frame()
    assert answers.filled.any()
    assert (COUNT.two(frame[list(DATA)])[:, 1] >= 0.7).all()
    rows = ROWS.iloc[frame["query"]].reset_index(drop=True)
    assert (frame["age"] == rows["age"]).all()
    assert (frame["debt"] <= rows["debt"]).all()


def test_any_other_of_three_classes_can_be_wanted() -> None:
    model = ifonly.as_model(COUNT, classes=["c", "b", "a"])
    answers = ifonly.explain(model, ROWS[:2], data=DATA, k=2, target="other", method=LIGHT)
    assert answers.filled.all()
    said = np.array(["c", "b", "a"])[COUNT(answers.frame()[list(DATA)]).argmax(axis=1)]
    assert (said != np.asarray(answers.predicted)[answers.frame()["query"]]).all()


def test_a_model_that_takes_long_gets_a_surrogate_and_every_row_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick = ifonly.Explainer(MODEL, data=DATA)
    assert not quick.setting.slow
    monkeypatch.setattr(prepared, "SLOW", 0.0)
    COUNT.rows = 0
    slow = ifonly.Explainer(MODEL, data=DATA)
    assert COUNT.rows == slow.setting.prepared_rows <= prepared.MOST
    answers = slow.explain(ROWS[:1], k=2)
    assert answers.record["slow"]
    assert "Surrogate" in answers.record["method"]
    assert answers.notes[0].startswith("The model is slow")
    assert not ifonly.Explainer(MODEL, data=DATA, method=Engine()).setting.slow


def test_waiting_for_a_core_makes_no_model_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "SLOW", 2e-6)
    monkeypatch.setattr(prepared, "_delayed", time.perf_counter)
    model = ifonly.as_model(lambda frame: frame["a"] > 0.5, classes=["no", "yes"])
    data = pd.DataFrame({"a": np.linspace(0, 1, 80)})
    assert not ifonly.explain(model, data[:1], data=data, k=1).record["slow"]


def test_a_record_of_a_surrogate_can_be_asked_again(answers: ifonly.Answers) -> None:
    saved = ifonly.Answers.from_json(answers.to_json())
    again = ifonly.explain_again(saved.record, MODEL, ROWS, data=DATA)
    assert np.array_equal(again.points, answers.points)


@pytest.mark.parametrize("rows", [0, 9, True, 20.0, "40"])
def test_too_few_model_rows_are_refused(rows: Any) -> None:
    with pytest.raises(OptionError, match="model_rows is"):
        Surrogate(model_rows=rows)


@given(seed=st.integers(0, 10_000), kind=st.sampled_from(MODEL_KINDS), k=st.integers(1, 3))
@settings(max_examples=8, deadline=None)
def test_answers_are_the_models_own_on_any_table(seed: int, kind: str, k: int) -> None:
    data = random_frame(seed)
    categorical = [CODED] if CODED in data else []
    space = ifonly.Space.infer(data, categorical)
    model = random_model(space, kind, seed)
    rules = random_rules(space, seed)[: seed % 3]
    scores = np.asarray(model.scores(space.codes(data)))
    target: Any = {
        "three classes": "other",
        "regression": (float(np.quantile(scores, 0.7)) + 1e-3, float("inf")),
    }.get(kind, "opposite")
    explainer = ifonly.Explainer(
        model, data=data, categorical=categorical, rules=rules, method=LIGHT
    )
    answers = explainer.explain(data[:3], target=target, k=k, seed=seed)
    rows, places = np.nonzero(answers.filled)
    points = answers.points[rows, places]
    for rule in rules:
        assert rule.holds(space, answers.x[rows], points[:, None]).all()
    said = np.asarray(model.scores(points))
    if kind == "regression":
        assert (said[:, 0] >= target[0]).all()
    elif len(points):
        decided = np.asarray(model.classes, dtype=object)[said.argmax(axis=1)]
        assert (decided != np.array(answers.predicted, dtype=object)[rows]).all()
