"""XGBoost and forests are asked with arrays where these tell them the same as the frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

import ifonly
from ifonly.models.reading.points import spread
from ifonly.models.routes.bare import Bare
from ifonly.models.routes.leaf_sets import LeafSets

xgboost: Any = pytest.importorskip("xgboost")


def table(seed: int) -> pd.DataFrame:
    rng, n = np.random.default_rng(seed), 150
    frame = pd.DataFrame(
        {
            "whole": rng.integers(-5, 90, n),
            "large": rng.integers(2**24, 2**31, n),
            "single": rng.normal(0, 9, n).round(3).astype(np.float32),
            "double": rng.normal(0, 9, n).round(3),
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(2)),
        }
    )
    return frame[list(rng.permutation(frame.columns))]


def fitted(frame: pd.DataFrame, kind: Any = None) -> Any:
    model = (kind or xgboost.XGBClassifier)(n_estimators=8, n_jobs=1, enable_categorical=True)
    return model.fit(frame, frame.iloc[:, 0] + frame["double"] > frame.iloc[:, 0].median())


def check_array(setting: Any, seed: int) -> None:
    """What sets of leaves fall back to is an array, and gives to the bit what the frame gives."""
    assert isinstance(setting.route, LeafSets)
    route = setting.route.other
    assert isinstance(route, Bare)
    codes = spread(setting.space, 500, seed=seed)
    assert np.array_equal(route.scores(codes), setting.model.scores(codes))


@pytest.mark.parametrize("seed", range(6))
def test_an_array_gives_bit_for_bit_the_scores_of_the_frame(seed: int) -> None:
    frame = table(seed)
    columns = list(np.random.default_rng(seed).permutation(frame.columns))
    check_array(ifonly.Explainer(fitted(frame), data=frame[columns]).setting, seed)


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_a_forest_is_asked_tree_by_tree(kind: Any) -> None:
    frame = table(1)
    label = pd.cut(frame["double"], 3, labels=False)
    forest = kind(7, random_state=0).fit(frame, label)
    check_array(ifonly.Explainer(forest, data=frame).setting, seed=1)


def test_answers_are_the_same_as_with_frames() -> None:
    frame = table(0)
    quick, plain = (ifonly.Explainer(fitted(frame), data=frame) for _ in range(2))
    assert isinstance(quick.setting.route, LeafSets)
    quick.setting = replace(quick.setting, route=quick.setting.route.other)
    plain.setting = replace(plain.setting, route=plain.setting.model)
    first, second = (one.explain(frame[:6], k=3) for one in (quick, plain))
    assert np.array_equal(first.points, second.points, equal_nan=True)
    assert first.status == second.status
    assert first.record["route"] == "arrays of its numbers"
    assert second.record["route"] == "the model itself"


def other(seed: int) -> Any:
    """A class of the user's own, which may look at the names of the columns."""

    class Own(xgboost.XGBClassifier):  # type: ignore[misc]
        pass

    return fitted(table(seed), Own), table(seed)


def mixed(seed: int) -> Any:
    """A frame with a column that is no number."""
    frame = table(seed).assign(job=pd.Categorical(["a", "b"] * 75))
    return fitted(frame), frame


@pytest.mark.parametrize("source", [other, mixed])
def test_a_class_or_a_frame_of_another_kind_is_asked_as_before(source: Any) -> None:
    model, frame = source(0)
    setting = ifonly.Explainer(model, data=frame).setting
    route = setting.route.other if isinstance(setting.route, LeafSets) else setting.route
    assert route is setting.model


def test_a_route_that_contradicts_the_model_is_not_taken_again() -> None:
    frame = table(0)
    explainer = ifonly.Explainer(fitted(frame), data=frame)
    route = getattr(explainer.setting.route, "other", None)
    assert isinstance(route, Bare)
    turned = replace(route, order=route.order[::-1])
    explainer.setting = replace(explainer.setting, route=turned)
    answers = explainer.explain(frame[:4], k=2)
    assert answers.record["contradicted"]
    assert answers.filled.any(axis=1).all()
