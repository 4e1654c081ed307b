"""An answer that only fills a place is marked in the frame, in the metrics and in its sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.render.wording import unread
from ifonly.search import Engine

RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {"income": RNG.integers(10, 90, 200), "age": RNG.integers(18, 80, 200), "job": ["a", "b"] * 100}
)
RICH = ifonly.as_model(lambda frame: frame["income"] >= 50, classes=["no", "yes"])
ROWS = DATA[DATA["income"] < 40][:8]


def test_places_for_which_there_is_no_other_way_are_filled_and_marked() -> None:
    answers = ifonly.explain(RICH, ROWS, data=DATA, k=3)
    assert answers.filled.all()
    assert not answers.extra[:, 0].any()
    assert answers.extra[:, 1:].all()
    assert answers.frame()["extra"].tolist() == [False, True, True] * len(ROWS)
    assert answers.metrics()["extra"].tolist() == [2] * len(ROWS)
    income = answers.changed()[:, :, 1:].sum(axis=2) == 0  # alone, and so as the first one does
    for (first, *others), alone in zip(answers.sentences(), income, strict=True):
        assert " It " not in first
        for one, twin in zip(others, alone[1:], strict=True):
            said = "resembles another answer" if twin else "changes more than needed"
            assert f" It {said}." in one
    again = ifonly.Answers.from_json(answers.to_json())
    assert np.array_equal(again.extra, answers.extra)
    assert np.array_equal(answers[2:4].extra, answers.extra[2:4])


def test_a_column_that_the_model_does_not_read_changes_only_to_fill_a_place() -> None:
    answers = ifonly.explain(RICH, ROWS, data=DATA, k=3)
    unread = answers.changed()[:, :, 1:].any(axis=2)
    assert not (unread & ~answers.extra).any()


def test_the_former_choice_marks_nothing() -> None:
    former = Engine(needed=False, tight=False)
    answers = ifonly.explain(RICH, ROWS, data=DATA, k=3, method=former)
    assert not answers.extra.any()


def tree(columns: list[str]) -> Any:
    """A pipeline that reads the income, of which a column is dropped and others never asked."""
    encode = make_column_transformer((StandardScaler(), columns), remainder="drop")
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=1))
    return model.fit(DATA, DATA["income"] >= 50)


@pytest.mark.parametrize("columns", [["income"], ["age", "income"]])
def test_a_change_that_the_model_ignores_does_not_count_where_it_fills_a_place(
    columns: list[str],
) -> None:
    fresh = ifonly.explain(tree(columns), ROWS, data=DATA, k=3)
    assert fresh.ignored == ("age", "job")
    changed = fresh.changed()
    assert changed[:, :, 1:].any(), "no answer changes what is ignored"
    assert not (changed[:, :, 1:].any(axis=2) & ~fresh.extra).any()
    saved = ifonly.Answers.from_json(fresh.to_json())
    for answers in (fresh, saved, fresh[:3]):
        shares = answers.importance().set_index("feature")["changed"]
        assert shares.to_dict() == {"income": 1.0, "age": 0.0, "job": 0.0}
        assert (answers.metrics()["changed"] == 1).all()
    assert (fresh.sensitive(["age", "job"])["changed"] == 0).all()
    assert (fresh.sensitive(["age", "income"])["changed"] == 1).all()


def test_a_change_that_a_rule_needs_counts_whether_the_model_ignores_it_or_not() -> None:
    rules = ["income increases => age increases by at least 2", "job fixed"]
    young = ROWS[ROWS["age"] < 70]
    answers = ifonly.explain(tree(["income"]), young, data=DATA, k=1, rules=rules)
    assert answers.ignored == ("age", "job")
    assert not answers.extra.any()
    shares = answers.importance().set_index("feature")["changed"]
    assert shares.to_dict() == {"income": 1.0, "age": 1.0, "job": 0.0}
    assert (answers.metrics()["changed"] == 2).all()


def test_the_page_says_once_what_the_model_does_not_read() -> None:
    answers = ifonly.explain(tree(["income"]), ROWS, data=DATA, k=1)
    for page in (answers.to_html(), answers._repr_html_()):
        assert page.count("The model does not read <bdi>age</bdi> and <bdi>job</bdi>;") == 1
    black = ifonly.explain(RICH, ROWS, data=DATA, k=1)
    assert black.ignored == ()
    assert "does not read" not in black.to_html()


def test_of_many_features_that_are_not_read_ten_are_named() -> None:
    names = [f"f{i}" for i in range(22)]
    assert unread(names).startswith("The model does not read f0, f1,")
    assert "f9 and 12 more;" in unread(names)
    assert "f8 and f9;" in unread(names[:10])
    assert unread([]) == ""
