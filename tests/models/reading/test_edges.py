"""Where a number changes sides is exact: in the library's precision, and off the value grid too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from ifonly import Continuous, Space
from ifonly.models import adapt
from ifonly.models.reading import check_reading, code_at, read, span, step_below
from ifonly.models.reading.trees.regions import regions
from ifonly.testing import random_codes


def lightgbm() -> Any:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(n_estimators=4, min_child_samples=2, verbose=-1, n_jobs=1)


def xgboost() -> Any:
    from xgboost import XGBRegressor

    return XGBRegressor(n_estimators=4, n_jobs=1)


LIBRARIES: dict[str, Callable[[], Any]] = {
    "tree": lambda: DecisionTreeRegressor(random_state=0),
    "forest": lambda: RandomForestRegressor(4, random_state=0),
    "histogram": lambda: HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=2),
    "xgboost": xgboost,
    "lightgbm": lightgbm,
}
COLUMNS = {
    # Single precision has only every second of these whole numbers.
    "large": np.arange(2**24 - 20, 2**24 + 60, 3),
    "cents of millions": np.round(np.arange(1_000_000, 1_000_004, 0.07), 2),
    "tenths": np.round(np.arange(-0.9, 1.2, 0.1), 1),
    "single": np.round(np.arange(-0.9, 1.2, 0.1), 1).astype(np.float32),
    "full": np.random.default_rng(0).normal(size=60),
    "small": np.arange(0, 120, 2, dtype=np.uint8),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_number_changes_sides_where_the_library_says(
    library: str, column: str, scaled: bool
) -> None:
    values = COLUMNS[column]
    data = pd.DataFrame({"x": np.repeat(values, 4)})
    outcome = np.random.default_rng(1).normal(size=len(values)).repeat(4)
    model = LIBRARIES[library]()
    if scaled:
        model = make_pipeline(StandardScaler(), model)
    model.fit(data, outcome)
    space = Space.infer(data)
    adapted = adapt(model, space, space.codes(data[:3]))
    reading = read(model, adapted, space, space.codes(data))
    points = [space.codes(data)]
    feature = space.features[0]
    first, last = span(feature)
    for tree in reading.trees:
        steps = step_below(feature, tree.cut)[:, None] + np.arange(-2, 4)
        points.append(code_at(feature, np.clip(steps, first, last)).reshape(-1, 1))
        if data["x"].dtype.kind == "f":  # no whole-number column holds these
            points += [tree.cut[:, None], np.nextafter(tree.cut, np.inf)[:, None]]
    codes = np.concatenate(points)
    codes = codes[np.isfinite(codes[:, 0])]
    tolerance = 1e-6 if library == "xgboost" else 1e-12
    assert np.abs(reading.scores(codes) - adapted.scores(codes)).max() < tolerance
    assert sum(len(tree.feature) for tree in reading.trees) > 4
    check_reading(reading, adapted, space, codes)


@pytest.mark.parametrize("shape", [np.negative, np.log1p, np.cbrt, np.floor])
def test_any_step_that_keeps_or_turns_the_order_is_read(shape: Any) -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"x": rng.uniform(0, 99, 200).round(1), "y": rng.integers(0, 9, 200)})
    model = make_pipeline(FunctionTransformer(shape), DecisionTreeRegressor(max_depth=7))
    model.fit(data, rng.normal(size=200))
    space = Space.infer(data)
    adapted = adapt(model, space, space.codes(data[:3]))
    reading = read(model, adapted, space, space.codes(data))
    codes = random_codes(space, 4000, 0)
    assert (reading.scores(codes) == adapted.scores(codes)).all()
    check_reading(reading, adapted, space, codes)


def test_what_lies_outside_the_range_is_read_too() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"x": rng.uniform(0, 99, 200).round(1), "y": rng.integers(0, 9, 200)})
    model = make_pipeline(StandardScaler(), DecisionTreeRegressor()).fit(data, data.sum(axis=1))
    narrow = Space.describe(
        {"name": "x", "low": 40, "high": 50, "decimals": 1}, {"name": "y", "low": 3, "high": 4}
    )
    codes = Space.infer(data).codes(data)
    adapted = adapt(model, narrow, codes[:3])
    reading = read(model, adapted, narrow, codes)
    assert (reading.scores(codes) == adapted.scores(codes)).all()


def test_a_leaf_gets_the_points_of_its_region(tree_example: Any) -> None:
    reading, space = tree_example.reading, tree_example.space
    codes = random_codes(space, 300, seed=5)
    for tree, leaf in zip(reading.trees[:3], reading.leaves(codes).T, strict=False):
        _, leaves = regions(tree, space)
        gap = np.isnan(codes)
        inside = (codes > leaves.low[leaf]) & (codes <= leaves.high[leaf])
        for j in np.flatnonzero(~space.continuous):
            level = space.offsets[j] + np.nan_to_num(codes[:, j]).astype(int)
            inside[:, j] = leaves.levels[leaf, level]
        assert np.where(gap, leaves.missing[leaf], inside).all()


@given(
    decimals=st.integers(0, 6),
    value=st.floats(-5000, 5000) | st.sampled_from([np.inf, -np.inf]),
)
def test_a_step_below_is_the_last_code_that_is_not_above(decimals: int, value: float) -> None:
    feature = Continuous("x", -1000, 1000, decimals)
    step = int(step_below(feature, np.array(value)))
    first, last = span(feature)
    assert first - 1 <= step <= last
    assert step < first or code_at(feature, step) <= value
    assert step == last or code_at(feature, step + 1) > value
