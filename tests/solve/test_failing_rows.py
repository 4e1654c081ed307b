"""A row that makes the model or the search raise fails alone; all others keep their answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import ModelError, OptionError
from ifonly.models.service import SPLITS
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search import Engine
from ifonly.solve.predict import FEW, accepted
from ifonly.status import Status

RNG = np.random.default_rng(3)
DATA = pd.DataFrame(
    {
        "id": np.arange(200),
        "age": RNG.integers(18, 90, 200),
        "income": RNG.integers(0, 9000, 200),
        "job": RNG.choice(["a", "b", "c"], 200),
    }
)
ROWS = DATA[:16].assign(id=np.arange(1000, 1016))
RULES = ["id fixed"]


def score(frame: pd.DataFrame) -> np.ndarray:
    total = frame["income"] / 9000 + frame["age"] / 90 + 0.2 * (frame["job"] == "a")
    return np.asarray(1 / (1 + np.exp(-8 * (total - 1.1))))


@dataclass
class Picky:
    """A model that rejects frames with some ids: it raises, or its scores are NaN."""

    bad: Collection[int]
    way: str
    alone: bool = False
    """Whether it raises in the search alone: for frames of more rows than were asked."""
    classes_ = np.array([0, 1])

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        odd = frame["id"].isin(list(self.bad)).to_numpy()
        if odd.any() and not (self.alone and (frame["id"].value_counts() == 1).all()):
            if self.way == "raises":
                raise ValueError("this id is unknown")
            return np.where(odd, np.nan, np.column_stack([1 - score(frame), score(frame)]).T).T
        return np.column_stack([1 - score(frame), score(frame)])

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(score(frame) > 0.5).astype(int)


@dataclass(frozen=True)
class Stumbling:
    """A searcher that raises for rows with some ids."""

    bad: frozenset[int]

    def search(self, problem: Problem, k: int) -> Pool:
        if set(problem.x[:, 0].astype(int)) & self.bad:
            raise ZeroDivisionError("a step of no length")
        return Engine().search(problem, k)


def check_alone(answers: ifonly.Answers, whole: ifonly.Answers, bad: Collection[int]) -> None:
    """The rows with bad ids have failed, and all others have the answers that they had."""
    failed = ROWS["id"].isin(list(bad)).to_numpy()
    assert [status is Status.FAILED for status in answers.status] == failed.tolist()
    assert not answers.filled[failed].any()
    for name in ("points", "filled", "score", "row_score"):
        ours, theirs = getattr(answers, name)[~failed], getattr(whole, name)[~failed]
        assert np.array_equal(ours, theirs, equal_nan=True)
    for row in np.flatnonzero(~failed):
        assert answers.status[row] is whole.status[row]
        assert answers.notes[row] == whole.notes[row]
        assert answers.predicted[row] == whole.predicted[row]


@cache
def without_failures(way: str) -> ifonly.Answers:
    return ifonly.explain(Picky((), way), ROWS, data=DATA, rules=RULES, k=2)


BAD = [{1007}, {1000, 1001, 1002, 1015}, set(range(1000, 1016, 3)), set(range(1000, 1008))]


@pytest.mark.sample(5)
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("way", ["raises", "NaN"])
@pytest.mark.parametrize("alone", [False, True])
def test_what_a_model_rejects_fails_alone(bad: set[int], way: str, alone: bool) -> None:
    options: dict[str, Any] = {"data": DATA, "rules": RULES, "k": 2}
    answers = ifonly.explain(Picky(bad, way, alone), ROWS, **options)
    if alone and way == "NaN":  # a row that has a score, and no point around it: none is found
        odd = ROWS["id"].isin(list(bad)).to_numpy()
        assert [not status.answered for status in answers.status] == odd.tolist()
        return
    check_alone(answers, without_failures(way), bad)
    expected = "this id is unknown" if way == "raises" else "returned NaN"
    row = answers.status.index(Status.FAILED)
    assert expected in answers.notes[row]
    assert (answers.predicted[row] is None) is not alone


@cache
def searched(bad: frozenset[int]) -> ifonly.Answers:
    model = ifonly.as_model(score, classes=[0, 1])
    return ifonly.explain(model, ROWS, data=DATA, rules=RULES, k=2, method=Stumbling(bad))


@pytest.mark.parametrize("bad", BAD)
def test_what_makes_a_searcher_raise_fails_alone(bad: set[int]) -> None:
    whole, answers = searched(frozenset()), searched(frozenset(bad))
    already = {i for i, status in zip(ROWS["id"], whole.status, strict=True) if status == "already"}
    check_alone(answers, whole, bad - already)
    row = answers.status.index(Status.FAILED)
    assert answers.notes[row] == "ZeroDivisionError: a step of no length"


def test_rows_with_rules_of_their_own_and_certificates_fail_alone() -> None:
    model = ifonly.as_model(score, classes=[0, 1])
    own = {7: ["age + income <= 9000"], 8: ["age fixed"]}
    whole, answers = (
        ifonly.Explainer(model, data=DATA, rules=RULES, method=Stumbling(frozenset(ids))).explain(
            ROWS, k=1, row_rules=own
        )
        for ids in ((), (1007, 1008))
    )
    check_alone(answers, whole, {1007, 1008})


def test_a_failed_row_can_be_shown_saved_and_asked_about() -> None:
    answers = ifonly.explain(Picky({1003}, "raises"), ROWS[:6], data=DATA, rules=RULES, k=2)
    assert "this id is unknown" in answers.sentences()[3][0]
    assert "this id is unknown" in str(answers.why(3))
    assert "this id is unknown" in answers.to_html()
    assert not re.search(r"\bnan\b", answers.to_html())
    assert pd.isna(answers.sensitive(["job"])["flips"][3])
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.status == answers.status
    assert again.notes == answers.notes
    assert set(answers.frame()["query"]) <= {0, 1, 2, 4, 5}


@pytest.mark.sample(2)
@pytest.mark.parametrize("alone", [False, True])
def test_a_model_that_fails_for_every_row_is_one_error(alone: bool) -> None:
    many = pd.concat([DATA] * 50, ignore_index=True).assign(id=np.arange(1000, 11_000))
    model, calls = Picky(range(1000, 11_000), "raises", alone), [0]
    ask = model.predict_proba

    def counted(frame: pd.DataFrame) -> np.ndarray:
        calls[0] += 1
        return ask(frame)

    model.predict_proba = counted  # type: ignore[method-assign]
    with pytest.raises(ModelError, match="this id is unknown"):
        ifonly.explain(model, many, data=DATA, rules=RULES, k=1)
    assert calls[0] < 50 + 5 * FEW * (SPLITS if alone else 1)


def test_an_error_about_the_question_is_raised_at_once() -> None:
    @dataclass(frozen=True)
    class Refusing:
        def search(self, problem: Problem, k: int) -> Pool:
            raise OptionError("k is too large.", "Ask for less.")

    model = ifonly.as_model(score, classes=[0, 1])
    with pytest.raises(OptionError, match="k is too large"):
        ifonly.explain(model, ROWS, data=DATA, method=Refusing())


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_is_no_failure_of_a_row(stop: type[BaseException]) -> None:
    @dataclass(frozen=True)
    class Stopped:
        def search(self, problem: Problem, k: int) -> Pool:
            raise stop

    model = ifonly.as_model(score, classes=[0, 1])
    with pytest.raises(stop):
        ifonly.explain(model, ROWS, data=DATA, method=Stopped())


@pytest.mark.parametrize("seed", range(20))
def test_exactly_the_rows_that_fail_are_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.permutation(200).astype(float)[:, None]
    bad = rng.choice(200, int(rng.choice([0, 1, 3, 40, 150])), replace=False)
    calls: list[int] = []
    ask: Callable[[np.ndarray], np.ndarray] = _refusing(set(bad.tolist()), calls)
    parts, reasons = accepted(ask, x)
    assert sorted(reasons) == np.flatnonzero(np.isin(x[:, 0], bad)).tolist()
    assert all(np.array_equal(result, 2 * x[rows]) for rows, result in parts)
    kept = [row for rows, _ in parts for row in rows.tolist()]
    assert sorted([*kept, *reasons]) == list(range(200))
    assert len(bad) or len(calls) == 1


def _refusing(bad: set[float], calls: list[int]) -> Callable[[np.ndarray], np.ndarray]:
    def ask(codes: np.ndarray) -> np.ndarray:
        calls.append(len(codes))
        if bad & set(codes[:, 0].tolist()):
            raise ValueError("no such row")
        return 2 * codes

    return ask
