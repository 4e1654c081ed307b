"""Columns that are no features: the model is asked with them, answers keep them, rules cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly import Answers, Explainer, Space
from ifonly.errors import DataError, OptionError, ReadingError, RuleError

N = 120
KEPT = ["customer", "remark", "calls", "email", "born"]


def seen(frame: pd.DataFrame) -> pd.DataFrame:
    """A first step that insists on the columns and dtypes of the data."""
    assert frame.columns.tolist() == list(CUSTOMERS.columns)
    assert (frame.dtypes == CUSTOMERS.dtypes).all(), frame.dtypes
    return frame


def customers() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "customer": [f"C-{n:05d}" for n in range(N)],
            "income": random.integers(1000, 6000, N),
            "remark": random.choice(["pays well", "late again", "late, very late"], N),
            "job": random.choice(["clerk", "nurse"], N),
            "calls": [[n, n + 1] for n in range(N)],
            "email": np.nan,
            "born": pd.Timestamp("1980-01-01") + pd.to_timedelta(random.integers(0, 9000, N), "D"),
        }
    )


CUSTOMERS = customers()
SPACE = Space.infer(CUSTOMERS, carry=["remark", "born"])


@pytest.fixture(scope="module")
def model() -> Pipeline:
    """A pipeline that reads the free text and drops the rest of what is carried."""
    reasons = CUSTOMERS["income"] > 3000, CUSTOMERS["remark"] == "pays well"
    good = sum(reasons) + 1 * (CUSTOMERS["job"] == "nurse") > 1
    columns = ColumnTransformer(
        [
            ("remark", CountVectorizer(), "remark"),
            ("income", StandardScaler(), ["income"]),
            ("job", OneHotEncoder(), ["job"]),
        ]
    )
    steps = FunctionTransformer(seen), columns, LogisticRegression(C=50)
    return make_pipeline(*steps).fit(CUSTOMERS, good)


@pytest.fixture(scope="module")
def rows(model: Pipeline) -> pd.DataFrame:
    refused = CUSTOMERS[~model.predict(CUSTOMERS)]
    return pd.concat(
        [refused[refused["remark"] == one].head(2) for one in sorted(set(refused["remark"]))]
    )


@pytest.fixture(scope="module")
def explainer(model: Pipeline) -> Explainer:
    return Explainer(model, data=CUSTOMERS, space=SPACE)


@pytest.fixture(scope="module")
def answers(explainer: Explainer, rows: pd.DataFrame) -> Answers:
    return explainer.explain(rows, k=2, plausible=False)


def test_columns_to_carry_are_found_and_say_why() -> None:
    assert {one.name: one.why for one in SPACE.carry} == {
        "customer": "all its values differ",
        "remark": "",
        "calls": "its values are of the type list",
        "email": "it has no value in the data",
        "born": "",
    }
    assert SPACE.names == ("income", "job")
    assert Space.from_json(SPACE.to_json()) == SPACE


def test_texts_that_differ_are_identifiers_only_in_enough_rows() -> None:
    assert Space.infer(CUSTOMERS[["customer", "income"]][:19]).carry == ()
    twice = CUSTOMERS[["customer", "income"]].assign(customer=[f"C-{n // 2}" for n in range(N)])
    assert Space.infer(twice).carry == ()
    named = Space.infer(CUSTOMERS, categorical=["customer"])
    assert "customer" in named.names
    frame = pl.DataFrame({"id": CUSTOMERS["customer"], "x": range(N), "list": [[1]] * N})
    assert [one.name for one in Space.infer(frame).carry] == ["id", "list"]
    none = pl.DataFrame({"gone": [None] * 3, "nan": [float("nan")] * 3, "x": [1, 2, 3]})
    assert [(one.name, one.empty) for one in Space.infer(none).carry] == [("gone", 1), ("nan", 1)]


def test_answers_keep_what_is_carried_and_the_model_agrees(
    answers: Answers, model: Pipeline, rows: pd.DataFrame
) -> None:
    frame = answers.frame()
    assert frame.columns.tolist()[2:9] == CUSTOMERS.columns.tolist()
    assert (frame[CUSTOMERS.columns].dtypes == CUSTOMERS.dtypes).all()
    own = rows.iloc[frame["query"]]
    pd.testing.assert_frame_equal(frame[KEPT], own[KEPT])
    assert len(frame) == 2 * len(rows)
    assert model.predict(frame[CUSTOMERS.columns]).all()
    assert set(answers.changes()["feature"]) <= {"income", "job"}
    assert set(answers.importance()["feature"]) == {"income", "job"}


def test_a_row_is_answered_with_its_own_text_in_any_batch(
    answers: Answers, explainer: Explainer, model: Pipeline, rows: pd.DataFrame
) -> None:
    whole = answers.frame().drop(columns="query")
    for place in (0, 3):
        alone = explainer.explain(rows.iloc[[place]], k=2, plausible=False).frame()
        part = whole[answers.frame()["query"] == place]
        pd.testing.assert_frame_equal(alone.drop(columns="query"), part)
    better = rows.assign(remark="pays well", customer="a longer name than any other")
    other = explainer.explain(better, k=2, plausible=False).frame()
    assert (model.predict(other[CUSTOMERS.columns]) == other["prediction"]).all()
    assert set(other["customer"]) <= {"a longer name than any other"}


def test_what_is_carried_is_saved_taken_and_asked_again(
    answers: Answers, model: Pipeline, rows: pd.DataFrame
) -> None:
    saved = Answers.from_json(answers.to_json())
    pd.testing.assert_frame_equal(saved.frame(), answers.frame())
    pd.testing.assert_frame_equal(saved[1:3].frame(), answers[1:3].frame())
    assert answers[2:3].frame()["customer"].tolist() == [rows["customer"].iloc[2]] * 2
    assert answers[2:3].importance()["sufficient"].notna().all()  # asks the model again
    question = {**saved.record, "plausible": False}
    again = ifonly.explain_again(question, model, rows, data=CUSTOMERS)
    pd.testing.assert_frame_equal(again.frame(), answers.frame())
    measured = ifonly.metrics.boundary(answers, model, radius=1.0, samples=20)
    assert len(measured) == len(rows)


def test_a_model_without_these_columns_answers_as_if_they_were_not_there() -> None:
    features = ["income", "job"]
    columns = ColumnTransformer([("job", OneHotEncoder(), ["job"])], remainder="passthrough")
    tree = make_pipeline(columns, DecisionTreeClassifier(max_depth=3, random_state=0))
    tree.fit(CUSTOMERS[features], CUSTOMERS["income"] > 3000)
    plain = ifonly.explain(tree, CUSTOMERS[features][:4], data=CUSTOMERS[features], k=2)
    kept = ifonly.explain(tree, CUSTOMERS[:4], data=CUSTOMERS, space=SPACE, k=2)
    assert kept.points.tolist() == plain.points.tolist()
    assert kept.record["route"] == plain.record["route"]
    assert kept.frame()["customer"].tolist() == [
        CUSTOMERS["customer"][query] for query in kept.frame()["query"]
    ]


def test_polars_frames_carry_lists_and_missing_columns() -> None:
    data = pl.DataFrame(
        {
            "id": [f"C-{n}" for n in range(40)],
            "income": range(40),
            "calls": [[n] for n in range(40)],
            "gone": [None] * 40,
        }
    )

    def granted(frame: pl.DataFrame) -> np.ndarray:
        calls = frame["calls"].list.first().to_numpy()  # 30 more than the row's own
        return np.asarray(frame["income"].to_numpy() >= np.minimum(calls + 30, 39))

    model = ifonly.as_model(granted, classes=["no", "yes"])
    answers = ifonly.explain(model, data[:3], data=data, k=1)
    frame = answers.frame()
    assert frame["income"].to_list() == [30, 31, 32]
    assert frame["id"].to_list() == ["C-0", "C-1", "C-2"]
    assert frame.select(data.columns).schema == data.schema
    assert Answers.from_json(answers.to_json()).frame().equals(frame)
    lacking = ifonly.explain(model, data[:3].drop("gone"), data=data, k=1)
    assert lacking.frame().equals(frame)


Refused = Callable[..., Exception]


def test_rules_on_carried_columns_say_that_they_are_carried(
    refused: Refused, explainer: Explainer, rows: pd.DataFrame
) -> None:
    rules: list[Any] = [*("customer fixed", "born >= 1990-01-01"), ifonly.fixed("remark")]
    for rule in rules:
        ask = lambda rule=rule: explainer.explain(rows, rules=[rule])  # noqa: E731
        refused(RuleError, "is carried along and never changes", hint="Leave", ask=ask)


def test_bad_uses_of_carry_say_what_to_do(
    refused: Refused, explainer: Explainer, model: Pipeline, rows: pd.DataFrame
) -> None:
    both = lambda: Space.infer(CUSTOMERS, ["job"], carry=["job"])  # noqa: E731
    refused(OptionError, "'job'", hint="one of the two", ask=both)
    unknown = lambda: Space.infer(CUSTOMERS, carry=["jobs"])  # noqa: E731
    refused(OptionError, "'jobs'", hint="job", ask=unknown)
    every = lambda: Space.infer(CUSTOMERS[["customer"]])  # noqa: E731
    refused(DataError, "at least one feature", hint="Carried", ask=every)
    lacking = rows.drop(columns="customer")
    refused(DataError, "'customer'", hint="every column", ask=lambda: explainer.explain(lacking))
    assert len(explainer.explain(rows[:1].drop(columns="email"), k=1).frame()) == 1
    exact = lambda: ifonly.explain(  # noqa: E731
        model, rows, data=CUSTOMERS, space=SPACE, method="exact"
    )
    refused(ReadingError, "carried along", hint="method='auto'", ask=exact)
