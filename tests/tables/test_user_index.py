"""The user's own index is in the tables of answers, and names rows in `row_rules`."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest

import ifonly
from ifonly.errors import RuleError

DATA = pd.DataFrame({"income": [10, 30, 50, 12], "job": ["a", "b", "a", "b"]})
RICH = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
NAMES = pd.Index(["ann", "bob", "cyd", "dan"], name="customer")
LEVELS = pd.MultiIndex.from_tuples(
    [("de", 1), ("de", 2), ("fr", 1), ("fr", 2)], names=["country", None]
)
INDEXES = [
    NAMES,
    LEVELS,
    pd.Index([70, 80, 90, 99]),
    pd.date_range("2024-01-01", periods=4, tz="UTC"),
    pd.Index([("x", 1), ("y", 2), ("x", 3), ("y", 4)], tupleize_cols=False),
]


def explain(rows: Any, **options: Any) -> ifonly.Answers:
    explainer = ifonly.Explainer(RICH, data=DATA)
    return explainer.explain(rows, k=2, target="yes", plausible=False, **options)


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: type(index[0]).__name__)
def test_every_line_has_the_label_of_its_row(index: pd.Index[Any]) -> None:
    answers = explain(DATA.set_axis(index))
    for table in (answers.frame(), answers.changes(), answers.metrics()):
        assert table.index.names == index.names
        assert table.index.tolist() == [index[q] for q in table["query"]]
        assert type(table.index) is type(index)
    again = ifonly.Answers.from_json(answers.to_json())
    pd.testing.assert_frame_equal(again.frame(), answers.frame())
    assert answers[[1]].frame().index[0] == index[1]
    assert answers.frame().loc[[index[3]]]["query"].eq(3).all()


def test_rows_that_are_only_counted_have_no_labels() -> None:
    for rows in (DATA, DATA.set_axis(pd.Index([0, 1, 2, 3]))):
        frame = explain(rows).frame()
        assert frame.index.equals(pd.RangeIndex(len(frame)))
    assert "query" in explain(pl.DataFrame(DATA)).frame().columns


def test_a_table_without_lines_keeps_the_names() -> None:
    for index in (NAMES, LEVELS):
        frame = explain(DATA.set_axis(index), rules=["income fixed"])[[0, 1]].frame()
        assert (len(frame), frame.index.names) == (0, index.names)


def test_one_row_has_its_own_name() -> None:
    row = DATA.set_axis(NAMES).loc["bob"]
    assert explain(row).frame().index.unique().tolist() == ["bob"]
    assert explain(row.rename(None)).frame().index[0] == 0


@pytest.mark.parametrize(
    ("index", "label"), [(NAMES, "bob"), (LEVELS, ("de", 2)), (INDEXES[2], 80), (INDEXES[2], 1)]
)
def test_row_rules_name_rows_by_labels_or_positions(index: pd.Index[Any], label: Any) -> None:
    answers = explain(DATA.set_axis(index), row_rules={label: ["income fixed"]})
    assert answers.status == ("found", "infeasible", "already", "found")
    assert answers.record["row_rules"][1] == ["income fixed"]


def test_a_whole_number_that_can_be_a_position_is_one() -> None:
    answers = explain(DATA.set_axis([3, 2, 1, 0]), row_rules={0: ["income fixed"]})
    assert answers.status[0] == "infeasible"


def test_a_label_of_several_rows_is_for_each_of_them() -> None:
    rows = DATA.set_axis(["a", "b", "c", "a"])
    answers = explain(rows, row_rules={"a": ["income fixed"], 0: ["job fixed"]})
    assert answers.status == ("infeasible", "found", "already", "infeasible")
    assert answers.record["row_rules"][0] == ["income fixed", "job fixed"]


@pytest.mark.parametrize(
    ("row", "hint"), [("bobb", "'bob'"), (4, "from 0 to 3"), (True, "'ann'"), (None, "'ann'")]
)
def test_an_unknown_row_is_told(row: Any, hint: str) -> None:
    with pytest.raises(RuleError, match=f"row {row!r}") as caught:
        explain(DATA.set_axis(NAMES), row_rules={row: ["income fixed"]})
    assert hint in caught.value.hint
