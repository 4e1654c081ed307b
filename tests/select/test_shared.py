"""Ways that share the work of a change, and fillers that give way to them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.search import Engine
from ifonly.select.shared import VALUES, shared
from ifonly.testing import random_codes, random_problem


def staff(hours_weigh: float = 1.0) -> tuple[pd.DataFrame, LogisticRegression]:
    """People whose outcome depends on hours, and a little on a mark from 1 to 3."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "hours": rng.uniform(20, 60, 400).round(1),
            "mark": rng.integers(1, 4, 400),
            "town": rng.choice(["a", "b"], 400),
        }
    )
    kept = hours_weigh * data["hours"] + 2.0 * data["mark"] > 44
    encoded = data.assign(town=0.0)
    model = LogisticRegression(C=100, max_iter=5000).fit(encoded, kept)
    return data, model


def test_a_row_with_one_way_gets_another_that_shares_the_work() -> None:
    data, model = staff()
    asked = ifonly.as_model(
        lambda frame: model.predict_proba(frame.assign(town=0.0))[:, 1], classes=["no", "yes"]
    )
    rows = data[(data["hours"] < 34) & (data["mark"] == 1)][:20]
    answers = ifonly.explain(asked, rows, data=data, k=2, target="yes")
    assert not answers.extra.any()
    changed = {tuple(np.flatnonzero(one).tolist()) for one in answers.changed().reshape(-1, 3)}
    assert changed == {(0,), (0, 1)}


def test_where_few_points_are_possible_none_of_them_is_missed_for_a_filler() -> None:
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.integers(0, 3, (300, 4)), columns=list("abcd")).astype("category")
    codes = data.astype(int)
    # Only one pair of changes, of 54 points, is a second way.
    yes = (codes["a"] == 2) | ((codes["b"] == 2) & (codes["c"] == 2))
    table = {tuple(row): bool(one) for row, one in zip(codes.to_numpy(), yes, strict=True)}
    asked = ifonly.as_model(
        lambda frame: np.array(
            [table.get(tuple(map(int, row)), False) for row in frame.to_numpy()]
        ),
        classes=["no", "yes"],
    )
    row = data[(codes[["a", "b", "c"]] == 0).all(axis=1)][:1]
    method = Engine(effort="small")
    answers = ifonly.explain(asked, row, data=data, k=2, target="yes", method=method)
    assert not answers.extra.any()


@pytest.mark.sample(4)
@given(seed=st.integers(0, 5_000))
def test_law_shared_ways_are_valid_and_change_one_feature_more(seed: int) -> None:
    problem = random_problem(seed, q=3)
    points = np.stack([random_codes(problem.space, 6, seed + i) for i in range(3)])
    pool = problem.ask(problem.box.clip(points)).without_repeats()
    found = shared(problem, pool, 6)
    valid = problem.margin(found.points, found.valid) > 0
    assert (valid == found.valid).all()
    if problem.tied.any():
        return  # a repair may change more
    before = problem.changed(pool.points)[:, :, None]
    after = problem.changed(found.points)[:, None]
    one_more = (after & ~before).sum(axis=-1) == 1
    assert (one_more & pool.valid[:, :, None]).any(axis=1)[found.valid].all()


def test_law_a_row_of_shared_ways_does_not_depend_on_the_batch() -> None:
    problem = random_problem(3, q=5)
    points = np.stack([random_codes(problem.space, 6, i) for i in range(5)])
    pool = problem.ask(problem.box.clip(points)).without_repeats()
    whole = shared(problem, pool, 6)
    for row in range(5):
        alone = shared(problem.take(np.array([row])), pool.take(np.array([row])), 6)
        assert np.array_equal(alone.points[0][alone.valid[0]], whole.points[row][whole.valid[row]])


def test_nothing_is_tried_in_a_wide_table() -> None:
    data = pd.DataFrame(np.random.default_rng(0).normal(size=(50, VALUES + 1)).round(2))
    data.columns = [f"c{j}" for j in data]
    asked = ifonly.as_model(lambda frame: frame["c0"] > 0, classes=["no", "yes"])
    answers = ifonly.explain(asked, data[data["c0"] < 0][:2], data=data, k=2)
    assert answers.filled.any(axis=1).all()


def test_needed_ones_stay_needed_after_the_numbers_come_back() -> None:
    data, model = staff()
    asked = ifonly.as_model(
        lambda frame: model.predict_proba(frame.assign(town=0.0))[:, 1], classes=["no", "yes"]
    )
    rows = data[data["hours"] < 34][:30]
    answers = ifonly.explain(asked, rows, data=data, k=3, target="yes")
    kept = answers.filled & ~answers.extra
    for point, row in zip(
        answers.points[kept], np.repeat(answers.x, kept.sum(axis=1), axis=0), strict=True
    ):
        for j in np.flatnonzero(point != row):
            less = point.copy()
            less[j] = row[j]
            frame = answers.space.rows(less[None]).assign(town=0.0)
            assert (point != row).sum() == 1 or model.predict(frame)[0] == np.False_
