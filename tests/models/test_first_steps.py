"""A pipeline's first steps run once for decisions and scores, and nobody can tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from ifonly.models.adapt import adapt
from ifonly.models.adapters.table import MOST_KEPT
from ifonly.space import Space

DRAWS = np.random.default_rng(0).normal(size=(2 * MOST_KEPT, 3))
DATA = pd.DataFrame(DRAWS, columns=["a", "b", "c"])
LABELS = np.where(DRAWS.sum(axis=1) > 0, "yes", "no")


class Spoils(LogisticRegression):
    """An estimator that leaves other numbers in what it was asked with."""

    def predict(self, X):
        said = super().predict(X)
        X[:] = 0
        return said


class Counts(FunctionTransformer):
    """A step that counts how often it runs."""

    runs = 0

    def transform(self, X):
        Counts.runs += 1
        return super().transform(X)


def adapted(model):
    space = Space.infer(DATA)
    return adapt(model, space, DRAWS[:8]), space


@pytest.mark.parametrize("first", ["passthrough", StandardScaler()])
@pytest.mark.parametrize("last", [LogisticRegression(), Spoils()])
@pytest.mark.parametrize("n", [1, 7, MOST_KEPT, MOST_KEPT + 1])
def test_decisions_and_scores_are_the_pipelines_own_in_any_order(first, last, n):
    pipeline = Pipeline([("first", first), ("last", last)]).fit(DATA, LABELS)
    model, space = adapted(pipeline)
    for rows in (DRAWS[:n], DRAWS[n : 2 * n]):
        codes = space.codes(pd.DataFrame(rows, columns=DATA.columns))
        asked = [model.decide, model.scores, model.scores, model.decide]
        said = [np.asarray(ask(codes)) for ask in asked]
        frame = space.rows(codes)
        for decided in (said[0], said[3]):
            assert np.array_equal(pipeline.classes_[decided], pipeline.predict(frame.copy()))
        for scores in said[1:3]:
            assert np.array_equal(scores, pipeline.predict_proba(frame.copy()))


def test_the_first_steps_run_once_for_a_decision_and_its_scores():
    model, space = adapted(make_pipeline(Counts(), LogisticRegression()).fit(DATA, LABELS))
    codes = space.codes(DATA[:5])
    before = Counts.runs
    model.decide(codes)
    model.scores(codes)
    assert Counts.runs == before + 1


def test_a_method_of_the_pipeline_itself_is_asked():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(DATA, LABELS)
    pipeline.predict = lambda frame: np.full(len(frame), "yes")
    model, space = adapted(pipeline)
    assert model.decide(space.codes(DATA[:50])).all()


def test_a_pipeline_of_another_class_is_asked_whole():
    class Always(Pipeline):
        def predict(self, X):
            return np.full(len(X), "yes")

    model, space = adapted(
        Always(make_pipeline(StandardScaler(), LogisticRegression()).steps).fit(DATA, LABELS)
    )
    assert model.decide(space.codes(DATA[:50])).all()
