"""The paper's sparsity step, against the step written out for one candidate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.refine import Sparsify
from ifonly.space import Continuous
from ifonly.testing import random_pool, random_problem


def near(problem: Problem, seed: int, m: int) -> Pool:
    """Candidates of which some numbers are changed by a little, a multiple of the smallest step."""
    rng = np.random.default_rng(seed)
    pool = random_pool(problem, seed, m)
    points = pool.points.copy()
    for j, feature in enumerate(problem.space.features):
        if isinstance(feature, Continuous):
            steps = rng.integers(-3, 4, points.shape[:2]) * feature.step
            little = rng.random(points.shape[:2]) < 0.5
            points[:, :, j] = np.where(little, problem.x[:, j, None] + steps, points[:, :, j])
    return problem.ask(problem.box.clip(problem.space.round(points)))


def written_out(problem: Problem, row: int, point: np.ndarray) -> np.ndarray:
    """The point after the step: one small change after the other is tried, the smallest first."""
    x, point = problem.x[row], point.copy()
    part = problem.take(np.array([row]))
    small = [
        (abs(point[j] - x[j]) / problem.metric.mad[j], j)
        for j, feature in enumerate(problem.space.features)
        if isinstance(feature, Continuous) and 0 < abs(point[j] - x[j]) <= feature.small
    ]
    for _, j in sorted(small):
        tried = point.copy()
        tried[j] = x[j]
        if part.margin(tried[None, None])[0, 0] > 0:
            point = tried
    return point


@given(seed=st.integers(0, 5_000))
@settings(max_examples=40, deadline=None)
def test_small_changes_are_reverted_one_after_the_other(seed: int) -> None:
    problem = random_problem(seed, q=5)
    pool = near(problem, seed, m=12)
    for slot in range(12):  # each candidate alone, so that none must keep apart from another
        one = Pool(pool.points[:, slot : slot + 1], pool.margin[:, slot : slot + 1])
        refined = Sparsify().refine(problem, one)
        for row in np.flatnonzero(one.valid[:, 0]):
            wanted = written_out(problem, row, one.points[row, 0])
            assert np.array_equal(refined.points[row, 0], wanted, equal_nan=True)


def test_the_step_has_something_to_do() -> None:
    reverted = 0
    for seed in range(30):
        problem = random_problem(seed, q=5)
        pool = near(problem, seed, m=12)
        refined = Sparsify().refine(problem, pool)
        fewer = problem.changed(refined.points).sum() < problem.changed(pool.points).sum()
        reverted += int(fewer)
    assert reverted >= 10


@pytest.mark.parametrize("seed", range(10))
def test_points_that_differ_stay_apart(seed: int) -> None:
    problem = random_problem(seed, q=5)
    pool = near(problem, seed, m=30).without_repeats()
    refined = Sparsify().refine(problem, pool)
    valid = refined.valid
    assert np.array_equal(valid, pool.valid)
    for row in range(5):
        points = refined.points[row][valid[row]]
        assert len(np.unique(points, axis=0, equal_nan=True)) == len(points)
