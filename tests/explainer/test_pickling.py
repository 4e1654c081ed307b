"""Explainers and answers travel between processes as they are."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly.errors import DataError, IfonlyError, MissingExtra

DATA = pd.DataFrame({"age": range(20, 60), "debt": np.linspace(9, 0, 40).round(1)})
MODEL = LogisticRegression(max_iter=1000).fit(DATA, ["no"] * 20 + ["yes"] * 20)


def test_an_explainer_answers_the_same_after_pickling() -> None:
    explainer = ifonly.Explainer(MODEL, data=DATA, rules=["age only increases"])
    before = explainer.explain(DATA[:5], k=3)
    again = pickle.loads(pickle.dumps(explainer)).explain(DATA[:5], k=3)
    assert np.array_equal(again.points, before.points)
    assert dict(again.record) == dict(before.record)


def test_answers_are_the_same_after_pickling() -> None:
    answers = ifonly.explain(MODEL, DATA[:5], data=DATA, k=3)
    again = pickle.loads(pickle.dumps(answers))
    pd.testing.assert_frame_equal(again.frame(), answers.frame())
    assert again.to_json() == answers.to_json()


def test_an_explainer_may_be_asked_by_many_threads_at_once() -> None:
    explainer = ifonly.Explainer(MODEL, data=DATA)
    alone = explainer.explain(DATA[:5], k=3)
    with ThreadPoolExecutor(4) as threads:
        asked = list(threads.map(lambda _: explainer.explain(DATA[:5], k=3), range(8)))
    for answers in asked:
        assert np.array_equal(answers.points, alone.points)
        assert dict(answers.record) == dict(alone.record)


def test_answers_are_frozen() -> None:
    answers = ifonly.explain(MODEL, DATA[:1], data=DATA, k=1)
    with pytest.raises(AttributeError):
        answers.status = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    "error", [DataError("what is wrong", "what to do"), MissingExtra("torch", "torch")]
)
def test_an_error_travels_with_its_hint(error: IfonlyError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.hint == error.hint
