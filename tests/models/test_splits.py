"""Tree models answer from their own thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.search import Engine

STEP = np.array([120.5, 260.25, 731.75])


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.uniform(0, 1000, 400).round(2), "b": rng.integers(0, 9, 400)})


def lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=15, verbose=-1, n_jobs=1)


def xgboost() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=15, n_jobs=1)


def catboost() -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(iterations=15, verbose=0, allow_writing_files=False, thread_count=1)


MODELS = {
    "forest": lambda: RandomForestClassifier(15, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=15),
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "catboost": catboost,
}


@pytest.mark.parametrize("kind", MODELS)
def test_nothing_changes_between_two_stops(kind: str, data: pd.DataFrame) -> None:
    outcome = (np.digitize(data["a"], STEP) + data["b"]) % 2
    model = MODELS[kind]().fit(data, outcome)
    stops = ifonly.Explainer(model, data=data).setting.grid.stops[0]
    assert len(stops) > 4
    rng = np.random.default_rng(1)
    values = rng.uniform(stops[0], stops[-1], 500).round(2)
    below = stops[np.searchsorted(stops, values, side="right") - 1]
    above = stops[np.minimum(np.searchsorted(stops, values), len(stops) - 1)]
    row = {"b": rng.integers(0, 9, 500)}
    score = [
        model.predict_proba(pd.DataFrame({"a": ends, **row}))[:, 1]
        for ends in (values, below, above)
    ]
    # A value between two stops has the score of at least one of them, and of both where they
    # are the two ends of one leaf's range.
    assert (np.isclose(score[0], score[1]) | np.isclose(score[0], score[2])).all()


def test_a_pipeline_of_trees_has_stops_in_the_datas_own_numbers(data: pd.DataFrame) -> None:
    outcome = (data["a"] > 260).astype(int)
    coarse = data.assign(a=data["a"].round())
    model = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0))
    model.fit(coarse, outcome)
    exactly = Engine(round_numbers=False)
    answers = ifonly.explain(model, coarse[:20], data=coarse, k=1, method=exactly)
    stops = set(answers.source.setting.grid.stops[0])
    assert stops <= set(np.arange(0, 1001))
    changed = answers.changed()[:, 0, 0]
    assert set(answers.points[changed, 0, 0]) <= stops


def test_a_number_that_no_tree_asks_has_no_stops_and_breaks_nothing() -> None:
    data = pd.DataFrame({"a": np.arange(40), "b": np.arange(40) % 7})
    stump = DecisionTreeClassifier(max_depth=1)
    for model in (stump, make_pipeline(StandardScaler(), stump)):
        model.fit(data, data["a"] > 20)
        answers = ifonly.explain(model, data[:5], data=data, k=2)
        assert answers.filled.any(axis=1).all()
