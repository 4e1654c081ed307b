"""A value that the data do not have is the row's own, and concerns no other row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly
from ifonly.errors import DataError

RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, 200),
        "income": RNG.integers(10, 90, 200) * 100.0,
        "job": RNG.choice(["nurse", "clerk", "smith"], 200),
        "member": RNG.random(200) < 0.5,
        "zone": RNG.integers(1, 4, 200),
    }
)
GRANTED = DATA["income"] / 100 + DATA["age"] / 3 + 20 * (DATA["job"] == "nurse") > 70
NUMBERS, CATEGORIES = ["age", "income"], ["job", "member", "zone"]
ODD: dict[str, tuple[str, Any]] = {
    "an unseen level": ("job", "astronaut"),
    "a number for a level": ("job", 5),
    "no level": ("job", None),
    "no number": ("income", np.nan),
    "no whole number": ("age", np.nan),
    "a part of a whole number": ("age", 46.5),
    "a whole number that is too large": ("age", 2**60),
    "no truth value": ("member", None),
    "text for a truth value": ("member", "maybe"),
    "an unseen number of a category": ("zone", 9),
    "text for a number of a category": ("zone", "north"),
}


def pipeline(unknown: str = "ignore") -> Pipeline:
    """A pipeline that scores whatever a row holds, but for text among numbers."""
    prepared = make_column_transformer(
        (OneHotEncoder(handle_unknown=unknown), CATEGORIES),
        (make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
    )
    return make_pipeline(prepared, LogisticRegression(max_iter=1000)).fit(DATA, GRANTED)


@pytest.fixture(scope="module")
def model() -> Pipeline:
    return pipeline()


@pytest.fixture(scope="module")
def explainer(model: Pipeline) -> ifonly.Explainer:
    return ifonly.Explainer(model, data=DATA, categorical=["zone"])


def with_odd(column: str, value: Any, rows: pd.DataFrame = DATA[~GRANTED][:3]) -> pd.DataFrame:
    """The rows, of which the second has another value; its column holds it as it is given."""
    values = rows[column].astype(object).tolist()
    values[1] = value
    return rows.assign(**{column: pd.Series(values, index=rows.index)})


def answered(model: Any, rows: pd.DataFrame, answers: ifonly.Answers) -> np.ndarray:
    """What the user's own model says of the user's own rows, with the changes written in."""
    frame, changed = answers.frame().reset_index(drop=True), answers.changed()[answers.filled]
    own = rows.iloc[frame["query"].tolist()].reset_index(drop=True).astype(object)
    for j, name in enumerate(DATA.columns):
        own.loc[changed[:, j], name] = frame[name].astype(object)[changed[:, j]]
    return np.asarray(model.predict(own.infer_objects()) == frame["prediction"].to_numpy())


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """A row of each kind, and then two that have nothing odd."""
    rows = DATA[~GRANTED][: len(ODD) + 2].reset_index(drop=True).astype(object)
    for row, (column, value) in enumerate(ODD.values()):
        rows.loc[row, column] = value
    return rows


@pytest.fixture(scope="module")
def answers(explainer: ifonly.Explainer, rows: pd.DataFrame) -> ifonly.Answers:
    return explainer.explain(rows, k=3)


def test_an_odd_row_is_answered_by_its_own_value_or_a_known_one(
    model: Any, rows: pd.DataFrame, answers: ifonly.Answers
) -> None:
    assert answers.filled.all()
    assert answered(model, rows, answers).all()
    assert not any(answers.notes[len(ODD) :])
    frame, changed = answers.frame(), answers.changed()
    for row, (column, value) in enumerate(ODD.values()):
        note, j = answers.notes[row], DATA.columns.get_loc(column)
        assert note.startswith(f"{column} is ")
        assert "keep such a value or change it" in note
        written = frame[frame["query"] == row][column].tolist()
        for one, moved, code in zip(
            written, changed[row, :, j], answers.points[row, :, j], strict=True
        ):
            assert not np.isnan(code) if moved else same(one, value), "known, or bit for bit"


def same(one: Any, other: Any) -> bool:
    return bool(pd.isna(one) and pd.isna(other)) or bool(one == other)


def test_an_odd_row_changes_no_other_row_and_no_row_changes_it(
    explainer: ifonly.Explainer, rows: pd.DataFrame, answers: ifonly.Answers
) -> None:
    others = explainer.explain(rows[len(ODD) :].infer_objects(), k=3)
    np.testing.assert_array_equal(answers.points[len(ODD) :], others.points)
    for part in (slice(0, 1), slice(4, 7)):
        some = explainer.explain(rows[part], k=3)
        np.testing.assert_array_equal(answers.points[part], some.points)
        assert some.notes == answers.notes[part]


def test_saved_answers_keep_what_is_odd(
    model: Any, rows: pd.DataFrame, answers: ifonly.Answers
) -> None:
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.to_json() == answers.to_json()
    pd.testing.assert_frame_equal(again.frame(), answers.frame())
    pd.testing.assert_frame_equal(again.metrics(), answers.metrics())
    assert again.sentences() == answers.sentences()
    assert again.to_html() == answers.to_html()
    part = answers[:2]
    record = ifonly.explain_again(part.record, model, rows[:2], space=answers.space, data=DATA)
    np.testing.assert_array_equal(record.points, part.points)


RULES = {
    "job fixed": lambda own: own == "astronaut",
    "job in clerk, smith": lambda own: own in ("clerk", "smith"),
    "job not nurse": lambda own: own != "nurse",
    "if job is nurse then age at least 60": lambda own: True,
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_means_of_an_unseen_level_what_it_says(
    explainer: ifonly.Explainer, rule: str
) -> None:
    answers = explainer.explain(with_odd("job", "astronaut"), k=4, rules=[rule])
    frame = answers.frame().query("query == 1")
    assert len(frame) == 4
    assert all(map(RULES[rule], frame["job"]))
    if rule.startswith("if"):
        assert (frame["age"][frame["job"] == "nurse"] >= 60).all()


def test_a_missing_value_breaks_no_rule_and_may_be_filled(explainer: ifonly.Explainer) -> None:
    rows = with_odd("job", None, with_odd("age", None))[1:2]
    answers = explainer.explain(rows, k=4, rules=["job in clerk", "age at most 30"])
    frame = answers.frame()
    assert frame["job"].isna().any()
    assert (frame["job"].isna() | (frame["job"] == "clerk")).all()
    assert frame["age"].isna().any()
    assert (frame["age"].isna() | (frame["age"] <= 30)).all()


def test_what_the_model_rejects_fails_for_its_row_alone() -> None:
    model = pipeline("error")
    rows = pd.concat([DATA[~GRANTED][:1], DATA[~GRANTED][1:19].assign(job="astronaut")])
    explainer = ifonly.Explainer(model, data=DATA, categorical=["zone"])
    answers = explainer.explain(rows, k=1)
    assert [str(one) for one in answers.status] == ["found"] + ["failed"] * 18
    assert "'astronaut'" in answers.notes[1]
    assert "unknown categories" in answers.notes[1]
    assert set(explainer.explain(rows[1:], k=1).status) == {ifonly.Status.FAILED}


@pytest.mark.parametrize("value", [np.inf, -np.inf, "abc", "12"])
def test_what_is_no_finite_number_reaches_the_model_as_it_is(value: Any) -> None:
    seen: list[Any] = []

    def score(frame: pd.DataFrame) -> np.ndarray:
        seen.extend(frame["income"].tolist())
        income = pd.to_numeric(frame["income"], errors="coerce").clip(0, 9000)
        return (income.fillna(0) + 10 * frame["age"] > 5000).to_numpy(dtype=float)

    lender = ifonly.as_model(score, classes=["no", "yes"])
    rows = with_odd("income", value, DATA[:3])
    seen.clear()
    answers = ifonly.explain(lender, rows, data=DATA, k=2)
    assert answers.status[1].answered
    assert value in seen
    assert all(one == value or np.isfinite(float(one)) for one in seen)


def test_a_column_of_another_type_is_still_an_error(explainer: ifonly.Explainer) -> None:
    with pytest.raises(DataError, match="numbers are expected"):
        explainer.explain(DATA[:2].assign(income=["1200", "3400"]))
    with pytest.raises(DataError, match="not a known level"):
        explainer.explain(DATA[:2].assign(zone=["1", "2"]))


@pytest.mark.parametrize("method", ["exact", "gradient", "edits", "neighbours"])
def test_every_method_answers_an_odd_row(model: Any, method: str) -> None:
    rows = with_odd("job", "astronaut", with_odd("age", 46.5))
    answers = ifonly.explain(model, rows, data=DATA, k=1, method=method, categorical=["zone"])
    assert answers.filled[1].any()
    assert answered(model, rows, answers).all()


def test_an_odd_row_without_an_answer_is_asked_why(model: Any) -> None:
    rows = with_odd("job", "astronaut", DATA[~GRANTED][:2])
    asked = ifonly.Explainer(model, data=DATA, method="exact", categorical=["zone"])
    answers = asked.explain(rows, k=1, rules=["age fixed", "income fixed", "job fixed"])
    assert not answers.filled[1].any()
    assert "reject" in str(answers.why(1))


def test_nothing_is_proved_of_an_odd_row_and_the_reason_is_given(model: Any) -> None:
    rows = with_odd("job", "astronaut", DATA[~GRANTED][:2])
    answers = ifonly.explain(model, rows, data=DATA, k=1, certify=5.0, categorical=["zone"])
    lines = answers.certificates()
    assert lines["proved"].tolist() == [True, False]
    assert lines["bound"][1] == 0
    assert "Nothing is proved" in lines["reason"][1]
    assert "'astronaut'" in lines["reason"][1]


def test_dtypes_widen_only_where_a_value_needs_it(explainer: ifonly.Explainer) -> None:
    known = explainer.explain(DATA[~GRANTED][:2], k=1).frame().dtypes
    kept = explainer.explain(with_odd("age", 46.5), k=1, rules=["age fixed"]).frame()
    assert kept["age"].tolist()[1] == 46.5
    assert kept["age"].dtype == np.float64
    assert (kept.dtypes.drop("age") == known.drop("age")).all()
    moved = explainer.explain(with_odd("zone", "north"), k=1, rules=["zone in 1"]).frame()
    assert (moved.dtypes == known).all()


@pytest.mark.parametrize("dtype", ["category", "string", "object", "Int16", "int8", "boolean"])
def test_a_column_of_any_dtype_holds_a_value_that_the_data_do_not_have(dtype: str) -> None:
    numbers = {"Int16": ("age", 46.5), "int8": ("age", 300), "boolean": ("member", None)}
    column, value = numbers.get(dtype, ("job", "astronaut"))
    seen: list[Any] = []

    def score(frame: pd.DataFrame) -> np.ndarray:
        seen.extend(frame[column].tolist())
        return (frame["income"] > 5000).to_numpy(dtype=float)

    lender = ifonly.as_model(score, classes=["no", "yes"])
    data = DATA.astype({column: dtype})
    rows = with_odd(column, value, DATA[~GRANTED][:2])
    answers = ifonly.explain(lender, rows, data=data, k=2, rules=[f"{column} fixed"])
    assert answers.status[1].answered
    assert any(same(one, value) for one in seen)
    assert all(same(one, value) for one in answers.frame()[column].tolist()[2:])


def test_rows_of_polars_may_have_unseen_levels() -> None:
    polars = pytest.importorskip("polars")
    data = polars.from_pandas(DATA[["age", "job"]]).with_columns(
        polars.col("job").cast(polars.Enum(["nurse", "clerk", "smith"]))
    )
    seen = []

    def score(frame: Any) -> Any:
        seen.extend(frame["job"].to_list())
        return (frame["age"] > 50).to_numpy().astype(float)

    rows = data[:2].with_columns(
        job=polars.Series(["astronaut", None]), age=polars.Series([20, 30])
    )
    lender = ifonly.as_model(score, classes=["no", "yes"])
    answers = ifonly.explain(lender, rows, data=data, k=1)
    assert {"astronaut", None} <= set(seen)
    assert answers.frame()["job"].to_list() == ["astronaut", None]
