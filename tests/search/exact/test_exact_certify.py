"""Certificates hold for the answers of any method, at any time limit, and solvers say nothing."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC

import ifonly
from ifonly.errors import MissingExtra, ModelError, OptionError
from ifonly.search import Exact

from .fitted import fitted
from .tried import Question, random_question

MIXED = [
    ("linear", "two"),
    ("two layers", "two"),
    ("dense", "three"),
    ("torch", "number"),
    ("forest", "three"),
    ("histogram", "number"),
    ("xgboost", "two"),
]


def asked(kind: str, task: str, *, ruled: float = 0.5, seed: int = 0) -> Question:
    rng = np.random.default_rng([seed, len(kind), len(task)])
    return random_question(fitted(kind, task, rng), rng, ruled=ruled)


def check_bounds(answers: ifonly.Answers, question: Question) -> Any:
    """Assert that bounds are below what is best of all, and that below what was found."""
    proofs = answers.certificates()
    assert list(proofs) == [
        "query", "status", "distance", "sparsity", "price", "bound", "gap", "proved", "seconds",
        "tolerance", "checked_rows", "checked_values", "checked_points", "reason",
    ]  # fmt: skip
    for row, tried in enumerate(question.tried):
        line, best = proofs.iloc[row], 0.0 if tried.already else tried.best
        assert line["bound"] <= best + 1e-9
        if np.isnan(line["price"]):
            assert line["gap"] == (0.0 if line["bound"] == np.inf else np.inf)
        else:
            assert line["price"] >= best - 1e-9
            if line["bound"] > 0:
                wanted = (line["price"] - line["bound"]) / line["bound"]
                assert line["gap"] == pytest.approx(wanted, abs=1e-12)
        assert line["proved"] == (line["gap"] <= 1e-6)
        assert line["seconds"] >= 0
    return proofs


@pytest.mark.sample(3)
@pytest.mark.parametrize("method", ["auto", "edits"])
@pytest.mark.parametrize(("kind", "task"), MIXED, ids=[*map(" ".join, MIXED)])
def test_a_bound_is_below_what_is_best_and_that_below_what_is_found(
    kind: str, task: str, method: str
) -> None:
    question = asked(kind, task)
    answers = question.ask(method=method, certify=True)
    proofs = check_bounds(answers, question)
    for row, tried in enumerate(question.tried):
        if tried.already:
            assert answers.status[row] == "already"
            assert proofs["price"][row] == proofs["bound"][row] == proofs["gap"][row] == 0
        elif tried.best == np.inf:
            assert answers.status[row] == "infeasible"
            assert answers.notes[row]
            assert proofs["bound"][row] == np.inf
        else:
            assert proofs["bound"][row] == pytest.approx(tried.best, rel=1e-6)
            assert answers.price()[row, 0] == pytest.approx(tried.best, abs=1e-9)
            assert proofs["proved"][row]
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.bound is not None
    assert answers.bound is not None
    assert np.array_equal(again.bound, answers.bound)
    assert again.certificates().equals(proofs)


SHORT = [{"method": "auto", "certify": 1e-3}, {"method": Exact(1e-3)}]


@pytest.mark.sample(3)
@pytest.mark.parametrize("options", SHORT)
@pytest.mark.parametrize(("kind", "task"), MIXED, ids=[*map(" ".join, MIXED)])
def test_a_bound_holds_however_short_the_time(kind: str, task: str, options: Any) -> None:
    question = asked(kind, task)
    check_bounds(question.ask(**options), question)


@pytest.mark.sample(4)
@pytest.mark.parametrize(("kind", "task"), MIXED, ids=[*map(" ".join, MIXED)])
@pytest.mark.parametrize("rows", [1, 400, 20_000])
def test_where_the_budget_is_spent_what_is_known_comes_without_a_proof(
    kind: str, task: str, rows: int
) -> None:
    question = asked(kind, task, ruled=0.0)
    answers = question.ask(budget={"model_rows": rows})
    assert answers.record["model_rows"] <= rows
    proofs = check_bounds(answers, question)
    if rows == 1:
        assert set(answers.status) == {ifonly.Status.SKIPPED}
        assert not proofs["proved"].any()
    if rows == 20_000:
        assert answers.filled.any()


def test_what_no_search_finds_and_a_solver_excludes_is_infeasible() -> None:
    question = asked("dense", "number", ruled=0.0)
    beyond = [(1e6, 2e6)] * len(question.x)
    question = Question(question.fitted, question.x, beyond)
    answers = question.ask(method="auto", certify=True)
    assert set(answers.status) == {ifonly.Status.INFEASIBLE}
    assert all("solver" in note for note in answers.notes)
    assert (answers.bound == np.inf).all()


def test_a_model_that_cannot_be_read_is_refused_before_any_search() -> None:
    space = ifonly.Space.describe({"name": "a", "low": 0, "high": 9})
    function = ifonly.as_model(lambda frame: frame["a"] > 4, classes=["no", "yes"])
    values = np.arange(10.0)[:, None]
    machine = SVC(kernel="rbf").fit(values, values[:, 0] > 4)
    for method in ("exact", Exact()):
        with pytest.raises(ModelError, match="Function cannot be read"):
            ifonly.Explainer(function, space=space, method=method)
        with pytest.raises(ModelError, match="rbf"):
            ifonly.Explainer(machine, space=space, method=method)
    for model, named in ((function, "Function cannot be read"), (machine, "rbf")):
        with pytest.raises(ModelError, match=named):
            ifonly.explain(model, space.rows(values[:1]), space=space, certify=True)


@pytest.mark.parametrize(("kind", "package"), [("dense", "highspy"), ("forest", "ortools")])
def test_a_solver_that_is_not_there_is_named(
    kind: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = asked(kind, "two", ruled=1.0, seed=2)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=package):
        question.ask()


@pytest.mark.parametrize(("name", "value"), [("limit", 0), ("limit", -1.0), ("apart", 0.0)])
def test_a_limit_or_a_distance_of_nothing_is_told(name: str, value: float) -> None:
    with pytest.raises(OptionError, match=name):
        Exact(**{name: value})


def test_solvers_say_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    for kind in ("dense", "forest"):  # which need one solver each, as the test above shows
        asked(kind, "two", ruled=1.0, seed=2).ask()
    assert capfd.readouterr() == ("", "")
