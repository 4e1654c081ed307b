"""With `needed`, no set of changes of an answer can be reverted, against all sets."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.problem.pool import Pool
from ifonly.search import Engine
from ifonly.select import Determinant, Needed
from ifonly.select.needed import WHOLE, _subsets
from ifonly.testing import random_codes, random_pool, random_problem


def both_or_none(frame: pd.DataFrame) -> np.ndarray:
    """Yes where c is set and a and b are equal: one alone cannot be reverted, both together can."""
    return np.asarray((frame["c"] == 1) & (frame["a"] == frame["b"])).astype(float)


def test_changes_that_can_be_reverted_together_are_reverted() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.integers(0, 2, (200, 4)), columns=list("abcd"))
    rows = data[both_or_none(data) == 0][:30]
    model = ifonly.as_model(both_or_none, classes=["no", "yes"])
    answers = ifonly.explain(model, rows, data=data, target="yes", k=3, method=Engine(needed=True))
    assert answers.filled.any(axis=1).all()
    for row, kept, points in zip(answers.x, answers.filled, answers.points, strict=True):
        least = 1 - row[2] + (row[0] != row[1])
        assert all((point != row).sum() == least for point in points[kept])


@given(seed=st.integers(0, 5_000), k=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_no_set_of_changes_of_a_needed_choice_is_needless(seed: int, k: int) -> None:
    problem = random_problem(seed, q=3)
    points = np.stack([random_codes(problem.space, 20, seed + i) for i in range(3)])
    pool = problem.ask(problem.box.clip(points)).without_repeats()
    chosen, filled = Needed(Determinant()).select(problem, pool, k)
    for q, place in np.argwhere(filled):
        row, point = problem.x[q], chosen[q, place]
        changed = np.flatnonzero(problem.changed(chosen)[q, place])
        sets = list(chain.from_iterable(combinations(changed, n) for n in range(1, len(changed))))
        if sets:
            inside = np.repeat(point[None], len(sets), axis=0)
            for one, features in zip(inside, sets, strict=True):
                one[list(features)] = row[list(features)]
            part = problem.take(np.array([q]))
            assert not (part.margin(inside[None]) > 0).any()


@given(seed=st.integers(0, 5_000), k=st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_a_chosen_point_makes_some_of_the_changes_of_a_candidate(seed: int, k: int) -> None:
    problem = random_problem(seed, q=3)
    pool = random_pool(problem, seed)
    chosen, filled = Needed(Determinant()).select(problem, pool, k)
    assert np.array_equal(filled.any(axis=1), pool.valid.any(axis=1))
    for row, place in np.argwhere(filled):
        point, own = chosen[row, place], problem.changed(chosen)[row, place]
        candidates = pool.points[row][pool.valid[row]]
        assert (candidates[:, own] == point[own]).all(axis=1).any() or np.isnan(point[own]).any()


def test_a_choice_without_needless_changes_keeps_what_is_small_already() -> None:
    problem = random_problem(3, q=2)
    points = np.repeat(problem.x[:, None], 3, axis=1)
    pool = Pool(points, np.full(points.shape[:2], -np.inf))
    assert not Needed(Determinant()).select(problem, pool, 3)[1].any()


@pytest.mark.parametrize("size", [2, 3, WHOLE, WHOLE + 1, 44, 400])
def test_the_subsets_of_changes_are_all_or_bounded(size: int) -> None:
    kept = _subsets(size)
    assert len(np.unique(kept, axis=0)) == len(kept) <= 2**WHOLE
    assert kept.any(axis=1).all()
    assert (~kept).any(axis=1).all()
    if size <= WHOLE:
        assert len(kept) == 2**size - 2
    elif size <= 44:
        assert len(kept) == size + size * (size - 1) // 2
