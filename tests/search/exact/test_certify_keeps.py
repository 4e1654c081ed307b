"""What `certify` finds is kept: its point joins the candidates before answers are chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.refine import Nothing
from ifonly.search import Edits, Exact, Searcher, Union
from ifonly.select import Determinant, InOrder
from ifonly.solve.method import Method, method_of

from .fitted import CASES, fitted
from .tried import Question, random_question

KINDS = [("linear", "two"), ("two layers", "two"), ("forest", "three"), ("histogram", "number")]


@dataclass(frozen=True)
class Far:
    """A searcher of which only the dearest candidate of each row is left, or none at all."""

    nothing: bool = False

    def search(self, problem: Problem, k: int) -> Pool:
        pool = Edits().search(problem, k)
        cost = np.where(pool.valid, problem.price(pool.points), -np.inf)
        dearest = cost == cost.max(axis=1, keepdims=True)
        return pool.without(~dearest | self.nothing).nearest(-cost, 1)


@cache
def asked(kind: str, task: str) -> Question:
    """The first random question with rows that lack the outcome and can be answered."""
    for seed in range(50):
        rng = np.random.default_rng([seed, len(kind), len(task)])
        question = random_question(fitted(kind, task, rng), rng, q=6)
        open_rows = [one for one in question.tried if not one.already and one.best < np.inf]
        if len(open_rows) > 2:
            return question
    raise AssertionError("no question has rows to answer")


def plain(searcher: Searcher, selector: Any = None) -> Method:
    """The searcher alone, and the nearest of what it proposes."""
    return Method(searcher, Nothing(), selector or Determinant())


def check(answers: ifonly.Answers, question: Question) -> None:
    """Assert that each row has its nearest answer, and a proof of it."""
    assert answers.bound is not None
    distance = answers.price()
    for row, tried in enumerate(question.tried):
        if tried.already:
            assert answers.status[row] == "already"
        elif tried.best == np.inf:
            assert answers.status[row] == "infeasible"
        else:
            assert distance[row, 0] == pytest.approx(tried.best, abs=1e-9)
            assert distance[row][answers.filled[row]].min() == distance[row, 0]
            assert tried.best - 1e-6 <= answers.bound[row] <= tried.best + 1e-9


@pytest.mark.sample(3)
@pytest.mark.parametrize(("kind", "task"), KINDS, ids=[*map(" ".join, KINDS)])
def test_a_row_whose_search_leaves_a_gap_is_proved(kind: str, task: str) -> None:
    question = asked(kind, task)
    alone = question.ask(method=plain(Far()), k=3)
    distance = np.where(alone.filled, alone.price(), np.inf).min(axis=1)
    best = np.array([tried.best for tried in question.tried])
    assert (distance > best + 1e-6)[alone.filled[:, 0]].any(), "the search alone left no gap"
    check(question.ask(method=plain(Far()), k=3, certify=True), question)


@pytest.mark.sample(3)
@pytest.mark.parametrize(("kind", "task"), KINDS, ids=[*map(" ".join, KINDS)])
def test_a_row_that_no_search_answers_is_found(kind: str, task: str) -> None:
    question = asked(kind, task)
    assert "not_found" in question.ask(method=plain(Far(nothing=True))).status
    certified = question.ask(method=plain(Far(nothing=True)), certify=True)
    assert "found" in certified.status
    check(certified, question)


@pytest.mark.sample(3)
@given(seed=st.integers(0, 2**32 - 1), case=st.sampled_from(CASES), k=st.integers(1, 3))
@settings(max_examples=10, deadline=None)
def test_the_nearest_answer_of_any_certified_problem_is_the_proved_one(
    seed: int, case: tuple[str, str], k: int
) -> None:
    rng = np.random.default_rng(seed)
    question = random_question(fitted(*case, rng), rng, q=3)
    answers = question.ask(method="auto", certify=True, k=k)
    check(answers, question)
    nearest = np.where(answers.filled, answers.price(), np.inf).min(axis=1)
    proofs = answers.certificates()
    assert answers.bound is not None
    assert (nearest >= answers.bound - 1e-9)[[s != "already" for s in answers.status]].all()
    found = proofs["proved"] & (proofs["price"] > 0)
    assert np.allclose(nearest[found], answers.bound[found], rtol=1e-6)


def test_a_selector_of_its_own_order_keeps_its_choice() -> None:
    question = asked("forest", "three")
    method = plain(Far(), InOrder())
    alone, certified = question.ask(method=method), question.ask(method=method, certify=True)
    assert np.array_equal(alone.points, certified.points, equal_nan=True)
    assert alone.filled.any()
    proofs = certified.certificates()
    best = np.array([tried.best for tried in question.tried])
    searched = [status != "already" for status in certified.status]
    assert np.allclose(np.asarray(proofs["bound"])[searched], best[searched])
    assert not proofs["proved"][certified.filled[:, 0]].all()


def test_a_union_proves_what_one_of_its_searchers_proves() -> None:
    question = asked("forest", "three")
    check(question.ask(method=plain(Union((Far(), Exact())))), question)
    unproved = question.ask(method=plain(Union((Far(), Edits()))))
    assert unproved.bound is None


@pytest.mark.parametrize("starts", [None, Edits(), Far(nothing=True)])
def test_exact_answers_are_the_nearest_wherever_they_start_from(starts: Searcher | None) -> None:
    for kind, task in KINDS[1:3]:
        question = asked(kind, task)
        check(question.ask(method=Exact(starts=starts), k=1), question)


def test_the_method_shows_the_searcher_that_exact_starts_from() -> None:
    for method in (method_of("exact"), method_of(Exact()), method_of(plain(Union((Exact(),))))):
        assert "starts=Engine(" in repr(method)
    assert method_of(Exact(starts=Edits())).searcher == Exact(starts=Edits())


@pytest.mark.parametrize("rows", [120, 180, 300, 1000])
def test_a_budget_of_model_rows_keeps_what_the_judge_needs(rows: int) -> None:
    every = asked("two layers", "two")
    question = replace(every, x=every.x[1:2], targets=every.targets[1:2])
    options: dict[str, Any] = {"method": "auto", "k": 12, "budget": {"model_rows": rows}}
    alone, certified = question.ask(**options), question.ask(**options, certify=True)
    assert certified.record["model_rows"] <= rows
    assert certified.filled.sum() >= alone.filled.sum() > 0
