"""Whatever is wrong with the input is said by name, with the value given and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import DataError, FileError, OptionError, TargetError

DATA = pd.DataFrame(
    {
        "age": [22, 35, 41, 58, 63, 29],
        "income": [1200.5, 3400.0, 5100.25, 2800.0, 900.0, 4100.0],
        "job": ["Sales", "Service", "Sales", "Professional", "Service", "Professional"],
    }
)


def approve(frame: pd.DataFrame) -> np.ndarray:
    return (frame["income"] > 3000).to_numpy(dtype=float)


LENDER = ifonly.as_model(approve, classes=["refused", "granted"])
PRICER = ifonly.as_model(lambda frame: frame["income"] / 10, task="regression")


class Three:
    """A classifier of three classes, as scikit-learn would have it."""

    classes_ = np.array(["low", "mid", "high"])

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        band = np.digitize(frame["income"], [2000, 4000])
        return np.eye(3)[band]

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return self.classes_[self.predict_proba(frame).argmax(axis=1)]


def explain(rows: Any = None, model: Any = LENDER, data: Any = DATA, **options: Any) -> Any:
    rows = DATA[:2] if rows is None else rows
    return ifonly.explain(model, rows, data=data, **{"k": 2, **options})


def refused(kind: type[Exception], *told: str, hint: str, ask: Callable[[], Any]) -> Exception:
    """The error of `ask`: of ifonly's tree, naming every word of `told`, with a hint."""
    with pytest.raises(kind) as caught:
        ask()
    error = caught.value
    assert isinstance(error, ifonly.IfonlyError)
    for word in told:
        assert word in error.message, error.message
    assert re.search(hint, error.hint), error.hint
    assert str(error) == f"{error.message}\n\nHint: {error.hint}"
    return error


# Frames


def test_an_unknown_column_in_place_of_a_known_one_is_named_with_the_nearest() -> None:
    rows = DATA[:2].rename(columns={"income": "incomes"})
    refused(
        DataError, "`rows`", "'incomes'", "'income'", hint="'income'", ask=lambda: explain(rows)
    )


def test_a_missing_column_is_named() -> None:
    rows = DATA[:2].drop(columns="job")
    refused(DataError, "`rows`", "lacks", "'job'", hint="every feature", ask=lambda: explain(rows))


def test_an_extra_column_is_named() -> None:
    rows = DATA[:2].assign(note="x")
    refused(DataError, "`rows`", "'note'", hint=r"drop\(columns", ask=lambda: explain(rows))


def test_the_outcome_column_left_in_the_rows_is_named() -> None:
    rows = DATA[:2].assign(granted=1)
    refused(DataError, "`rows`", "'granted'", hint="outcome", ask=lambda: explain(rows))


def test_the_outcome_column_left_in_the_data_is_named() -> None:
    from sklearn.linear_model import LogisticRegression

    features = DATA[["age", "income"]]
    model = LogisticRegression().fit(features, [0, 1, 1, 0, 0, 1])
    data = features.assign(granted=[0, 1, 1, 0, 0, 1])
    refused(
        DataError,
        "`data`",
        "'granted'",
        hint=r"outcome.*data\.drop",
        ask=lambda: explain(data[:2], model, data),
    )


def test_a_level_never_seen_is_named_with_the_nearest() -> None:
    rows = DATA[:2].assign(job=["Sales", "Servise"])
    refused(DataError, "'job'", "`rows`", "'Servise'", hint="'Service'", ask=lambda: explain(rows))


def test_a_level_of_another_type_is_told_apart_from_its_twin() -> None:
    data = DATA.assign(job=[1, 2, 1, 3, 2, 3])
    rows = data[:2].assign(job=["1", "2"])
    refused(
        DataError,
        "'job'",
        "'1'",
        hint="int 1.*str '1'",
        ask=lambda: explain(rows, data=data, categorical=["job"]),
    )


def test_nan_where_the_data_have_none_is_named_with_its_row() -> None:
    rows = DATA[:2].assign(income=[1000.0, np.nan])
    refused(DataError, "'income'", "`rows`", "row 1", hint="Fill", ask=lambda: explain(rows))


def test_a_missing_level_where_the_data_have_none_is_named_with_its_row() -> None:
    rows = DATA[:2].assign(job=[None, "Sales"])
    refused(DataError, "'job'", "`rows`", "row 0", hint="Fill", ask=lambda: explain(rows))


def test_an_infinite_value_is_named() -> None:
    rows = DATA[:2].assign(income=[1000.0, np.inf])
    refused(DataError, "'income'", "`rows`", "inf", hint="Replace", ask=lambda: explain(rows))


def test_numbers_as_strings_in_the_rows_are_named() -> None:
    rows = DATA[:2].assign(income=["1200.5", "3400"])
    refused(
        DataError, "'income'", "`rows`", "'1200.5'", hint="to_numeric", ask=lambda: explain(rows)
    )


def test_decimals_in_a_column_of_whole_numbers_are_named() -> None:
    rows = DATA[:2].assign(age=[22.5, 35])
    refused(DataError, "'age'", "`rows`", "22.5", hint="Round", ask=lambda: explain(rows))


@pytest.mark.parametrize("what", ["rows", "data"])
def test_an_empty_frame_is_named(what: str) -> None:
    frames = {"rows": DATA[:2], "data": DATA, what: DATA[:0]}
    refused(DataError, f"`{what}`", "no rows", hint="at least one", ask=lambda: explain(**frames))


@pytest.mark.parametrize("what", ["rows", "data"])
def test_duplicate_column_names_are_named(what: str) -> None:
    double = pd.concat([DATA, DATA[["age"]]], axis=1)
    frames = {"rows": DATA[:2], "data": DATA, what: double}
    refused(DataError, f"`{what}`", "'age'", hint="name of its own", ask=lambda: explain(**frames))


@pytest.mark.parametrize("what", ["rows", "data"])
def test_what_is_no_frame_is_named_by_its_type(what: str) -> None:
    frames = {"rows": DATA[:2], "data": DATA, what: [[22, 1200.5, "Sales"]]}
    refused(DataError, f"`{what}`", "list", hint="DataFrame", ask=lambda: explain(**frames))


def test_a_column_without_any_value_is_named() -> None:
    data = DATA.assign(job=None)
    refused(DataError, "'job'", "`data`", hint="Drop", ask=lambda: explain(data=data))


def test_a_column_of_dates_is_named() -> None:
    data = DATA.assign(since=pd.Timestamp("2020-01-01"))
    refused(DataError, "'since'", "`data`", "dates", hint="number", ask=lambda: explain(data=data))


def test_neither_data_nor_space_is_told() -> None:
    refused(OptionError, "`data`", "`space`", hint="trained on", ask=lambda: explain(data=None))


def test_a_value_outside_the_known_range_is_noted_and_kept_or_moved_inside() -> None:
    rows = DATA[:1].assign(age=99)
    answers = explain(rows, k=4)
    assert answers.status == (ifonly.Status.FOUND,)
    assert "age is 99" in answers.notes[0]
    assert "22 to 63" in answers.notes[0]
    ages = answers.frame()["age"]
    assert ((ages == 99) | ages.between(22, 63)).all()


# Options and targets


@pytest.mark.parametrize("k", [0, -3, 2.5, "4", None, True])
def test_k_that_is_not_a_positive_whole_number_is_told(k: Any) -> None:
    refused(OptionError, f"k is {k!r}", hint="whole number of 1 or more", ask=lambda: explain(k=k))


@pytest.mark.parametrize("seed", [-1, 0.5, "a"])
def test_a_seed_that_is_not_a_whole_number_is_told(seed: Any) -> None:
    refused(OptionError, f"seed is {seed!r}", hint="whole", ask=lambda: explain(seed=seed))


def test_an_unknown_method_is_named_with_the_nearest() -> None:
    refused(OptionError, "'edit'", hint="'edits'", ask=lambda: explain(method="edit"))


@pytest.mark.parametrize("diversity", [-0.1, 1.5])
def test_a_diversity_outside_its_scale_is_told(diversity: float) -> None:
    refused(OptionError, str(diversity), hint="0.*1", ask=lambda: explain(diversity=diversity))


def test_a_weight_of_an_unknown_feature_is_named_with_the_nearest() -> None:
    refused(OptionError, "'incom'", hint="'income'", ask=lambda: explain(weights={"incom": 2.0}))


@pytest.mark.parametrize("weight", [0, -1, float("nan")])
def test_a_weight_that_is_not_positive_is_told(weight: float) -> None:
    refused(
        OptionError,
        "'age'",
        repr(weight),
        hint="fixed",
        ask=lambda: explain(weights={"age": weight}),
    )


def test_a_category_that_is_no_column_is_named() -> None:
    refused(OptionError, "'jobs'", hint="'job'", ask=lambda: explain(categorical=["jobs"]))


def test_an_order_that_leaves_out_a_level_names_it() -> None:
    refused(
        OptionError,
        "'job'",
        "'Professional'",
        hint="every level",
        ask=lambda: explain(ordinal={"job": ["Service", "Sales"]}),
    )


def test_an_unknown_class_is_named_beside_the_known_ones() -> None:
    refused(
        TargetError, "'grantd'", hint="'refused', 'granted'", ask=lambda: explain(target="grantd")
    )


def test_a_class_of_another_type_is_told_apart_from_its_twin() -> None:
    model = ifonly.as_model(approve, classes=[0, 1])
    refused(TargetError, "'1'", hint="int 1", ask=lambda: explain(model=model, target="1"))


def test_opposite_for_three_classes_lists_them() -> None:
    refused(
        TargetError,
        "'opposite'",
        "3",
        hint="'low', 'mid', 'high'",
        ask=lambda: explain(model=Three()),
    )


def test_a_range_upside_down_is_told_with_the_range_meant() -> None:
    refused(
        TargetError,
        "(300, 200)",
        hint=r"\(200.0, 300.0\)",
        ask=lambda: explain(model=PRICER, target=(300, 200)),
    )


def test_a_range_for_a_classifier_lists_its_classes() -> None:
    refused(
        TargetError, "(1, 2)", "classifier", hint="'granted'", ask=lambda: explain(target=(1, 2))
    )


@pytest.mark.parametrize("target", ["opposite", "granted", 5, (1,), (None, 3), (1, float("nan"))])
def test_what_is_no_range_for_a_regressor_is_told(target: Any) -> None:
    refused(
        TargetError,
        str(target),
        hint="low, high|Did you mean",
        ask=lambda: explain(model=PRICER, target=target),
    )


def test_a_list_of_targets_of_the_wrong_length_is_told() -> None:
    refused(
        TargetError,
        "3 targets",
        "2 rows",
        hint="one for each",
        ask=lambda: explain(target=["granted"] * 3),
    )


@pytest.mark.parametrize("threshold", [0, 1, 1.5, -0.2])
def test_a_threshold_that_is_no_probability_is_told(threshold: float) -> None:
    refused(
        TargetError,
        repr(threshold),
        hint="between 0 and 1",
        ask=lambda: explain(threshold=threshold),
    )


def test_a_threshold_for_a_regressor_is_told() -> None:
    refused(
        TargetError,
        "regressor",
        hint="threshold",
        ask=lambda: explain(model=PRICER, target=(1, 2), threshold=0.4),
    )


# Files


def test_a_model_file_that_is_absent_is_named(tmp_path: Path) -> None:
    (tmp_path / "lender.skops").write_bytes(b"")
    path = tmp_path / "lendr.skops"
    refused(FileError, "lendr.skops", hint="lender.skops", ask=lambda: explain(model=path))


def test_an_empty_model_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lender.skops"
    path.write_bytes(b"")
    refused(
        FileError, "lender.skops", "cannot be read", hint="again", ask=lambda: explain(model=path)
    )


def test_a_model_file_that_runs_code_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lender.pkl"
    path.write_bytes(b"not even a pickle")
    refused(
        FileError,
        "lender.pkl",
        "runs code",
        hint="--trust-pickle",
        ask=lambda: explain(model=str(path)),
    )


def test_a_model_file_of_an_unknown_kind_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lender.docx"
    path.write_text("x")
    refused(FileError, "lender.docx", hint=r"\.skops", ask=lambda: explain(model=path))


@pytest.mark.parametrize("content", ["", "{}", "[1]", "not json", '{"format": "another"}'])
def test_json_that_is_not_of_answers_is_refused(content: str) -> None:
    refused(
        FileError, "saved answers", hint="to_json", ask=lambda: ifonly.Answers.from_json(content)
    )


def test_a_folder_that_is_absent_leaves_nothing_half_written(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "answers.parquet"
    refused(FileError, "answers.parquet", hint="folder", ask=lambda: explain().to_parquet(path))
    assert list(tmp_path.iterdir()) == []
