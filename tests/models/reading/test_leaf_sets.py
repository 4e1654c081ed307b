"""Sets of leaves give the scores of the trees' own library, wherever a point lies."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import ifonly
from ifonly.models.reading.points import spread
from ifonly.models.routes import leaf_sets
from ifonly.models.routes.leaf_sets import LeafSets
from ifonly.solve.prepare import Setting


def prepared(example: Any) -> Setting:
    """The setting of an example's model and data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # models this small may be far off
        data = example.adapted.frame(example.codes)
        return ifonly.Explainer(example.model, data=data, space=example.space).setting


def odd_points(setting: Setting, codes: np.ndarray, seed: int) -> np.ndarray:
    """Points on the value grid, off it, and of the data."""
    points, numbers = spread(setting.space, 300, seed=seed), setting.space.continuous
    off = points.copy()
    steps = 10.0 ** -setting.space.decimals[numbers]
    off[:, numbers] += np.random.default_rng(seed).uniform(-0.5, 0.5, off[:, numbers].shape) * steps
    return np.concatenate([points, off, codes])


def test_scores_are_those_of_the_library(
    case: tuple[str, str], example: Callable[[str, str, int], Any]
) -> None:
    one = example(*case, 1)
    setting = prepared(one)
    route = setting.route
    if not hasattr(one.reading, "trees"):
        assert not isinstance(route, LeafSets)
        return
    assert isinstance(route, LeafSets), case
    points = odd_points(setting, one.codes, seed=len(case[0]))
    said, wanted = route.scores(points), setting.model.scores(points)
    assert np.allclose(said, wanted, rtol=0, atol=route.rounding * (1 + np.abs(wanted).max()))
    # Ties between classes are decided alike: a forest's shares are those of its own sum.
    if one.reading.link == "shares":
        assert np.array_equal(said, wanted)


def test_a_point_has_the_same_score_in_any_batch(tree_example: Any) -> None:
    route = prepared(tree_example).route
    points = odd_points(prepared(tree_example), tree_example.codes, seed=2)
    whole = route.scores(points)
    for size, some in ((1, points[:40]), (2, points[:40]), (3, points[:40]), (333, points)):
        parts = [route.scores(some[i : i + size]) for i in range(0, len(some), size)]
        assert np.array_equal(np.concatenate(parts), whole[: len(some)])
    assert route.scores(points[:0]).shape == (0, whole.shape[1])


def test_what_has_no_place_is_asked_by_the_other_route(tree_example: Any) -> None:
    setting = prepared(tree_example)
    route, space = setting.route, setting.space
    assert isinstance(route, LeafSets)
    asked: list[int] = []

    class Other:
        classes = route.classes

        def scores(self, codes: np.ndarray) -> np.ndarray:
            asked.append(len(codes))
            return np.zeros((len(codes), max(1, len(self.classes))))

    watched = replace(route, other=Other())
    points = np.asarray(space.round(spread(space, 50, seed=3)))
    watched.scores(points)
    assert not asked
    j = route.places.numbers[0]
    points[::5, j] = space.high[j] + 1e9
    points[1::5, j] = np.nan
    scores = watched.scores(points)
    gaps = 0 if space.features[j].missing else 10
    assert asked == [10 + gaps]
    assert not scores[::5].any()


def test_trees_of_many_words_and_large_ones() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4000, 5)).round(2)
    frame = pd.DataFrame(values, columns=list("abcde"))
    label = (values.prod(axis=1) > 0).astype(int)
    for leaves, taken in ((150, True), (leaf_sets.WORDS * 64 + 60, False)):
        forest = RandomForestClassifier(5, max_leaf_nodes=leaves, random_state=0).fit(frame, label)
        setting = ifonly.Explainer(forest, data=frame).setting
        assert isinstance(setting.route, LeafSets) == taken
        codes = spread(setting.space, 500, seed=1)
        assert np.array_equal(setting.route.scores(codes), setting.model.scores(codes))


def test_a_class_of_the_users_own_is_asked_as_it_is() -> None:
    class Own(RandomForestClassifier):
        """A forest that may decide by something else."""

    frame = pd.DataFrame({"a": np.arange(60.0), "b": np.arange(60) % 7})
    forest = Own(4, max_depth=3, random_state=0).fit(frame, frame["a"] > 30)
    assert not isinstance(ifonly.Explainer(forest, data=frame).setting.route, LeafSets)


@pytest.mark.parametrize("budget", [5.0, {"model_rows": 100_000}])
def test_a_budget_leaves_the_route_out(budget: Any) -> None:
    frame = pd.DataFrame({"a": np.arange(60.0), "b": np.arange(60) % 7})
    forest = RandomForestClassifier(4, max_depth=3, random_state=0).fit(frame, frame["a"] > 30)
    assert isinstance(ifonly.Explainer(forest, data=frame).setting.route, LeafSets)
    limited = ifonly.Explainer(forest, data=frame, budget=budget)
    assert not isinstance(limited.setting.route, LeafSets)


def test_what_is_remembered_is_not_counted_where_rows_are_limited() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 9, (300, 4)), columns=list("abcd"))
    forest = RandomForestClassifier(8, max_depth=4, random_state=0)
    forest.fit(frame, frame.sum(axis=1) > 18)
    explainer, rows = ifonly.Explainer(forest, data=frame), frame[:5]
    free = explainer.explain(rows, k=3)
    limited = explainer.explain(rows, k=3, budget={"model_rows": 10**6})
    assert np.array_equal(free.points, limited.points)
    assert limited.record["model_rows"] < free.record["model_rows"]
