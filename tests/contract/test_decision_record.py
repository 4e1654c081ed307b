"""A decision record keeps what was said, and its hash finds every change."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifonly.contract import DecisionRecord, Handler, canonical, row_hash
from ifonly.contract.question import Question, ask
from ifonly.space.marks import decode

ROW = {"income": 10, "job": "a"}
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def decided(handler: Handler, previous: str = "0" * 64, **options: Any) -> DecisionRecord:
    answers = ask(handler, Question(rows=[ROW], k=2, **options))
    return DecisionRecord.of(answers, ROW, time=NOON, key=b"key", previous=previous)


def test_a_record_holds_what_was_said_and_what_produced_it(small: Handler) -> None:
    record = decided(small, rules=["job fixed"])
    reply = small.answer("explain", {"rows": [ROW], "k": 2, "rules": ["job fixed"]})
    row = reply.rows[0]
    assert record.run == reply.record
    assert (record.status, record.score, record.wanted) == (row.status, row.score, row.wanted)
    assert [way.changes for way in record.ways] == [
        {one.feature: one.after for one in way.changes} for way in row.answers
    ]
    assert {name: decode(record.run[name]) for name in ("rules", "seed", "k")} == {
        "rules": ["job fixed"],
        "seed": 0,
        "k": 2,
    }
    assert record.reproducible
    assert not decided(small, budget={"seconds": 60.0}).reproducible


def test_a_record_is_the_same_after_json_and_after_javascript(small: Handler) -> None:
    record = decided(small)
    again = DecisionRecord.model_validate_json(record.model_dump_json())
    assert again == record
    assert again.hash == record.hash
    whole = json.loads(
        record.model_dump_json(), parse_float=lambda text: _as_javascript(float(text))
    )
    assert DecisionRecord.model_validate_json(json.dumps(whole)).hash == record.hash


def _as_javascript(number: float) -> float:
    """What JavaScript writes of a number: 1.0 is 1."""
    return int(number) if number.is_integer() else number


def test_a_row_can_be_erased_and_any_other_change_is_found(small: Handler) -> None:
    first = decided(small)
    second = decided(small, previous=first.hash)
    assert second.previous == first.hash != second.hash
    erased = first.model_copy(update={"row": None})
    assert erased.hash == first.hash
    assert erased.row_hash == row_hash(ROW, b"key") != row_hash(ROW, b"other")
    assert '"before"' not in erased.model_dump_json()
    plain = json.loads(first.model_dump_json())
    for name in plain.keys() - {"row", "signature", "version"}:
        other = {"reasons": [{"feature": "job"}], "previous": "1" * 64, "row_hash": "1" * 64}
        other |= {"ways": plain["ways"][:1], "time": "2026-01-02T12:00:01Z", "run": {}}
        other |= {"reproducible": False, "score": 0.25, "threshold": 0.25}
        other |= {"certificate": {"proved": True, "bound": 1, "gap": 0, "reason": ""}}
        changed = {**plain, name: other.get(name, "other")}
        assert DecisionRecord.model_validate_json(json.dumps(changed)).hash != first.hash, name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (333333333.33333329, "333333333.3333333"),  # examples of RFC 8785
        (1e30, "1e+30"),
        (4.50, "4.5"),
        (2e-3, "0.002"),
        (0.000000000000000000000000001, "1e-27"),
        (-0.0, "0"),
        (5e-324, "5e-324"),
        (9007199254740994.0, "9007199254740994"),
        (295147905179352830000.0, "295147905179352830000"),
        (1e21, "1e+21"),
        (9.999999999999997e22, "9.999999999999997e+22"),
        (0.000001, "0.000001"),
        (1.5e-5, "0.000015"),
        (1e-7, "1e-7"),
        ({"\u20ac": 1, "\r": 2, "1": 3, "\u00f6": 4, "\U0001f600": 5}, None),
        ("\u20ac$\u000f\nA'\"\\", '"€$\\u000f\\nA\'\\"\\\\"'),
    ],
)
def test_canonical_json_is_that_of_rfc_8785(value: Any, text: str | None) -> None:
    wanted = '{"\\r":2,"1":3,"ö":4,"€":1,"😀":5}' if text is None else text
    assert canonical(value).decode() == wanted


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_canonical_numbers_are_read_again(number: float) -> None:
    assert float(canonical(number)) == number


def test_canonical_json_has_no_infinite_number() -> None:
    with pytest.raises(ValueError, match="NaN"):
        canonical([float("nan")])
