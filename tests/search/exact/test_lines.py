"""Along lines, trees say what they say of each point; so the nearest answer is found by them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import ifonly
from ifonly.bounds.needs import needs
from ifonly.models import Counted
from ifonly.models.reading import Trees, leaves_of
from ifonly.problem.problem import Problem
from ifonly.search.lines import near_leaves
from ifonly.search.lines import near_points as search
from ifonly.search.lines.near_points import near_points
from ifonly.search.lines.places import Lines

from .fitted import fitted
from .tried import random_question

TREES = ("forest", "boosting", "histogram", "xgboost", "lightgbm")


def posed(kind: str, task: str, seed: int, ruled: float = 0.0) -> tuple[Problem, Trees]:
    """A problem of rows with one goal, and the sketch of its trees."""
    rng = np.random.default_rng([seed, len(kind), len(task)])
    question = random_question(fitted(kind, task, rng), rng, ruled=ruled)
    answers = question.ask(method="auto")
    source = answers.source
    model = Counted(source.setting.model, source.setting.route)
    problem = source.batch.pose(source.setting, model, np.arange(len(answers.x)))
    trees = source.setting.trees()
    assert trees is not None
    alike = (problem.goal.wanted == problem.goal.wanted[0]) & np.isclose(
        problem.goal.low, problem.goal.low[0], equal_nan=True
    )
    return problem.take(np.flatnonzero(alike)), trees


def check_margins(lines: Lines, trees: Trees, limit: float = np.inf) -> int:
    """Check the margins along lines of points that cost less than a limit; how many these are."""
    problem, rng = lines.problem, np.random.default_rng(0)
    rows = np.repeat(np.flatnonzero(lines.read), 4)
    places = lines.own[rows]
    for place, row in zip(places, rows, strict=True):
        there = rng.choice(np.flatnonzero(np.isfinite(lines.price[row])), 2)
        place[lines.owner[there]] = there
    inside = np.take_along_axis(lines.price[rows], places, axis=1).sum(axis=1) < limit
    rows, places = rows[inside], places[inside]
    if not len(rows):
        return 0
    margin = lines.along(rows, places)
    point, place = np.nonzero(np.isfinite(lines.price[rows]))
    codes = np.take_along_axis(lines.codes[rows], places, axis=1)[point]
    codes[np.arange(len(codes)), lines.owner[place]] = lines.codes[rows[point], place]
    near = problem.metric.price(codes, problem.x[rows[point]]) < limit * (1 - 1e-9)
    sums, sides = trees.margins(codes), []
    for need in needs(trees, sums.shape[1], problem.goal, problem.x[0]):
        total = sums[:, list(need.factors)] @ np.array(list(need.factors.values()))
        sides += [total - need.low, need.high - total]
    said, own = margin[point, place], np.min(sides, axis=0)
    assert np.allclose(said[near], own[near], rtol=0, atol=1e-9)
    return int(near.sum())


@pytest.mark.sample(3)
@pytest.mark.parametrize("task", ["two", "three", "number"])
@pytest.mark.parametrize("kind", TREES)
def test_along_a_line_the_margin_is_that_of_the_trees(kind: str, task: str) -> None:
    problem, trees = posed(kind, task, 1)
    assert check_margins(Lines.of(problem, trees, leaves_of(trees)), trees)


@pytest.mark.sample(3)
@pytest.mark.parametrize("most", [1 << 13, 60])
@pytest.mark.parametrize("kind", TREES)
def test_the_leaves_near_a_row_are_all_that_near_points_come_to(
    kind: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, trees = posed(kind, "two", 3, ruled=0.8)
    monkeypatch.setattr(near_leaves, "MOST", most)
    known = np.linspace(0.3, 2.0, len(problem.x))
    seen = 0
    for row, (leaves, limit) in enumerate(near_leaves.near_leaves(problem, trees, known)):
        assert limit <= known[row]
        if limit < known[row]:
            assert most == 60
        if len(leaves.tree):
            lines = Lines.of(problem.take(np.array([row])), trees, leaves)
            seen += check_margins(lines, trees, limit)
    assert seen


LARGE = ("no", "leaves", "places")
"""What there is too much of to look at all leaves for every row."""


def enlarge(large: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make any forest a large one."""
    if large == "leaves":
        monkeypatch.setattr(search, "LEAVES", 0)
        monkeypatch.setattr(search, "MANY", 0)
    if large == "places":
        monkeypatch.setattr(search, "PLACES", 0)


@pytest.mark.sample(3)
@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("kind", TREES)
def test_what_lines_propose_is_lawful_and_cheaper_than_what_is_known(
    kind: str, large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, trees = posed(kind, "two", 2)
    enlarge(large, monkeypatch)
    known = np.full(len(problem.x), 9.0)
    points = near_points(problem, trees, known)
    new = problem.changed(points).any(axis=2)
    assert problem.box.contains(points).all()
    assert (problem.price(points)[new] < 9.0).all()
    wrong = (problem.margin(points) <= 0) & new
    assert wrong.sum() <= 0.1 * new.sum()  # on an edge the model rounds otherwise


def test_a_large_forest_proposes_only_where_values_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem, trees = posed(TREES[0], "two", 2)
    monkeypatch.setattr(search, "LEAVES", 0)
    known = np.full(len(problem.x), 9.0)
    stops = dict.fromkeys(np.flatnonzero(problem.space.continuous).tolist(), np.arange(3.0))
    few = replace(problem, grid=replace(problem.grid, stops=stops))
    assert not few.changed(near_points(few, trees, known)).any()
    many = replace(problem, grid=replace(problem.grid, stops={0: np.arange(300.0)}))
    assert many.changed(near_points(many, trees, known)).any()


@cache
def bands() -> tuple[Pipeline, pd.DataFrame]:
    """A table with a fine number, and trees that like narrow bands of it."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {"income": rng.integers(0, 200_000, 1500), "debt": rng.integers(0, 90, 1500)}
    )
    liked = (data["income"] // 3000 % 6 == 0) | (data["debt"] > 85)
    booster = GradientBoostingClassifier(n_estimators=30, max_depth=5, random_state=0)
    return make_pipeline(StandardScaler(), booster).fit(data, liked), data


@pytest.mark.parametrize("large", LARGE)
def test_the_nearest_answer_is_found_among_fine_numbers(
    large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, data = bands()
    enlarge(large, monkeypatch)
    rows = data[~model.predict(data)][:12]
    asked = {"data": data, "k": 1}
    engine = ifonly.search.Engine(round_numbers=False)
    found = ifonly.explain(model, rows, method=engine, **asked)
    exact = ifonly.explain(model, rows, method="exact", **asked)
    assert (found.price() <= exact.price() * (1 + 1e-9)).mean() > 0.9


@pytest.mark.parametrize("large", LARGE)
def test_a_row_is_answered_along_lines_as_it_is_alone(
    large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, data = bands()
    enlarge(large, monkeypatch)
    rows = data[~model.predict(data)][:5]
    explainer = ifonly.Explainer(model, data=data)
    whole = explainer.explain(rows, k=2)
    for place in range(len(rows)):
        alone = explainer.explain(rows[place : place + 1], k=2)
        assert np.array_equal(alone.points[0], whole.points[place])
