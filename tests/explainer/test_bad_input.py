"""Whatever is wrong with a frame is said by name, with the value given and what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import DataError, OptionError

Refused = Callable[..., Exception]

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


def explain(rows: Any = None, model: Any = LENDER, data: Any = DATA, **options: Any) -> Any:
    rows = DATA[:2] if rows is None else rows
    return ifonly.explain(model, rows, data=data, **{"k": 2, **options})


def codes(rows: Any) -> Any:
    """Rows as codes of the data; what `explain` takes as a row's own is refused here."""
    return ifonly.Space.infer(DATA).codes(rows)


def test_an_unknown_column_in_place_of_a_known_one_is_named_with_the_nearest(
    refused: Refused,
) -> None:
    rows = DATA[:2].rename(columns={"income": "incomes"})
    refused(
        DataError, "`rows`", "'incomes'", "'income'", hint="'income'", ask=lambda: explain(rows)
    )


def test_a_missing_column_is_named(refused: Refused) -> None:
    rows = DATA[:2].drop(columns="job")
    refused(DataError, "`rows`", "lacks", "'job'", hint="every feature", ask=lambda: explain(rows))


def test_an_extra_column_is_named(refused: Refused) -> None:
    rows = DATA[:2].assign(note="x")
    refused(DataError, "`rows`", "'note'", hint=r"drop\(columns", ask=lambda: explain(rows))


def test_the_outcome_column_left_in_the_rows_is_named(refused: Refused) -> None:
    rows = DATA[:2].assign(granted=1)
    refused(DataError, "`rows`", "'granted'", hint="outcome", ask=lambda: explain(rows))


def test_the_outcome_column_left_in_the_data_is_named(refused: Refused) -> None:
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


def test_a_level_never_seen_is_named_with_the_nearest(refused: Refused) -> None:
    rows = DATA[:2].assign(job=["Sales", "Servise"])
    refused(DataError, "'job'", "`rows`", "'Servise'", hint="'Service'", ask=lambda: codes(rows))


def test_a_level_of_another_type_is_told_apart_from_its_twin(refused: Refused) -> None:
    data = DATA.assign(job=[1, 2, 1, 3, 2, 3])
    rows = data[:2].assign(job=["1", "2"])
    refused(
        DataError,
        "'job'",
        "'1'",
        hint="int 1.*str '1'",
        ask=lambda: explain(rows, data=data, categorical=["job"]),
    )


def test_nan_where_the_data_have_none_is_named_with_its_row(refused: Refused) -> None:
    rows = DATA[:2].assign(income=[1000.0, np.nan])
    refused(DataError, "'income'", "`rows`", "row 1", hint="Fill", ask=lambda: codes(rows))


def test_a_missing_level_where_the_data_have_none_is_named_with_its_row(refused: Refused) -> None:
    rows = DATA[:2].assign(job=[None, "Sales"])
    refused(DataError, "'job'", "`rows`", "row 0", hint="Fill", ask=lambda: codes(rows))


def test_an_infinite_value_is_named(refused: Refused) -> None:
    rows = DATA[:2].assign(income=[1000.0, np.inf])
    refused(DataError, "'income'", "`rows`", "inf", hint="Replace", ask=lambda: codes(rows))


def test_numbers_as_strings_in_the_rows_are_named(refused: Refused) -> None:
    rows = DATA[:2].assign(income=["1200.5", "3400"])
    refused(
        DataError, "'income'", "`rows`", "'1200.5'", hint="to_numeric", ask=lambda: explain(rows)
    )


def test_decimals_in_a_column_of_whole_numbers_are_named(refused: Refused) -> None:
    rows = DATA[:2].assign(age=[22.5, 35])
    refused(DataError, "'age'", "`rows`", "22.5", hint="Round", ask=lambda: codes(rows))


def test_an_empty_frame_of_data_is_named(refused: Refused) -> None:
    ask = lambda: explain(data=DATA[:0])  # noqa: E731
    refused(DataError, "`data`", "no rows", hint="at least one", ask=ask)


@pytest.mark.parametrize("what", ["rows", "data"])
def test_duplicate_column_names_are_named(refused: Refused, what: str) -> None:
    double = pd.concat([DATA, DATA[["age"]]], axis=1)
    frames = {"rows": DATA[:2], "data": DATA, what: double}
    refused(DataError, f"`{what}`", "'age'", hint="name of its own", ask=lambda: explain(**frames))


@pytest.mark.parametrize("what", ["rows", "data"])
def test_what_is_no_frame_is_named_by_its_type(refused: Refused, what: str) -> None:
    frames = {"rows": DATA[:2], "data": DATA, what: [[22, 1200.5, "Sales"]]}
    refused(DataError, f"`{what}`", "list", hint="DataFrame", ask=lambda: explain(**frames))


def test_a_column_without_any_value_is_named(refused: Refused) -> None:
    data = DATA.assign(job=None)
    options = {"data": data, "categorical": ["job"]}
    refused(DataError, "'job'", "`data`", hint="Drop", ask=lambda: explain(**options))


def test_column_names_that_are_not_text_are_told(refused: Refused) -> None:
    data = DATA.set_axis([0, 1, 2], axis=1)
    refused(
        DataError,
        "`data`",
        "named 0",
        hint=r"columns\.astype\(str\)",
        ask=lambda: explain(data=data),
    )


def test_neither_data_nor_space_is_told(refused: Refused) -> None:
    refused(OptionError, "`data`", "`space`", hint="trained on", ask=lambda: explain(data=None))


def test_a_value_outside_the_known_range_is_noted_and_kept_or_moved_inside() -> None:
    rows = DATA[:1].assign(age=99)
    answers = explain(rows, k=4)
    assert answers.status == (ifonly.Status.FOUND,)
    assert "age is 99" in answers.notes[0]
    assert "22 to 63" in answers.notes[0]
    ages = answers.frame()["age"]
    assert ((ages == 99) | ages.between(22, 63)).all()
