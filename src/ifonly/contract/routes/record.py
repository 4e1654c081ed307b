"""The route `record`: explained decisions as records, for a file that somebody keeps.

The key of their rows' hashes is empty: who has the file has the row. Records of a service's own
store have a secret key.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ifonly.answers import Answers
from ifonly.contract.context import Context
from ifonly.contract.question import Question, ask
from ifonly.contract.records.decision_record import DecisionRecord
from ifonly.contract.types import Reply


class RecordRequest(Question):
    """The question of `explain`, of which the reply has the records."""


class RecordReply(Reply):
    """A record for each row."""

    records: list[DecisionRecord]
    """`verify` takes each of them; none for who may not see scores in full."""


def record(context: Context, request: RecordRequest) -> RecordReply:
    """The records of the answers to each row."""
    return records_of(ask(context, request), request.rows)


def records_of(answers: Answers, rows: list[dict[str, Any]]) -> RecordReply:
    """Answers as records; `rows` are those of the request."""
    time = datetime.now(UTC)
    return RecordReply(
        records=[
            DecisionRecord.of(answers[place], row, time=time, key=b"")
            for place, row in enumerate(rows)
        ]
    )
