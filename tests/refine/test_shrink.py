"""Shrink comes as near as trying every value does, and reverts what nobody needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.refine import Shrink
from ifonly.testing import random_pool, random_problem

SPACE = ifonly.Space.describe(
    {"name": "income", "low": 0, "high": 1000, "mad": 100},
    {"name": "debt", "low": 0, "high": 1000, "mad": 100},
    {"name": "job", "levels": ["a", "b"]},
    {"name": "town", "levels": ["p", "q", "r"]},
)


def posed(rows: pd.DataFrame, decide: Any) -> Problem:
    """The problem of rows that want 'yes' of a function of a frame, as a searcher gets it."""
    caught: list[Problem] = []

    class Catch:
        def search(self, problem: Problem, k: int) -> Pool:
            caught.append(problem)
            return problem.ask(problem.x[:, None])

    model = ifonly.as_model(decide, classes=["no", "yes"])
    ifonly.explain(model, rows, space=SPACE, target="yes", k=1, method=Catch())
    return caught[0]


ROWS = pd.DataFrame(
    {"income": [100, 400], "debt": [500, 20], "job": ["a", "b"], "town": ["p", "q"]}
)


@given(needed=st.integers(401, 1000), start=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_a_number_comes_near_to_the_least_that_is_enough(needed: int, start: int) -> None:
    start = max(start, needed)
    problem = posed(ROWS, lambda frame: frame["income"] >= needed)
    points = problem.x[:, None].copy()
    points[:, :, 0] = start
    refined = Shrink().refine(problem, problem.ask(points))
    reached = np.where(refined.valid, refined.points[:, :, 0], np.inf).min(axis=1)
    assert (reached >= needed).all()
    # A round divides what is left by four; two rounds at the least, and a step of rounding.
    assert (reached <= needed + (start - ROWS["income"].to_numpy()) / 16 + 1).all()


@pytest.mark.parametrize("needless", [["debt"], ["town"], ["debt", "town"], ["job", "town"]])
def test_changes_that_the_model_ignores_are_reverted(needless: list[str]) -> None:
    problem = posed(ROWS, lambda frame: frame["income"] >= 600)
    points = problem.x[:, None].copy()
    points[:, :, 0] = 600
    for name in needless:
        j = SPACE.names.index(name)
        other = points[:, :, j] + 1 if name == "debt" else 1 - np.minimum(points[:, :, j], 1)
        points[:, :, j] = other
    pool = problem.ask(points)
    assert pool.valid.all()
    assert (problem.changed(pool.points).sum(axis=-1) == 1 + len(needless)).all()
    refined = Shrink().refine(problem, pool)
    changed = problem.changed(refined.points)
    assert (changed[refined.valid] == [True, False, False, False]).all()


@given(seed=st.integers(0, 5_000), each=st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_every_set_of_changes_has_its_nearest_candidates_bettered(seed: int, each: int) -> None:
    """What is kept of a set of changed features is never farther than what the pool had of it."""
    problem = random_problem(seed, q=3)
    pool = random_pool(problem, seed, m=10)
    refined = Shrink(each=each).refine(problem, pool)
    for row in range(3):
        valid = pool.valid[row]
        sets = {tuple(one) for one in problem.changed(pool.points)[row][valid].tolist()}
        before = problem.price(pool.points)[row][valid]
        after = np.sort(problem.price(refined.points)[row][refined.valid[row]])
        kept = min(len(before), len(sets))  # at least one of each set
        assert len(after) >= kept
        firsts = np.sort(
            [before[(problem.changed(pool.points)[row][valid] == one).all(1)].min() for one in sets]
        )
        assert (after[: len(firsts)] <= firsts + 1e-5).all()
