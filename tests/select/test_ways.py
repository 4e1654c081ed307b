"""Different ways, each needed and tight: against all sets of changes and the values in between."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search import Engine
from ifonly.select import Ways
from ifonly.select.tight import DEARER, rounder
from ifonly.select.trim import MOST, WHOLE, _sets, all_needed
from ifonly.select.twins import ways_of
from ifonly.testing import random_codes, random_pool, random_problem

EXACTLY = Ways(round_numbers=False)


def both_or_none(frame: pd.DataFrame) -> np.ndarray:
    """Yes where c is set and a and b are equal: one alone cannot be reverted, both together can."""
    return np.asarray((frame["c"] == 1) & (frame["a"] == frame["b"])).astype(float)


def test_changes_that_can_be_reverted_together_are_reverted() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.integers(0, 2, (200, 4)), columns=list("abcd"))
    rows = data[both_or_none(data) == 0][:30]
    model = ifonly.as_model(both_or_none, classes=["no", "yes"])
    answers = ifonly.explain(model, rows, data=data, target="yes", k=3)
    assert answers.filled.any(axis=1).all()
    for row, kept, points in zip(
        answers.x, answers.filled & ~answers.extra, answers.points, strict=True
    ):
        least = 1 - row[2] + (row[0] != row[1])
        assert all((point != row).sum() == least for point in points[kept])


def test_a_way_that_is_far_apart_is_found_behind_many_near_ones() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        rng.choice(["no", "yes"], (200, 17), p=[0.9, 0.1]), columns=list("abcdefghijklmnopz")
    )
    row = pd.DataFrame(np.full((1, 17), "no"), columns=data.columns)
    model = ifonly.as_model(lambda one: (one == "yes").any(axis=1).astype(float), classes=[0, 1])
    weights = {"z": 3.0}
    near, apart = (
        ifonly.explain(model, row, data=data, k=2, weights=weights, diversity=d, plausible=False)
        for d in (0.0, 0.55)
    )
    assert not near.changed()[..., -1].any()
    assert apart.changed().sum(axis=-1).tolist() == [[1, 1]]
    assert apart.changed()[0, :, -1].tolist() == [False, True]


def is_needed(problem: Problem, row: int, point: np.ndarray) -> bool:
    """Whether no smaller set of a point's changes is valid."""
    changed = np.flatnonzero(problem.changed(point[None, None])[row, 0])
    sets = list(chain.from_iterable(combinations(changed, n) for n in range(1, len(changed))))
    if not sets:
        return True
    inside = np.repeat(point[None], len(sets), axis=0)
    for one, features in zip(inside, sets, strict=True):
        one[list(features)] = problem.x[row, list(features)]
    part = problem.take(np.array([row]))
    return not part.clearly(part.margin(inside[None])).any()


def drawn(seed: int) -> tuple[Problem, Pool]:
    problem = random_problem(seed, q=3)
    points = np.stack([random_codes(problem.space, 20, seed + i) for i in range(3)])
    return problem, problem.ask(problem.box.clip(points)).without_repeats()


@given(seed=st.integers(0, 5_000), k=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_needless_changes_are_known_and_never_of_the_nearest_answer(seed: int, k: int) -> None:
    problem, pool = drawn(seed)
    chosen, filled = EXACTLY.select(problem, pool, k)
    assert np.array_equal(filled.any(axis=1), pool.valid.any(axis=1))
    for row, place in np.argwhere(filled):
        needed = is_needed(problem, row, chosen[row, place])
        assert all_needed(problem.take(np.array([row])), chosen[row, place][None])[0] == needed
        assert needed or place > 0


@given(seed=st.integers(0, 5_000), k=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_no_number_of_a_needed_answer_can_come_nearer(seed: int, k: int) -> None:
    problem, pool = drawn(seed)
    chosen, filled, fills = EXACTLY.marked(problem, pool, k)
    step = 10.0**-problem.space.decimals
    for row, place in np.argwhere(filled & ~fills):
        point, own = chosen[row, place], problem.x[row]
        keys = ways_of(problem, chosen)[row]
        alone = (keys[filled[row]] == keys[place]).sum() == 1
        if not alone or not is_needed(problem, row, point):  # it fills a place
            continue
        part = problem.take(np.array([row]))
        for j in np.flatnonzero(problem.space.continuous & (point != own) & ~np.isnan(point - own)):
            near = np.repeat(point[None], 2, axis=0)
            near[0, j] = point[j] - np.sign(point[j] - own[j]) * step[j]
            near[1, j] = (point[j] + own[j]) / 2
            near = part.space.round(near)
            among = np.abs(near - own)[:, j] < np.abs(point - own)[j]
            among &= part.changed(near[None])[0, :, j]
            assert not part.clearly(part.margin(near[None], among[None])).any()


@given(seed=st.integers(0, 5_000))
@settings(max_examples=30, deadline=None)
def test_round_numbers_add_two_percent_at_most_and_stay_valid(seed: int) -> None:
    problem, pool = drawn(seed)
    exactly, filled = EXACTLY.select(problem, pool, 3)
    rows, places = np.nonzero(filled)
    part, points = problem.take(rows), exactly[rows, places]
    if len(rows):
        moved = rounder(part, points, needed=False)
        before, after = (part.distance(one[:, None])[:, 0] for one in (points, moved))
        assert (after <= before * (1 + DEARER) + 1e-6).all()
        assert (part.margin(moved[:, None]) > 0).all()


def test_a_number_becomes_round_only_if_that_is_cheap() -> None:
    data = pd.DataFrame({"income": np.arange(0, 60_001)})
    model = ifonly.as_model(lambda f: f["income"] >= 38_412, classes=["no", "yes"])
    cheap = ifonly.explain(model, data[:1], data=data, k=1)
    assert cheap.points[0, 0, 0] == 39_000
    dear = ifonly.explain(model, data[38_400:38_401], data=data, k=1)
    assert dear.points[0, 0, 0] == 38_412
    exactly = ifonly.explain(model, data[:1], data=data, k=1, method=Engine(round_numbers=False))
    assert exactly.points[0, 0, 0] == 38_412


def test_no_two_answers_are_twins_where_there_are_other_ways() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({name: rng.integers(0, 100, 300) for name in "abcd"})
    model = ifonly.as_model(lambda f: f.sum(axis=1) > 260, classes=["no", "yes"])
    rows = data[data.sum(axis=1) < 200][:20]
    answers = ifonly.explain(model, rows, data=data, k=4)
    assert answers.filled.all()
    assert not answers.extra.any()
    for x, points in zip(answers.x, answers.points, strict=True):
        for one, other in combinations(points, 2):
            same = (np.sign(one - x) == np.sign(other - x)).all()
            assert not same or (np.abs(one - other) > 5).any()


def test_wide_changes_are_trimmed_in_a_handful_of_calls() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.integers(0, 2, (60, 400)), columns=[f"f{i}" for i in range(400)])
    model = ifonly.as_model(lambda f: f["f7"] + f["f9"] == 2, classes=["no", "yes"])
    rows = data[data["f7"] + data["f9"] < 2][:2]
    answers = ifonly.explain(model, rows, data=data, k=1)
    assert (answers.changed().sum(axis=-1) <= 2).all()
    assert answers.record["model_calls"] < 60


def test_very_wide_points_are_trimmed_before_their_numbers_move() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(80, 150)).round(2), columns=[f"f{i}" for i in range(150)])
    first = [f"f{i}" for i in range(9)]
    # Nine features must change together, more than the edits of the search do.
    model = ifonly.as_model(lambda f: (f[first] > 0).all(axis=1), classes=["no", "yes"])
    data.loc[:19, first] = data.loc[:19, first].abs() + 0.01
    row = data[40:41].assign(**dict.fromkeys(first, -1.0))
    answers = ifonly.explain(model, row, data=data, k=2)
    assert answers.filled.all()
    assert answers.changed()[0, 0].sum() == 9
    assert answers.record["model_rows"] < 60_000


def test_nothing_is_chosen_from_nothing() -> None:
    problem = random_problem(3, q=2)
    points = np.repeat(problem.x[:, None], 3, axis=1)
    pool = Pool(points, np.full(points.shape[:2], -np.inf))
    assert not Ways().select(problem, pool, 3)[1].any()


def test_a_way_is_what_changes_and_in_which_direction() -> None:
    problem = random_problem(3, q=2)
    pool = random_pool(problem, 3)
    keys = ways_of(problem, pool.points)
    way = np.sign(pool.points - problem.x[:, None])
    way = np.where(problem.space.continuous, way, pool.points)
    way = np.where(problem.changed(pool.points), np.nan_to_num(way, nan=-7.0), -9.0)
    for row in range(2):
        same = (way[row][:, None] == way[row][None]).all(axis=2)
        assert np.array_equal(same, keys[row][:, None] == keys[row][None])


@pytest.mark.parametrize("size", [2, 3, WHOLE, WHOLE + 1, 44, 400])
def test_the_sets_that_are_reverted_are_all_or_bounded(size: int) -> None:
    sets = _sets(size)
    assert len(np.unique(sets, axis=0)) == len(sets) <= MOST
    assert sets.any(axis=1).all()
    assert (~sets).any(axis=1).all()
    if size <= WHOLE:
        assert len(sets) == 2**size - 2
    elif size <= 44:
        assert len(sets) == size + size * (size - 1) // 2
