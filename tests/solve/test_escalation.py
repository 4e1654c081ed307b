"""A row that is short of answers is searched harder, by itself and only it, up to a limit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.search import Engine
from ifonly.solve.short import every_point, solver

LEVELS = 5
NAMES = list("abcdef")
DATA = pd.DataFrame(np.random.default_rng(0).integers(0, LEVELS - 1, (300, 6)), columns=NAMES)
EVERY = pd.DataFrame(list(product(range(LEVELS), repeat=6)), columns=NAMES)
SPACE = ifonly.Space.infer(EVERY)
FAR = (EVERY[NAMES[:5]] == LEVELS - 1).all(axis=1)
HIDDEN = DecisionTreeClassifier(random_state=0).fit(EVERY, FAR.astype(int))
"""The outcome takes five changes at once of every row of DATA, and four of them do nothing."""


def hidden(k: int = 2, rows: Any = DATA[:2], effort: str = "small", **options: Any) -> Any:
    asked = ifonly.Explainer(HIDDEN, data=DATA, space=SPACE, method=Engine(effort))
    return asked.explain(rows, k=k, target=1, **options)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """No space is small enough to try every point."""
    monkeypatch.setattr(every_point, "MOST", 0)


def test_what_no_search_finds_the_solver_finds() -> None:
    answers = hidden()
    assert answers.status == ("found", "found")
    assert answers.record["finished_by"] == ["solver", "solver"]
    assert answers.record["no_solver"] == ""


def test_without_the_extra_the_record_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "find_spec", lambda name: None)
    answers = hidden()
    assert answers.status == ("not_found", "not_found")
    assert answers.record["finished_by"] == ["limit", "limit"]
    assert answers.record["no_solver"] == "The extra 'exact' is not installed."


def test_a_model_that_cannot_be_read_is_answered_without_a_solver() -> None:
    model = ifonly.as_model(lambda frame: frame.sum(axis=1) > 24, classes=[0, 1])
    answers = ifonly.explain(model, DATA[:1], data=DATA, space=SPACE, target=1)
    assert answers.status == ("not_found",)
    assert "cannot be read" in answers.record["no_solver"]


def test_the_limit_is_work_and_a_thorough_start_raises_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "WORK", 0.5)
    assert hidden().status == ("not_found", "not_found")
    monkeypatch.setattr(solver, "MORE", 2000.0)
    assert hidden(effort="thorough").status == ("found", "found")


def test_what_finished_a_row_goes_with_it() -> None:
    answers = hidden(rows=pd.concat([DATA[:1], EVERY[FAR][:1]]))
    assert answers.record["finished_by"] == ["solver", ""]
    assert answers[[1, 0]].record["finished_by"] == ["", "solver"]
    assert ifonly.Answers.from_json(answers.to_json()).record == answers.record


def test_rows_that_are_full_at_once_are_searched_once() -> None:
    model = LogisticRegression().fit(DATA, DATA["a"] > 1)
    answers = ifonly.explain(model, DATA[:20], data=DATA, k=2)
    assert answers.record["finished_by"] == []


def test_few_points_are_all_tried_whatever_the_model() -> None:
    model = ifonly.as_model(lambda frame: (frame == LEVELS - 1).all(axis=1), classes=[0, 1])
    rules = [f"{name} fixed" for name in "abc"]
    rows = pd.DataFrame([[4, 4, 4, 0, 0, 0], [0] * 6], columns=NAMES)
    answers = ifonly.explain(model, rows, data=DATA, space=SPACE, target=1, rules=rules)
    assert answers.status == ("partial", "infeasible")
    assert answers.record["finished_by"] == ["every point"] * 2
    assert answers.notes == (
        "Every allowed change was tried: there are no others.",
        "Every allowed change was tried: none is enough.",
    )
    assert answers.points[0, 0].tolist() == [4.0] * 6


@pytest.mark.parametrize("budget", [{"model_rows": 900}, {"model_rows_per_row": 400}, 0.3])
def test_a_budget_ends_it(budget: Any) -> None:
    asked = ifonly.Explainer(HIDDEN, data=DATA, space=SPACE)
    answers = asked.explain(DATA[:3], k=2, target=1, budget=budget)
    assert set(answers.status) <= {"not_found", "skipped"}
    assert answers.record["no_solver"] in ("", "Reading the model does not fit into a budget.")
    if isinstance(budget, dict):
        assert answers.record["model_rows"] <= 3 * max(budget.values())


def test_rows_may_be_left_short() -> None:
    """With {'harder': False}, full rows are as ever, and the others have what comes first."""
    budget = {"harder": False}
    asked = ifonly.Explainer(HIDDEN, data=DATA, space=SPACE)
    answers = asked.explain(DATA[:3], k=2, target=1, budget=budget)
    assert set(answers.status) == {"not_found"}
    assert answers.record["budget"] == budget
    easy = LogisticRegression().fit(DATA, DATA["a"] > 1)
    asked, rules = ifonly.Explainer(easy, data=DATA), {0: ["a fixed"]}
    rows = DATA[DATA["a"] < 2][:4]
    soon, free = (
        asked.explain(rows, k=2, target=True, row_rules=rules, budget=one) for one in (budget, None)
    )
    assert soon.record["model_rows"] <= free.record["model_rows"]
    assert soon.status[1:] == free.status[1:] == ("found",) * 3
    assert np.array_equal(soon.points[1:], free.points[1:])


def test_rows_that_share_a_budget_are_searched_before_any_is_searched_harder() -> None:
    easy = LogisticRegression().fit(DATA, DATA["a"] > 1)
    rows = pd.concat([DATA[DATA["a"] < 2][:3]] * 2)
    options: dict[str, Any] = {"k": 2, "target": True, "row_rules": {0: ["a fixed"]}}
    asked = ifonly.Explainer(easy, data=DATA)
    free = asked.explain(rows, **options)
    spent = asked.explain(rows, budget={"model_rows": free.record["model_rows"]}, **options)
    assert spent.status[1:] == free.status[1:] == ("found",) * 5


def models(seed: int) -> tuple[pd.DataFrame, list[Any]]:
    """A small table, and models of it."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {n: rng.integers(0, 4, 150) for n in "abcd"} | {"n": rng.integers(0, 7, 150)}
    )
    score = data @ rng.normal(size=5) + rng.normal(size=150)
    yes = (score > np.quantile(score, 0.85)).astype(int)
    forest = RandomForestClassifier(5, random_state=seed, max_depth=4).fit(data, yes)
    return data, [forest, LogisticRegression().fit(data, yes)]


def every(data: pd.DataFrame) -> pd.DataFrame:
    ranges = [range(data[name].min(), data[name].max() + 1) for name in data]
    return pd.DataFrame(list(product(*ranges)), columns=data.columns)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("seed", range(2))
def test_law_every_answer_that_a_thorough_search_or_an_enumeration_has_is_found(seed: int) -> None:
    data, fitted = models(seed)
    rules = [["a fixed", "b only increases"], ["a fixed", "b fixed", "n only decreases"]][seed % 2]
    for model in fitted:
        rows = data[model.predict(data) == 0][:3]
        space = every(data)
        good = space[model.predict(space) == 1]
        asked: dict[str, Any] = {"data": data, "k": 4, "rules": rules, "target": 1}
        answers = ifonly.explain(model, rows, **asked)
        thorough = ifonly.explain(model, rows, method=Engine("thorough"), **asked)
        for i, (_, row) in enumerate(rows.iterrows()):
            allowed = good[np.logical_and.reduce([_holds(rule, good, row) for rule in rules])]
            count = min(4, len(allowed))
            assert answers.filled[i].sum() == count, (type(model).__name__, i)
            assert answers.filled[i].sum() >= thorough.filled[i].sum()
            assert answers.status[i] == (
                "found" if count == 4 else "partial" if count else "infeasible"
            )
            alone = ifonly.explain(model, rows[i : i + 1], **asked) if i == 0 else answers[[i]]
            assert np.array_equal(alone.points[0], answers.points[i])


def _holds(rule: str, points: pd.DataFrame, row: pd.Series[Any]) -> Any:
    name, word = rule[0], rule[2:]
    tests: dict[str, Callable[[Any], Any]] = {
        "fixed": lambda column: column == row[name],
        "only increases": lambda column: column >= row[name],
        "only decreases": lambda column: column <= row[name],
    }
    return tests[word](points[name])
