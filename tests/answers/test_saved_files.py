"""Saved answers come back as they were; a file that is damaged is refused when it is opened."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import DataError, FileError

Refused = Callable[..., Exception]

BOUNDS = pd.interval_range(0, 3)
DAYS = pd.date_range("2020-01-01", periods=3, tz="Europe/Berlin")


def explain(levels: Any = ("a", "b", "c"), **options: Any) -> ifonly.Answers:
    """Answers to rows with a number and a category, each of whose levels appears."""
    data = pd.DataFrame({"income": np.arange(60) % 50})
    data["kind"] = pd.Series(list(levels) * 20, dtype=options.pop("dtype", object))
    model = ifonly.as_model(lambda f: f["income"] > 25, classes=["no", "yes"])
    return ifonly.explain(model, data[:3], data=data, k=2, categorical=["kind"], **options)


@pytest.mark.parametrize(
    ("levels", "dtype"),
    [
        ([(1, 2), (3, 4), (5,)], object),
        ([("a", (1.5, None)), ("b", ()), "plain"], object),
        ([float("inf"), float("-inf"), 0.5], float),
        (BOUNDS, pd.CategoricalDtype(BOUNDS, ordered=True)),
        (DAYS, DAYS.dtype),
        ([1, "1", datetime.date(2020, 1, 1)], object),
        ([0, 1, 0], "Sparse[int]"),
    ],
    ids=["tuples", "nested", "infinite", "intervals", "times", "mixed", "sparse"],
)
def test_levels_of_any_kind_come_back_as_they_were(levels: Any, dtype: Any) -> None:
    answers = explain(levels, dtype=dtype)
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.space == answers.space
    pd.testing.assert_frame_equal(again.frame(), answers.frame())
    assert again.sentences() == answers.sentences()


@pytest.mark.parametrize("odd", [1 + 2j, datetime.time(10, 30), b"bytes", "half \ud800"])
def test_levels_that_json_cannot_hold_are_refused_when_they_are_written(
    refused: Refused, odd: Any
) -> None:
    answers = explain([odd, "b", "c"])
    refused(DataError, "JSON cannot hold", repr(odd), hint="text", ask=answers.to_json)


def test_an_index_with_a_missing_time_comes_back() -> None:
    answers = explain()
    object.__setattr__(answers, "index", (DAYS[0].tz_localize(None), pd.NaT, (1, "a")))
    assert ifonly.Answers.from_json(answers.to_json()).index[::2] == answers.index[::2]


def test_a_sparse_column_can_be_written_as_parquet(tmp_path: Path) -> None:
    answers = explain([0, 1, 0], dtype="Sparse[int]")
    answers.to_parquet(tmp_path / "answers.parquet")
    written = pd.read_parquet(tmp_path / "answers.parquet")
    assert written["kind"].tolist() == answers.frame()["kind"].tolist()


Change = Callable[[dict[str, Any]], object]
DAMAGES: dict[str, tuple[Change, str]] = {
    "a field too few": (lambda f: f.pop("points"), "'points' is absent"),
    "a field too many": (lambda f: f.update(more=1), "no field 'more'"),
    "no rows": (lambda f: f.update(x=[]), "0 rows"),
    "other k": (lambda f: _set(f, "k", 10**9), "has the shape"),
    "k of another type": (lambda f: _set(f, "k", "2"), "'2' as its 'k'"),
    "numbers that are none": (lambda f: f.update(row_score=["x"] * 3), "'row_score'"),
    "a huge number": (lambda f: f.update(row_score=[10**400] * 3), "'row_score'"),
    "ragged": (lambda f: f["x"][0].pop(), "'x'"),
    "other than true or false": (lambda f: f.update(filled=[[1, 1]] * 3), "'filled'"),
    "a level that is not there": (lambda f: f["points"][0][0].__setitem__(1, 9), "no value of"),
    "a part of a level": (lambda f: f["x"][0].__setitem__(1, 0.5), "no value of 'kind'"),
    "out of range": (lambda f: f["points"][0][0].__setitem__(0, 99999), "99999.0 as 'income'"),
    "a missing value": (lambda f: f["x"][0].__setitem__(0, None), "no value of 'income'"),
    "another status": (lambda f: f["status"]["tuple"].__setitem__(0, "already"), "'already'"),
    "no status": (lambda f: f["status"]["tuple"].__setitem__(0, "fine"), "'fine'"),
    "a note too few": (lambda f: f["notes"]["tuple"].pop(), "'notes'"),
    "a range for a class": (
        lambda f: f["wanted"]["tuple"].__setitem__(0, {"tuple": [1, 2]}),
        "a classifier",
    ),
    "a dtype that does not fit": (lambda f: _column(f, dtype="int8"), "pandas cannot hold"),
    "a dtype that is none": (lambda f: _column(f, dtype="U99999999999"), "pandas cannot hold"),
    "an integer of six bits": (
        lambda f: f["space"]["features"][0]["column"].update(dtype="int6"),
        "pandas cannot hold",
    ),
    "a dtype as wide as memory": (lambda f: _column(f, dtype="U500000000"), "has the dtype"),
    "a level twice": (lambda f: _feature(f, levels=["a", "a"]), "twice"),
    "no name": (lambda f: _feature(f, name=None), "'name' is None"),
    "weights of no feature": (
        lambda f: f["space"].update(weights={"pairs": [["x", 2]]}),
        "no feature 'x'",
    ),
    "half a cost": (
        lambda f: f["space"].update(weights={"pairs": [["income", {"cost": 1}]]}),
        "cost",
    ),
    "rules of one row of three": (
        lambda f: f["record"]["pairs"].append(["row_rules", [[]]]),
        "are not those of 3 rows",
    ),
    "a class that is none": (lambda f: f.update(reached=[[9, 9]] * 3), "a class that the model"),
    "a proof without seconds": (lambda f: f.update(bound=[0, 0, 0]), "lacks its seconds"),
    "a library of nothing": (lambda f: f.update(library="numpy"), "'numpy'"),
}


def _set(fields: dict[str, Any], name: str, value: Any) -> None:
    fields["record"]["pairs"] = [
        [key, value if key == name else old] for key, old in fields["record"]["pairs"]
    ]


def _priced(fields: dict[str, Any], *pairs: list[Any]) -> None:
    fields["space"]["weights"] = {"pairs": list(pairs)}


def _feature(fields: dict[str, Any], **changes: Any) -> None:
    fields["space"]["features"][1].update(changes)


def _column(fields: dict[str, Any], **changes: Any) -> None:
    fields["space"]["features"][1]["column"].update(changes)


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_file_is_refused_by_naming_the_damage(refused: Refused, name: str) -> None:
    change, told = DAMAGES[name]
    fields = json.loads(explain().to_json())
    change(fields)
    content = json.dumps(fields)
    ask = lambda: ifonly.Answers.from_json(content)  # noqa: E731
    refused(FileError, "damaged", told, hint="again", ask=ask)


def test_a_mad_of_any_size_is_a_number() -> None:
    fields = json.loads(explain().to_json())
    fields["space"]["features"][0]["mad"] = 10**30
    frame = ifonly.Answers.from_json(json.dumps(fields)).frame()
    assert (frame["distance"] < 1e-20).any()


@pytest.mark.parametrize("nest", ["[", '{"tuple":[', '{"pairs":[[1,'])
@pytest.mark.parametrize("depth", [30, 500, 200_000])
def test_values_inside_each_other_without_end_are_refused(nest: str, depth: int) -> None:
    ends = {"[": "]", "{": "}"}
    back = "".join(ends[one] for one in reversed(nest) if one in ends)
    deep = nest * depth + "1" + back * depth
    content = explain().to_json().replace('"notes": ', f'"notes": {deep}, "rest": ')
    with pytest.raises(FileError, match="saved answers"):
        ifonly.Answers.from_json(content)


@pytest.mark.parametrize("content", [None, 3, b"\xff", "\ud800", '{"format": "ifonly answers 1"}'])
def test_what_is_no_text_of_answers_is_refused(content: Any) -> None:
    with pytest.raises(FileError, match="not the JSON of saved answers"):
        ifonly.Answers.from_json(content)
