"""The last step of a pipeline is asked directly, bit for bit as the pipeline itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)

import ifonly
from ifonly.models.reading.points import spread
from ifonly.models.routes.leaf_sets import LeafSets
from ifonly.models.routes.pipeline_table import MOST_VALUES, Direct

xgboost: Any = pytest.importorskip("xgboost")
RANDOM = np.random.default_rng(0)
DATA = pd.DataFrame({"age": RANDOM.integers(18, 60, 200), "job": RANDOM.choice([*"abcd"], 200)})
CODES = {**dict.fromkeys("abcd", 0), "c": 30}
LABELS = (DATA["age"] + DATA["job"].map(CODES) > 50).to_numpy().astype(int)


def beside_leaves(setting: Any) -> Any:
    """The route, or the one that sets of leaves fall back to."""
    route = setting.route
    return route.other if isinstance(route, LeafSets) else route


def route_of(last: Any, *, sparse: bool, early: bool = False) -> str:
    """The name of the way to the scores of a pipeline's last step, after it gave the same."""
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=sparse), ["job"]),
        (StandardScaler(), ["age"]),
        sparse_threshold=1.0 if sparse else 0.0,
    )
    pipeline = make_pipeline(encode, last).fit(DATA, LABELS)
    if early:  # as if training had stopped after two trees
        last.get_booster().set_attr(best_iteration="1", best_score="0.5")
    setting = ifonly.Explainer(pipeline, data=DATA).setting
    route = beside_leaves(setting)
    assert isinstance(route, Direct)
    codes = spread(setting.space, 500, seed=1)
    assert np.array_equal(route.scores(codes), setting.model.scores(codes))
    ask = route.ask
    return str(ask.func.__name__ if isinstance(ask, partial) else ask.__name__)


@pytest.mark.parametrize("sparse", [True, False])
def test_a_forest_is_asked_tree_by_tree(sparse: bool) -> None:
    assert route_of(RandomForestClassifier(5, random_state=0), sparse=sparse) == "by_trees"


@pytest.mark.parametrize("sparse", [True, False])
def test_xgboost_is_asked_for_its_trees(sparse: bool) -> None:
    assert route_of(xgboost.XGBClassifier(n_estimators=5, n_jobs=1), sparse=sparse) == "_boosted"


def test_xgboost_that_uses_some_of_its_trees_is_asked_itself() -> None:
    last = xgboost.XGBClassifier(n_estimators=5, n_jobs=1)
    assert route_of(last, sparse=True, early=True) == "predict_proba"


INCOMES = DATA.assign(income=RANDOM.lognormal(10, 1, 200).round(2))
GAPS = INCOMES.assign(
    job=INCOMES["job"].where(RANDOM.random(200) < 0.9),
    income=INCOMES["income"].where(RANDOM.random(200) < 0.9),
)


def explained(number: Any, last: Any, data: pd.DataFrame = INCOMES) -> ifonly.Explainer:
    """An explainer of a pipeline over incomes in cents, which are too many for a table."""
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["job"]), (number, ["age", "income"])
    )
    pipeline = make_pipeline(encode, last).fit(data, data["income"] > 20_000)
    return ifonly.Explainer(pipeline, data=data)


def check_route(setting: Any) -> None:
    """The route gives to the bit what the model gives, also of values that no entry is for."""
    route = beside_leaves(setting)
    assert isinstance(route, Direct)
    assert setting.space.count(2) > MOST_VALUES
    codes = spread(setting.space, 500, seed=1)
    beyond = codes[:9].copy()
    beyond[:, 2] = 1e9
    for some in (codes, beyond):
        assert np.array_equal(route.scores(some), setting.model.scores(some))


@pytest.mark.parametrize("number", ["passthrough", StandardScaler(), RobustScaler()])
@pytest.mark.parametrize(
    "last", [RandomForestClassifier(5, random_state=0), xgboost.XGBClassifier(n_estimators=5)]
)
def test_numbers_that_are_passed_on_or_scaled_need_no_table(number: Any, last: Any) -> None:
    check_route(explained(number, last).setting)


@pytest.mark.parametrize(
    "number",
    ["passthrough", StandardScaler(), make_pipeline(SimpleImputer(), StandardScaler())],
)
def test_missing_values_have_entries_of_their_own(number: Any) -> None:
    setting = explained(number, HistGradientBoostingClassifier(max_iter=5), GAPS).setting
    codes = setting.space.codes(GAPS)
    assert np.isnan(codes).any(axis=0)[[1, 2]].all()
    route = beside_leaves(setting)
    assert isinstance(route, Direct)
    assert np.array_equal(route.scores(codes), setting.model.scores(codes))


@pytest.mark.parametrize("number", [KBinsDiscretizer(3), PolynomialFeatures(), PowerTransformer()])
def test_many_numbers_that_become_something_else_are_not_looked_up(number: Any) -> None:
    setting = explained(number, RandomForestClassifier(5, random_state=0)).setting
    assert beside_leaves(setting) is setting.model
