"""The route `reasons`, and records that hold them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ifonly.contract import DecisionRecord, Handler
from ifonly.contract.records.rederive import rederive_all
from ifonly.contract.together import answer_together

from .asking import as_json, problem

ROW = {"income": 10, "job": "a"}
CODES = [
    {"feature": "income", "when": "low", "code": "I1", "sentence": "only {value}"},
    {"feature": "job", "code": "J1", "sentence": "job"},
]
STORED = Path(__file__).with_name("record_of_version_1.json")


def test_reasons_are_those_of_answers(mixed: Handler, frame: pd.DataFrame) -> None:
    rows, rules = as_json(frame[:4]), ["grade fixed"]
    reply = mixed.answer("reasons", {"rows": rows, "rules": rules})
    answers = mixed.explainer.explain(frame[:4], k=1, rules=rules)
    for place, row in enumerate(reply.rows):
        own = answers.reasons(place)
        assert [one.sentence for one in row.reasons] == [one.sentence for one in own]
        assert [one.feature for one in row.reasons] == [one.feature for one in own]
        assert [one.weight for one in row.reasons] == [one.weight for one in own]
        assert (row.gap, row.together) == (own.gap, list(own.together))
        for one in row.reasons:
            assert one.feature == "job" or one.value == rows[place][one.feature]
    grades = [one for row in reply.rows for one in row.reasons if one.feature == "grade"]
    assert grades
    assert not any(one.actionable for one in grades)
    assert {one.value for one in grades} <= {"low", "mid", "high"}  # levels, not labels
    json.loads(reply.model_dump_json())


def test_codes_are_those_of_the_request(small: Handler) -> None:
    (row,) = small.answer("reasons", {"rows": [ROW], "codes": CODES}).rows
    assert [(one.code, one.sentence) for one in row.reasons] == [("I1", "Only 10")]
    lacking = problem(small, "reasons", {"rows": [ROW], "codes": CODES[:1]})
    assert (lacking.field, "no line for 'job'" in lacking.detail) == ("codes", True)
    (good,) = small.answer("reasons", {"rows": [{**ROW, "income": 50}], "target": "yes"}).rows
    assert (good.reasons, good.note) == ([], "The outcome is yes, as wanted.")


def test_explain_has_them_where_they_are_asked(small: Handler) -> None:
    whole = small.answer("explain", {"rows": [ROW], "k": 1, "reasons": True}).rows[0]
    assert whole.reasons == small.answer("reasons", {"rows": [ROW]}).rows[0].reasons
    assert small.answer("explain", {"rows": [ROW], "k": 1}).rows[0].reasons == []
    request = small.read("explain", {"rows": [ROW], "k": 1, "reasons": True})
    first, second = answer_together(small, "explain", [request, request])
    assert first.reply.rows == second.reply.rows == [whole]
    assert [one.feature for one in first.reasons[0]] == ["income"]


@pytest.fixture(scope="module")
def records(mixed: Handler, frame: pd.DataFrame) -> list[DecisionRecord]:
    answers = mixed.explainer.explain(frame[:3], k=1, rules=["grade fixed"])
    made = [
        DecisionRecord.of(
            one, row, time="2026-01-02T12:00:00Z", key=b"key", reasons=answers.reasons(place)
        )
        for place, (one, row) in enumerate(zip(answers, as_json(frame[:3]), strict=True))
    ]
    return [DecisionRecord.model_validate_json(one.model_dump_json()) for one in made]


def test_reasons_of_a_record_are_derived_again(
    mixed: Handler, frame: pd.DataFrame, records: list[DecisionRecord]
) -> None:
    assert all(record.reasons for record in records)
    rows = as_json(frame[:3])
    assert rederive_all(records, mixed.explainer, rows) == [[], [], []]
    record = records[0]
    first, *rest = record.reasons
    assert rest
    wrong: list[dict[str, Any]] = [
        {"feature": "zip"},
        {"direction": "other than it was"},
        {"weight": first.weight * 1.01 + 0.001},
        {"suffices": not first.suffices},
        {"needed": not first.needed},
        {"actionable": not first.actionable},
    ]
    forged = [[first.model_copy(update=one), *rest] for one in wrong]
    forged += [rest, [*rest, first], [*record.reasons, first]]
    copies = [record.model_copy(update={"reasons": reasons}) for reasons in forged]
    found = rederive_all(copies, mixed.explainer, rows[:1] * len(copies))
    assert [reasons for reasons, said in zip(forged, found, strict=True) if not said] == []


def test_a_record_keeps_no_value_of_its_row_in_its_reasons(
    small: Handler,
) -> None:
    answers = small.explainer.explain(pd.DataFrame([ROW]), k=1)
    record = DecisionRecord.of(
        answers,
        ROW,
        time="2026-01-02T12:00:00Z",
        key=b"key",
        reasons=answers.reasons(0, codes=CODES),
    )
    assert record.reasons[0].sentence == "only {value}"
    assert "10" not in json.dumps([dict(one) for one in record.reasons])


def test_a_record_that_was_stored_before_still_has_its_hash() -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    wanted = stored.pop("hash")
    record = DecisionRecord.model_validate_json(json.dumps(stored))
    assert record.hash == wanted
    assert record.reasons == []


@pytest.mark.skipif(pd.__version__ < "3", reason="text has another dtype: another description")
def test_a_record_that_was_stored_before_is_derived_again_on_any_clone(small: Handler) -> None:
    """It was made on another day and by another version, and lies in a file of the repository."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    del stored["hash"]
    way = stored["ways"][0]
    planted: list[dict[str, Any]] = [
        {},
        {"score": 0.1},
        {"predicted": "yes"},
        {"ways": [{**way, "changes": {"income": 42}}, *stored["ways"][1:]]},
        {"ways": stored["ways"][1:]},
        {"threshold": 0.4},
    ]
    records = [DecisionRecord.model_validate_json(json.dumps({**stored, **one})) for one in planted]
    found = rederive_all(records, small.explainer, [stored["row"]] * len(records))
    assert [bool(one) for one in found] == [False, *[True] * 5]
