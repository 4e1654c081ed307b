"""Candidates that differ by next to nothing: selection neither fails nor prefers them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from exact_choice import ExactChoice
from ifonly.models import Counted
from ifonly.problem.goal import resolve
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search import Engine
from ifonly.select import Determinant, Polish, Selector, Ways
from ifonly.solve.pose import pose
from ifonly.solve.prepare import prepare
from ifonly.space import Categorical, Continuous, Space

NEEDED = Engine()

SEEDS = st.integers(0, 5_000)
FAR = 6
"""How many points of a pool are far apart; all others are twins of these."""


def posed(seed: int) -> tuple[Problem, Pool]:
    """Two rows, and a pool of a few points far apart and of many twins of each."""
    rng = np.random.default_rng(seed)
    wide = rng.choice([False, True], 3)
    space = Space(
        (
            *(
                Continuous(f"number {i}", 0, 1e5 if wide[i] else 80, decimals=11, mad=20.0)
                for i in range(3)
            ),
            Categorical("job", tuple("abc")),
        )
    )
    model = ifonly.as_model(lambda frame: np.full(len(frame), 0.9), classes=["no", "yes"])
    setting = prepare(model, None, space)
    x = np.array([[47.95968871, 3.0, 60.0, 0], [12.0, 70.0, 1.0, 2]])
    goal = resolve("yes", ("no", "yes"), np.zeros(2, int))
    problem = pose(setting, Counted(setting.model, setting.route), x, goal, seed)
    centres = np.column_stack([rng.uniform(0, 80, (FAR, 3)), rng.integers(3, size=FAR)])
    points = np.repeat(centres[None], 2, axis=0)
    step = 10.0 ** -rng.integers(4, 12, (2, 5 * FAR, 1))
    twins = np.tile(centres, (5, 1)) + step * rng.integers(0, 4, (2, 5 * FAR, 4)) * [1, 1, 1, 0]
    pool = np.concatenate([points, twins], axis=1)[:, rng.permutation(6 * FAR)]
    pool = np.asarray(space.round(pool))
    return problem, Pool(pool, np.ones(pool.shape[:2])).without_repeats()


def apart(problem: Problem, points: np.ndarray) -> np.ndarray:
    """[q] the least distance of two of the points."""
    distance = problem.metric.pairwise(points)
    return np.asarray((distance + np.where(np.eye(points.shape[1]), np.inf, 0)).min(axis=(1, 2)))


@pytest.mark.sample(3)
@given(seed=SEEDS, k=st.integers(1, 20), diversity=st.sampled_from([0.1, 0.55, 0.9, 1.0]))
@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("kind", ["determinant", "free", "polish", "ways"])
def test_twins_neither_fail_a_choice_nor_are_chosen_twice(
    kind: str, seed: int, k: int, diversity: float
) -> None:
    problem, pool = posed(seed)
    choice = Determinant(diversity, nearest=kind != "free")
    chooser: Selector = {"polish": Polish(choice), "ways": Ways(choice)}.get(kind, choice)
    points, filled = chooser.select(problem, pool, k)
    assert np.isfinite(points).all()
    assert filled.all()
    for own, here in zip(points, filled, strict=True):
        assert len(np.unique(own[here], axis=0)) == here.sum()


@given(seed=SEEDS, k=st.integers(2, FAR - 1))
@settings(max_examples=40, deadline=None)
def test_no_twin_is_chosen_while_other_points_are_left(seed: int, k: int) -> None:
    problem, pool = posed(seed)
    points, filled = Determinant(1.0).select(problem, pool, k)
    assert filled.all()
    assert (apart(problem, points) > 0.01).all()


@given(seed=SEEDS, k=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_the_exact_choice_fills_all_places_with_twins_where_it_must(seed: int, k: int) -> None:
    problem, pool = posed(seed)
    near = problem.metric.distance(pool.points, pool.points[:, :1]) < 0.01  # the first and its own
    few = Pool(pool.points, np.where(near, pool.margin, -np.inf))
    count = np.minimum(k, few.valid.sum(axis=1))
    for exact in (ExactChoice(), ExactChoice(Determinant(1.0, nearest=False))):
        points, filled = exact.select(problem, few, k)
        assert (filled.sum(axis=1) == count).all()
        assert np.isfinite(points).all()


@pytest.mark.sample(2)
@pytest.mark.parametrize("decimals", [9, 10, 11])
@pytest.mark.parametrize("options", [{"k": 12, "diversity": 0.9}, {"method": NEEDED}, {}])
def test_columns_of_many_decimals_are_answered(decimals: int, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(decimals)
    data = pd.DataFrame(
        {
            "age": rng.uniform(18, 80, 300).round(decimals),
            "debt": rng.uniform(0, 1e4, 300).round(decimals - 4),
            "job": rng.choice(list("xyz"), 300),
        }
    )

    def score(frame: pd.DataFrame) -> pd.Series[float]:
        total = frame["age"] / 40 + frame["debt"] / 1e4 + 0.3 * (frame["job"] == "x")
        return (total > 1.2).astype(float)

    model = ifonly.as_model(score, classes=["no", "yes"])
    rules = ["age only increases", "debt <= 300 * age", "job: x -> y takes 1 of age"]
    refused = data[score(data) == 0][:6]
    for given_rules in (rules, ["debt fixed", "age increases => job fixed"]):
        answers = ifonly.explain(
            model, refused, data=data, target="yes", rules=given_rules, **options
        )
        assert np.isfinite(answers.score[answers.filled]).all()
        assert answers.filled.any()
