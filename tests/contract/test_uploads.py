"""Uploaded tables, and summaries of what is found for their rows."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contract.asking import as_json, problem

import ifonly
from ifonly.contract import Handler, Limits
from ifonly.contract.together import answer_together

FAULTS = {
    "age": ["old", "12.5.1", "inf", "1e300", ""],
    "pay": ["3.000,5", "EUR 5", "--"],
    "member": ["yes", "2", ""],
    "since": ["yesterday", "2024-02-30", "01.02.2024", ""],
    "grade": ["midd", "Low", ""],
    "job_b": ["2", "x", ""],
}
"""Words that no cell of a column may hold."""


def upload(content: bytes, name: str = "rows.csv") -> dict[str, str]:
    return {"name": name, "content": base64.b64encode(content).decode()}


def asked(handler: Handler, frame: pd.DataFrame) -> Any:
    return handler.answer("read_table", upload(frame.to_csv(index=False).encode()))


def rows_of(reply: Any) -> list[dict[str, Any]]:
    """The rows of a reply, as a page sends them."""
    known = [column for column in reply.columns if column.known]
    return [{one.name: one.values[i] for one in known} for i in range(reply.count)]


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_every_faulty_cell_is_named_and_no_other(
    mixed: Handler, frame: pd.DataFrame, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, 30))
    table = frame[:n].assign(member=frame["member"].astype(str)).astype(object)
    cells = st.tuples(st.integers(0, n - 1), st.sampled_from(sorted(FAULTS)))
    planted = data.draw(st.sets(cells, max_size=12))
    for row, column in planted:
        table.loc[row, column] = data.draw(st.sampled_from(FAULTS[column]))
    reply = asked(mixed, table)
    assert {(one.row, one.column) for one in reply.errors} == planted
    assert len(reply.errors) == len(planted)
    assert reply.wrong_rows == sorted({row for row, _ in planted})
    assert all(one.message for one in reply.errors)
    good = [i for i in range(n) if i not in reply.wrong_rows]
    rows = rows_of(reply)
    if good:
        said = mixed.answer("score_batch", {"rows": [rows[i] for i in good]})
        own = mixed.answer("score_batch", {"rows": as_json(frame.iloc[good])})
        assert said == own


def test_parquet_and_csv_are_read_alike(mixed: Handler, frame: pd.DataFrame) -> None:
    file = io.BytesIO()
    frame.to_parquet(file)
    from_parquet = mixed.answer("read_table", upload(file.getvalue(), "Rows.PARQUET"))
    from_csv = asked(mixed, frame)
    for reply in (from_parquet, from_csv):
        assert (reply.count, reply.errors, reply.wrong_rows) == (len(frame), [], [])
        assert mixed.answer("score_batch", {"rows": rows_of(reply)}) == mixed.answer(
            "score_batch", {"rows": as_json(frame)}
        )
    assert from_csv.missing == {"pay": {"": int(frame["pay"].isna().sum())}}
    wrong = frame.assign(grade=["lwo", *frame["grade"][1:]])
    file = io.BytesIO()
    wrong.to_parquet(file)
    (error,) = mixed.answer("read_table", upload(file.getvalue(), "r.parquet")).errors
    assert (error.row, error.column, error.hint) == (0, "grade", "Did you mean 'low'?")


def test_columns_that_are_absent_or_unknown(mixed: Handler, frame: pd.DataFrame) -> None:
    reply = asked(mixed, frame[:3].rename(columns={"age": "agee"}).assign(region="north"))
    assert [(one.row, one.column, one.hint) for one in reply.errors] == [
        (None, "age", "Did you mean 'agee'?")
    ]
    assert reply.wrong_rows == [0, 1, 2]
    assert [one.name for one in reply.columns if not one.known] == ["agee", "region"]
    assert reply.columns[-1].values == ["north"] * 3


def test_a_column_of_something_else_is_one_error(small: Handler) -> None:
    table = pd.DataFrame({"income": [f"x{i}" for i in range(5000)], "job": "z"})
    reply = asked(small, table)
    assert [one.column for one in reply.errors if one.row is None] == ["income"]
    assert len(reply.errors) == 1000
    assert reply.wrong_rows == list(range(5000))


@pytest.mark.parametrize(
    ("body", "field", "told"),
    [
        ({"name": "rows.xlsx", "content": ""}, "name", "not a table that can be read"),
        ({"name": "rows.csv", "content": "§"}, "content", "not base64"),
        (upload(b""), "content", "is empty"),
        (upload(b"income;job\n1;a\n"), "content", "single column"),
        (upload(b"income,income\n1,2\n"), "content", "more than one column"),
        (upload("income,job\n1,ä\n".encode("latin-1")), "content", "cannot be read"),
        (upload(b"," * 5000), "content", "5001 columns"),
        (upload(b"income,job\n" + b"1,a\n" * 4), "content", "more than 3 rows"),
        (upload(b"PAR1", "rows.parquet"), "", "cannot be read as a table"),
    ],
)
def test_a_file_that_is_no_table(small: Handler, body: Any, field: str, told: str) -> None:
    found = problem(Handler(small.explainer, limits=Limits(batch_rows=3)), "read_table", body)
    assert (found.field, found.status < 500) == (field, True)
    assert told in found.detail


def summaries(handler: Handler, frame: pd.DataFrame, **more: Any) -> list[Any]:
    rows = handler.answer("explain_batch", {"rows": as_json(frame), **more}).rows
    return list(rows)


@pytest.mark.parametrize("rules", [[], ["age fixed", "pay fixed", "grade fixed"]])
def test_a_summary_says_what_answers_say(
    mixed: Handler, frame: pd.DataFrame, rules: list[str]
) -> None:
    asked, more = frame[:12], {"k": 3, "rules": rules}
    answers = mixed.explainer.explain(asked, **more)
    lines, changes = answers.frame(), answers.changes()
    for q, said in enumerate(summaries(mixed, asked, **more)):
        own = lines[lines["query"] == q]
        assert (said.status, said.answers) == (answers.status[q], len(own))
        assert (said.prediction, said.wanted) == (answers.predicted[q], answers.wanted[q])
        assert said.score == answers.row_score[q]
        if own.empty:
            assert (said.distance, said.price, said.changes, said.uses) == (None, None, {}, {})
            continue
        nearest = own.loc[own["price"].idxmin()]
        assert (said.distance, said.price) == (nearest["distance"], nearest["price"])
        assert len(said.changes) == nearest["changed"]
        way = changes[(changes["query"] == q) & (changes["answer"] == nearest["answer"])]
        assert set(said.changes) == set(way["feature"])
        edited = {**as_json(asked[q : q + 1])[0], **said.changes}
        assert mixed.answer("predict", {"rows": [edited]}).rows[0].prediction == said.wanted


def test_chunks_add_up_to_the_importance_of_the_batch(mixed: Handler, frame: pd.DataFrame) -> None:
    asked = frame[:20]
    chunks = [
        one for at in (0, 3, 10) for one in summaries(mixed, asked[at : {0: 3, 3: 10}.get(at)])
    ]
    answered = [one for one in chunks if one.answers]
    own = mixed.explainer.explain(asked).importance().set_index("feature")
    for name in own.index:
        for what in ("changed", "sufficient"):
            shares = [getattr(one.uses[name], what) if name in one.uses else 0 for one in answered]
            assert np.mean(shares) == pytest.approx(own.loc[name, what])


def test_a_summary_is_recorded_as_an_explanation_is(small: Handler) -> None:
    request = small.read("explain_batch", {"rows": [{"income": 10, "job": "a"}], "k": 1})
    (answered,) = answer_together(small, "explain_batch", [request])
    assert answered.reply == small.answer("explain_batch", request.model_dump())
    assert answered.answers is not None
    assert answered.answers.status == ("found",)


def test_the_scores_of_a_summary_are_hidden_from_whom_they_are(small: Handler) -> None:
    from ifonly.serve.exchange import Sight
    from ifonly.serve.sight import seen

    rows = [{"income": 10, "job": "a"}]
    reply = small.answer("explain_batch", {"rows": rows, "k": 1})
    assert reply.rows[0].score == 0
    assert seen(reply, Sight("hidden")).rows[0].score is None
    model = ifonly.as_model(lambda frame: frame["income"] * 1.234, task="regression")
    data = pd.DataFrame({"income": [10, 30, 50, 20]})
    handler = Handler(ifonly.Explainer(model, data=data))
    reply = handler.answer("explain_batch", {"rows": [{"income": 10}], "target": {"low": 20}})
    assert "12.34" in reply.model_dump_json()
    assert "12.34" not in seen(reply, Sight("hidden")).model_dump_json()
