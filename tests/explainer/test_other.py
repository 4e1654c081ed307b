"""target='other': any class but the row's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import ifonly
from ifonly.errors import OptionError, TargetError

IRIS = load_iris(as_frame=True)
DATA = IRIS.data.rename(columns=lambda name: name.replace(" (cm)", "").replace(" ", "_"))
KIND = IRIS.target.map(dict(enumerate(IRIS.target_names)))
ROWS = DATA[::10]


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(max_iter=2000),
        RandomForestClassifier(21, random_state=0),
        SVC(probability=True, random_state=0),  # whose predict is not the largest probability
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_answer_has_another_class_and_names_it(model: Any) -> None:
    model = model.fit(DATA, KIND)
    answers = ifonly.explain(model, ROWS, data=DATA, target="other", k=3)
    frame = answers.frame()
    assert answers.filled.any(axis=1).all()
    said = model.predict(frame[list(DATA.columns)])
    assert (said == frame["prediction"]).all()
    assert (said != model.predict(ROWS)[frame["query"]]).all()
    assert set(answers.wanted) == {"other"}


def test_an_other_class_is_no_farther_than_the_nearest_of_the_named_ones() -> None:
    model = LogisticRegression(max_iter=2000).fit(DATA, KIND)
    explainer = ifonly.Explainer(model, data=DATA)
    own = model.predict(ROWS)
    other = explainer.explain(ROWS, target="other", k=1).distance()[:, 0]
    named = np.full((len(ROWS), 3), np.inf)
    for j, kind in enumerate(model.classes_):
        rows = np.flatnonzero(own != kind)
        found = explainer.explain(ROWS.iloc[rows], target=kind, k=1)
        named[rows, j] = np.where(found.filled[:, 0], found.distance()[:, 0], np.inf)
    assert (other <= named.min(axis=1) * 1.05).mean() > 0.9


def test_other_is_opposite_where_there_are_two_classes() -> None:
    model = LogisticRegression(max_iter=2000).fit(DATA, KIND == "setosa")
    opposite = ifonly.explain(model, ROWS, data=DATA, k=2)
    other = ifonly.explain(model, ROWS, data=DATA, k=2, target="other")
    pd.testing.assert_frame_equal(opposite.frame(), other.frame())


def test_rows_may_want_another_class_or_a_named_one() -> None:
    model = LogisticRegression(max_iter=2000).fit(DATA, KIND)
    answers = ifonly.explain(model, ROWS[:2], data=DATA, k=1, target=["other", "virginica"])
    assert answers.wanted == ("other", "virginica")
    assert answers.prediction(1, 0) == "virginica"
    assert answers.prediction(0, 0) in ("versicolor", "virginica")


def test_answers_of_another_class_are_saved_shown_and_asked_again() -> None:
    model = LogisticRegression(max_iter=2000).fit(DATA, KIND)
    answers = ifonly.explain(model, ROWS[:3], data=DATA, k=2, target="other")
    saved = ifonly.Answers.from_json(answers.to_json())
    assert saved.to_json() == answers.to_json()
    pd.testing.assert_frame_equal(saved.frame(), answers.frame())
    assert saved.sentences() == answers.sentences()
    again = ifonly.explain_again(answers.record, model, ROWS[:3], data=DATA)
    pd.testing.assert_frame_equal(again.frame(), answers.frame())
    assert "another class" in answers.to_html()
    assert answers[0].frame()["prediction"].tolist() == answers.frame()["prediction"][:2].tolist()
    for one in answers.frontier([0.1, 0.9]).values():
        frame = one.frame()
        assert (model.predict(frame[list(DATA.columns)]) == frame["prediction"]).all()


def test_what_needs_one_class_says_so() -> None:
    model = LogisticRegression(max_iter=2000).fit(DATA, KIND)
    with pytest.raises(TargetError, match="target='other'"):
        ifonly.explain(model, ROWS, data=DATA)
    for options in ({"method": "exact"}, {"method": "gradient"}, {"certify": True}):
        with pytest.raises(OptionError, match="one wanted class"):
            ifonly.explain(model, ROWS[:1], data=DATA, target="other", **options)
