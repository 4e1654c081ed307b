"""No rows, no answers: every view of them works, and none of them is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import DataError, OptionError

DATA = pd.DataFrame({"income": [10, 30, 50, 20], "job": ["a", "b", "a", "c"]})
RICH = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])


@pytest.fixture(scope="module", params=[False, True])
def empty(request: pytest.FixtureRequest) -> ifonly.Answers:
    rows = DATA[:0] if request.param else pd.DataFrame(columns=list(DATA.columns))
    return ifonly.explain(RICH, rows, data=DATA, k=2, rules=["job fixed"])


def test_every_view_of_no_answers_works(empty: ifonly.Answers, tmp_path: Path) -> None:
    assert len(empty) == 0
    assert repr(empty) == "<Answers: 0 rows, k=2>"
    assert empty.sentences() == []
    assert list(empty) == []
    some = ifonly.explain(RICH, DATA[:1], data=DATA, k=2)
    for view in ("frame", "changes", "metrics"):
        columns = list(getattr(some, view)().columns)
        assert list(getattr(empty, view)().columns) == columns
        assert len(getattr(empty, view)()) == 0
    assert (empty.frame()[list(DATA)].dtypes == DATA.dtypes).all()
    assert empty.importance()["changed"].tolist() == [0, 0]
    assert len(empty.sensitive(["job"])) == 0
    assert "<html" in empty.to_html()
    assert empty.distance().shape == (0, 2)
    assert all(len(one) == 0 for one in empty.frontier().values())
    again = ifonly.Answers.from_json(empty.to_json())
    assert again.to_json() == empty.to_json()
    pd.testing.assert_frame_equal(again.frame(), empty.frame())
    empty.to_parquet(tmp_path / "none.parquet")
    assert len(pd.read_parquet(tmp_path / "none.parquet")) == 0


def test_a_row_of_no_rows_is_named(empty: ifonly.Answers) -> None:
    with pytest.raises(OptionError, match="no row 0"):
        empty.why(0)


@pytest.mark.parametrize("options", [{"budget": 1}, {"row_rules": []}, {"target": "yes"}])
def test_any_option_may_be_asked_of_no_rows(options: dict[str, Any]) -> None:
    answers = ifonly.Explainer(RICH, data=DATA).explain(DATA[:0], k=1, **options)
    assert answers.points.shape == (0, 1, 2)
    assert answers.x.dtype == np.float64


def test_no_columns_are_still_an_error() -> None:
    with pytest.raises(DataError, match="lacks the columns"):
        ifonly.explain(RICH, pd.DataFrame(), data=DATA)
