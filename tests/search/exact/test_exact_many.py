"""Further answers: the nearest of each other way, all needed and tight, until none is left."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.models import Dense
from ifonly.search import Edits, Exact, Union
from ifonly.search.exact import row_by_row
from ifonly.search.exact.layers import cutting_loop

from .fitted import KINDS, fitted
from .tried import Question, Tried, random_question

CLOSE = 1e-9
TASKS = ("two", "number")
READ = [kind for kind in KINDS if kind not in ("machine", "extra trees")]
FEW = ("linear", "network", "dense", "tree", "boosting")


def ways(tried: Tried, points: np.ndarray) -> np.ndarray:
    """[n, d] 0 where points keep a feature; else the way that a number goes, or the level."""
    way = np.where(tried.question.fitted.space.continuous, np.sign(points - tried.x), points + 1)
    return np.where(tried.changed(points), np.where(np.isnan(way), 0.5, way), 0.0)


def includes(tried: Tried, points: np.ndarray, way: np.ndarray) -> np.ndarray:
    """bool [n]: the points that make all changes of a way [d]."""
    return np.asarray(((ways(tried, points) == way) | (way == 0)).all(axis=1))


def check_ways(tried: Tried, found: np.ndarray, k: int) -> int:
    """Assert that points [n, d] are the nearest ways, then the nearest of other features.

    How many of them are ways. Of two that cost the same, the one with more changes goes first: it
    would not be found after one that it includes.
    """
    answers, left = tried.answers, np.ones(len(tried.answers), dtype=bool)
    order = np.lexsort([-tried.changed(found).sum(axis=1), tried.cost(found).round(9)])
    waiting, taken = list(found[order]), np.zeros((0, len(tried.x)))
    for _ in range(k):
        best = tried.cost(answers[left]).min(initial=np.inf)
        if best == np.inf:
            break
        place = next(
            (
                i
                for i, one in enumerate(waiting)
                if not any(includes(tried, one[None], way)[0] for way in ways(tried, taken))
            ),
            None,
        )
        assert place is not None, f"another way is left at {best}"
        point = waiting.pop(place)
        assert abs(tried.cost(point[None])[0] - best) <= CLOSE, (point, best)
        taken = np.vstack([taken, point])
        left &= ~includes(tried, answers, ways(tried, point[None])[0])
    count, changed = len(taken), tried.changed(answers)
    for _ in range(k - count):
        same = (changed[:, None] == tried.changed(taken)).all(axis=2).any(axis=1)
        best = tried.cost(answers[~same]).min(initial=np.inf)
        if best == np.inf:
            break
        assert waiting, f"other features are left at {best}"
        point = waiting.pop(0)
        assert abs(tried.cost(point[None])[0] - best) <= CLOSE, (point, best)
        taken = np.vstack([taken, point])
    assert not waiting, waiting
    return count


def check_unlike(tried: Tried, points: np.ndarray, k: int, apart: float) -> None:
    """Assert that points [n, d] are, one after another, the nearest answers that are left.

    A point just about so far apart may count or not.
    """
    answers, costs = tried.answers, tried.cost(tried.answers)
    may, must = np.ones(len(answers), dtype=bool), np.ones(len(answers), dtype=bool)
    for place in range(k):
        least, most = costs[may].min(initial=np.inf), costs[must].min(initial=np.inf)
        if place == len(points):
            assert most == np.inf, f"{place} answers, and there is one at {most}"
            return
        cost = tried.cost(points[place][None])[0]
        assert least - CLOSE <= cost <= most + CLOSE, place
        away = tried.metric.distance(answers, points[place][None])
        may, must = may & (away >= apart - CLOSE), must & (away >= apart + CLOSE)


def smaller(tried: Tried, point: np.ndarray) -> np.ndarray:
    """[n, d] the point with some changes reverted, or with one number a step nearer."""
    changed = np.flatnonzero(tried.changed(point[None])[0])
    sets = chain.from_iterable(combinations(changed, n) for n in range(1, len(changed)))
    trials = []
    for features in map(list, sets):
        trials.append(point.copy())
        trials[-1][features] = tried.x[features]
    space = tried.question.fitted.space
    for j in changed:
        way, step = np.sign(point[j] - tried.x[j]), 10.0 ** -space.decimals[j]
        near = np.round(point[j] - way * step, space.decimals[j])
        inside = space.continuous[j] and space.low[j] <= near <= space.high[j]
        if inside and (near - tried.x[j]) * way > 0:
            trials.append(point.copy())
            trials[-1][j] = near
    return np.array(trials).reshape(-1, len(point))


def enough(tried: Tried, point: np.ndarray) -> bool:
    """Whether a smaller change is enough for the user's own model and the rules."""
    trials = smaller(tried, point)
    return len(trials) > 0 and bool((tried.met(trials) & tried.obeyed(trials)).any())


def check_marks(answers: ifonly.Answers, question: Question) -> None:
    """Assert that each answer is needed and tight, or marked."""
    for row, place in np.argwhere(answers.filled):
        tried, point = question.tried[row], answers.points[row, place]
        assert answers.extra[row, place] == enough(tried, point), (row, place)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer takes the place of its twin."""
    monkeypatch.setattr(row_by_row, "TWIN", -1.0)


@pytest.mark.sample(5)
@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("apart", [None, 0.5], ids=["other ways", "apart"])
@pytest.mark.parametrize("kind", READ)
def test_each_answer_is_the_nearest_that_is_unlike_those_before_it(
    kind: str, apart: float | None
) -> None:
    rng = np.random.default_rng(len(kind))
    question = random_question(fitted(kind, TASKS[len(kind) % 2], rng), rng, q=3, ruled=0.5)
    answers = question.ask(method=Exact(apart=apart), k=5)
    for row, tried in enumerate(question.tried):
        points = answers.points[row][answers.filled[row]]
        if tried.already:
            assert not len(points)
            continue
        if apart is None:
            check_ways(tried, points, 5)
        else:
            check_unlike(tried, points, 5, apart)
        count = len(points)
        word = {0: "infeasible", 5: "found"}.get(count, "partial")
        assert answers.status[row] == word
    check_marks(answers, question)


@pytest.mark.sample(4)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(FEW),
    k=st.integers(1, 5),
    twin=st.sampled_from([-1.0, row_by_row.TWIN]),
)
@settings(max_examples=40, deadline=None)
def test_answers_are_different_ways_and_each_is_needed_and_tight_or_marked(
    seed: int, kind: str, k: int, twin: float
) -> None:
    rng = np.random.default_rng(seed)
    question = random_question(fitted(kind, TASKS[seed % 2], rng), rng, q=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_by_row, "TWIN", twin)
        answers = question.ask(k=k)
    check_marks(answers, question)
    for row, tried in enumerate(question.tried):
        if tried.already:
            continue
        points, extra = (one[row][answers.filled[row]] for one in (answers.points, answers.extra))
        if twin < 0:
            check_ways(tried, points, k)
        own = ways(tried, points[~extra])
        assert len(np.unique(own, axis=0)) == len(own)
        count = len(np.unique(tried.changed(tried.answers), axis=0))
        assert len(points) >= min(k, count), "as many answers as there are sets of features"
        if len(points):
            assert not extra[0]
            assert abs(tried.cost(points[:1])[0] - tried.best) <= CLOSE
            assert answers.bound is not None
            assert tried.best - 1e-6 <= answers.bound[row] <= tried.best + CLOSE


def linear(*weights: float, sparsity: float = 0.0) -> Dense:
    """Yes where the weighted sum of the features, each from 0 to 1000, is 100 or more."""
    names = "abc"[: len(weights)]
    space = ifonly.Space.describe(*({"name": name, "low": 0, "high": 1000} for name in names))
    space = replace(space, sparsity=sparsity)
    layers = [(1000 * np.array(weights)[:, None], np.array([-99.999]))]
    return Dense(layers, space, ("no", "yes"))


def found(model: Dense, *row: float, **options: Any) -> ifonly.Answers:
    rows = model.space.rows(np.array([row]))
    options = {"method": "exact", "space": model.space, **options}
    return ifonly.explain(model, rows, **options)


WEIGHTS = {"a": 1.0, "b": 0.8, "c": 0.1}


def test_of_two_ways_that_differ_by_a_step_the_one_with_fewer_changes_counts() -> None:
    # 50 of a and 1 of b cost 50.8; 51 of a alone cost 51.
    answers = found(linear(1.98, 1.0, 0.5), 0, 0, 0, k=3, weights=WEIGHTS)
    assert answers.points[0].tolist() == [[0, 0, 200], [51, 0, 0], [0, 100, 0]]
    assert not answers.extra.any()


def test_the_nearest_answer_stays_and_its_twin_comes_where_no_other_way_is_left() -> None:
    model, weights = linear(1.98, 1.0), {name: WEIGHTS[name] for name in "ab"}
    assert found(model, 0, 0, k=2, weights=weights).points[0].tolist() == [[50, 1], [0, 100]]
    answers = found(model, 0, 0, k=3, weights=weights)
    assert answers.points[0].tolist() == [[50, 1], [51, 0], [0, 100]]


def test_with_a_charge_for_each_change_the_nearest_has_fewer() -> None:
    model, weights = linear(1.98, 1.0, sparsity=5.0), {name: WEIGHTS[name] for name in "ab"}
    answers = found(model, 0, 0, k=1, weights=weights)
    assert answers.points[0].tolist() == [[51, 0]]
    line = answers.certificates().iloc[0]
    assert (line["sparsity"], line["price"] - line["distance"]) == (5.0, 2.5)
    assert line["bound"] == pytest.approx(line["price"])
    assert not answers.extra.any()


def test_what_fills_a_place_is_marked_where_a_smaller_change_is_enough() -> None:
    answers = found(linear(1.0, 0.01), 0, 0, k=2)
    assert answers.points[0].tolist() == [[100, 0], [100, 1]]
    assert answers.extra.tolist() == [[False, True]]
    assert answers.sentences()[0][1].endswith(" It changes more than needed.")


def test_a_value_that_goes_missing_needlessly_is_marked() -> None:
    space = ifonly.Space.describe(
        {"name": "a", "low": 0, "high": 1000},
        {"name": "b", "levels": ["only"], "missing": True, "erasable": True},
    )
    model = Dense([(np.array([[1000.0], [0.0]]), np.array([-99.999]))], space, ("no", "yes"))
    answers = found(model, 0, 0, k=2)
    assert np.isnan(answers.points[0, :, 1]).tolist() == [False, True]
    assert answers.extra.tolist() == [[False, True]]


def test_apart_marks_what_is_not_needed() -> None:
    model = linear(1.0, 0.01)
    answers = found(model, 0, 0, k=2, method=Exact(apart=1.0))
    assert answers.extra.tolist() == [[False, True]]


def test_a_row_is_solved_k_times_and_once_more_where_it_has_fewer_ways(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls, nearest = [], cutting_loop.nearest

    def counted(*asked: Any) -> Any:
        calls.append(asked)
        return nearest(*asked)

    monkeypatch.setattr(cutting_loop, "nearest", counted)
    found(linear(1.0, 1.0, 1.0), 0, 0, 0, k=3)
    assert len(calls) == 3
    found(linear(1.0, 0.01), 0, 0, k=2)
    assert len(calls) == 3 + 3


def test_a_union_with_exact_gets_the_ways_of_both() -> None:
    model = linear(1.0, 1.0, 1.0)
    answers = found(model, 0, 0, 0, k=3, method=Union((Edits(), Exact())))
    assert answers.filled.all()
    assert not answers.extra.any()
    assert answers.certificates()["proved"].all()
