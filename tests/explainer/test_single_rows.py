"""One row at a time, with other rules, weights and diversity: nothing is prepared again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import ifonly
from ifonly.select import tight
from ifonly.space.distance import priced

ASKED: Counter[str] = Counter()


class Counting(Pipeline):
    """A pipeline that notes how often it is asked."""

    def predict(self, X: Any, **params: Any) -> Any:
        ASKED["calls"] += 1
        return super().predict(X, **params)

    def predict_proba(self, X: Any, **params: Any) -> Any:
        ASKED["calls"] += 1
        return super().predict_proba(X, **params)


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.normal(size=300).round(2) for name in "abcdef"})


@pytest.fixture(scope="module", params=["logistic", "forest"])
def pipeline(request: Any, data: pd.DataFrame) -> Counting:
    forest = RandomForestClassifier(20, random_state=0, n_jobs=1)
    last = LogisticRegression() if request.param == "logistic" else forest
    steps = make_pipeline(StandardScaler(), last).steps
    return Counting(steps).fit(data, data["a"] + data["b"] > 0.3)


def test_a_row_is_answered_with_two_calls_of_the_model(
    pipeline: Counting, data: pd.DataFrame
) -> None:
    explainer = ifonly.Explainer(pipeline, data=data)
    refused = data[~pipeline.predict(data)]
    for i, name in enumerate("cdef"):
        row = refused[i : i + 1]
        ASKED.clear()
        answers = explainer.explain(
            row, k=3, rules=[f"{name} fixed"], weights={"a": 1.0 + i}, diversity=0.3 + 0.1 * i
        )
        assert ASKED["calls"] <= 2
        assert answers.filled.all()
        assert answers.row_score == pytest.approx(pipeline.predict_proba(row)[:, 1], abs=1e-12)


def test_bisection_ends_where_a_tree_has_no_further_stop(
    data: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds, once = Counter[str](), tight._bisect

    def counted(*args: Any) -> None:
        rounds["all"] += 1
        once(*args)

    monkeypatch.setattr(tight, "_bisect", counted)
    fine = data + np.random.default_rng(1).random(data.shape).round(5) / 100
    forest = RandomForestClassifier(5, random_state=0, n_jobs=1)
    forest.fit(fine, fine["a"] + fine["b"] + fine["c"] > 0.6)
    refused = fine[~forest.predict(fine)][:10]
    assert ifonly.explain(forest, refused, data=fine, k=3).filled.all()
    assert rounds["all"] <= 40


def test_other_weights_keep_what_is_known_of_the_features(data: pd.DataFrame) -> None:
    space = ifonly.Space.infer(data.assign(job="a"))
    other = priced(space, weights={"a": 2.0})
    assert other.weights == {"a": 2.0}
    assert not space.weights
    assert other._level_arrays is space._level_arrays
    assert other.fingerprint == ifonly.Space.infer(data.assign(job="a")).fingerprint
