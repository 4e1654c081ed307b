"""A table has one schema whatever its rows are, and is read back as the answers that it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ifonly
from ifonly.scale import answers_table, schema
from ifonly.scale.parts.reading import answers_of

from .conftest import asked, lender
from .test_identity import check_same


def solvent(frame: pd.DataFrame) -> Any:
    return frame["income"] > 40


def graded(frame: pd.DataFrame) -> Any:
    return np.digitize(frame["income"], [30, 60])


DATA = lender(60).assign(
    since=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(60), unit="D"),
    rooms=np.where(np.arange(60) % 7 == 0, np.nan, np.arange(60) % 5),
    name=[f"person {n}" for n in range(60)],
    own=np.arange(60) % 2 == 0,
    status=np.arange(60) % 3,
)
"""Dates, missing values, a carried column, truth, and a feature named like a column of ours."""
TWO = ifonly.as_model(solvent, classes=["no", "yes"])
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "two classes": (TWO, {}),
    "fixed rows": (TWO, {"rules": ["income fixed"]}),
    "any other class": (
        ifonly.as_model(graded, classes=[0, 1, 2], gives="labels"),
        {"target": "other"},
    ),
    "classes of numbers": (
        ifonly.as_model(graded, classes=[0, 1, 2], gives="labels"),
        {"target": 2},
    ),
    "a regression": (
        ifonly.as_model(lambda frame: frame["income"] * 2.0, task="regression"),
        {"target": (100, 120)},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_table_holds_is_read_back(kind: str) -> None:
    model, question = KINDS[kind]
    explainer = ifonly.Explainer(model, data=DATA)
    odd = DATA[20:26].copy()
    odd.loc[22, "job"] = "astronaut"  # which the data do not have
    odd.loc[23, "income"] = 400
    fresh = explainer.explain(odd, k=2, **question)
    table = answers_table(fresh, {"id": list("abcdef")})
    assert table.schema == schema(explainer, {"id": "string"})
    assert pa.types.is_timestamp(table.schema.field("since").type)
    read = answers_of(table, explainer.setting.space, fresh.record, ("id",))
    check_same(read, fresh)
    assert read.index == tuple("abcdef")
    assert read.sentences() == fresh.sentences()


def test_no_rows_have_the_same_schema() -> None:
    explainer = ifonly.Explainer(TWO, data=DATA)
    table = answers_table(explainer.explain(DATA[:0]), {"id": pa.array([], pa.string())})
    assert table.schema == schema(explainer, {"id": "string"})
    assert "_status" in table.schema.names


def test_actions_and_their_consequences_are_kept() -> None:
    data = lender(80)[["income", "debt"]]
    causes = ifonly.CausalModel({"debt": ("income",)}, {"debt": lambda own: 50 - own["income"] / 2})
    explainer = ifonly.Explainer(TWO, data=data, causes=causes)
    fresh = explainer.explain(data[:4], k=1)
    table = answers_table(fresh, {"id": [1, 2, 3, 4]})
    check_same(answers_of(table, explainer.setting.space, fresh.record, ("id",)), fresh)


def test_every_part_of_a_run_has_the_stated_schema(
    explainer: Any, rows: Path, tmp_path: Path
) -> None:
    run = asked(explainer, rows, tmp_path / "out")
    assert {table.schema.remove_metadata() for table in run.tables()} == {
        schema(explainer, {"customer": "int64"})
    }
