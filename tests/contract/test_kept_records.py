"""A record that somebody keeps in a file holds as it was given, and in no other form."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from tests.contract.asking import as_json, problem

from ifonly.contract import Handler
from ifonly.contract.routes.record import RecordReply
from ifonly.contract.routes.verify import VerifyReply
from ifonly.serve.exchange import Sight
from ifonly.serve.sight import seen

OPTIONS = {"k": 2, "rules": ["at most 2 features change"], "weights": {"age": 3.0}}


@pytest.fixture(scope="module")
def kept(mixed: Handler, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Records of two rows, as a file has them."""
    status, text = mixed.respond("record", {"rows": as_json(frame[:2]), **OPTIONS})
    assert status == 200, text
    records: list[dict[str, Any]] = json.loads(text)["records"]
    return records


def test_a_record_says_what_explain_says_and_holds(
    mixed: Handler, frame: pd.DataFrame, kept: list[dict[str, Any]]
) -> None:
    explained = mixed.answer("explain", {"rows": as_json(frame[:2]), **OPTIONS})
    for record, row in zip(kept, explained.rows, strict=True):
        assert record["ways"], "the example must have ways"
        assert [one["score"] for one in record["ways"]] == [one.score for one in row.answers]
        reply = mixed.answer("verify", {"record": record})
        assert (reply.holds, reply.differences) == (True, [])


def test_a_record_that_was_changed_does_not_hold(mixed: Handler, kept: Any) -> None:
    first, way = kept[0], kept[0]["ways"][0]
    name = next(iter(way["changes"]))
    before = first["row"][name]
    forged = [
        {"predicted": way["prediction"]},
        {"score": 0.99},
        {"ways": [{**way, "score": way["score"] / 2}]},
        {"ways": [{**way, "changes": {name: before}}]},
        {"run": {**first["run"], "rules": [{"rule": "fixed", "name": name}]}},
        {"run": {**first["run"], "model_fingerprint": "0" * 16}},
    ]
    for change in forged:
        reply = mixed.answer("verify", {"record": {**first, **change}})
        assert reply.holds is False, change
        assert reply.differences, change


def test_another_row_or_none_does_not_hold(mixed: Handler, kept: Any) -> None:
    first, second = kept
    assert mixed.answer("verify", {"record": first, "row": second["row"]}).holds is False
    refused = problem(mixed, "verify", {"record": {**first, "row": None}})
    assert refused.field == "row"


def test_a_record_that_makes_no_sense_is_refused_without_a_search(
    mixed: Handler, kept: Any
) -> None:
    first = kept[0]
    for run in ({}, {"rules": 7}, {**first["run"], "weights": 3}):
        status, text = mixed.respond("verify", {"record": {**first, "run": run}})
        reply = json.loads(text)
        assert (status == 422) or reply["holds"] is False, text
    many = {**first, "ways": first["ways"] * 20}
    assert problem(mixed, "verify", {"record": many}).field == "record.ways"
    endless = {**first["run"], "method": "Method(Engine('thorough'))", "k": 10**9, "certify": 1e9}
    assert mixed.answer("verify", {"record": {**first, "run": endless}}).holds is True


def test_who_does_not_see_scores_gets_none_by_a_record(mixed: Handler, kept: Any) -> None:
    records = RecordReply.model_validate({"records": kept})
    wrong = VerifyReply(holds=False, differences=["score is 0.1 in the record, and 0.2 now"])
    for scores in ("rounded", "hidden"):
        assert seen(records, Sight(scores=scores)).records == []  # type: ignore[arg-type]
        shown = seen(wrong, Sight(scores=scores))  # type: ignore[arg-type]
        assert (shown.holds, shown.differences) == (None, [])
