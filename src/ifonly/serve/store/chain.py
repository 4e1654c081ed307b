"""Records become entries: each gets the hash of the one before, and its own covers that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from ifonly.contract import DecisionRecord
from ifonly.serve.store.entry import Head, Kept, KeyReused, Written, stamp

Part: TypeAlias = tuple[Sequence[DecisionRecord], Kept | None]
"""One append: records, and the reply to keep with them."""
Sign: TypeAlias = Callable[[DecisionRecord], DecisionRecord]
"""What signs a record that has the hash of the one before."""


def linked(
    parts: Sequence[Part],
    head: Head,
    known: dict[tuple[str, str], Kept],
    sign: Sign | None = None,
) -> tuple[Head, list[Written | KeyReused], dict[str, list[tuple[Any, ...]]]]:
    """The head after some appends, what each has done, and the lines to insert into each table."""
    lines: dict[str, list[tuple[Any, ...]]] = {"entries": [], "rows": [], "replies": []}
    done: list[Written | KeyReused] = []
    now = stamp(datetime.now(UTC))
    for records, reply in parts:
        if reply is not None and (first := known.get((reply.token, reply.key))) is not None:
            try:
                done.append(Written((), first.of(reply.request_hash)))
            except KeyReused as error:
                done.append(error)
            continue
        chained = []
        for record in records:
            record = record.model_copy(update={"previous": head.hash})
            record = record if sign is None else sign(record)
            covered = record.covered
            head = Head(head.count + 1, hashlib.sha256(covered).hexdigest())
            own = (head.count, head.hash, record.previous, stamp(record.time))
            lines["entries"].append((*own, covered.decode(), record.signature))
            if record.row is not None:
                lines["rows"].append((head.count, json.dumps(record.row)))
            chained.append(record)
        if reply is not None:
            known[reply.token, reply.key] = reply
            kept = (reply.token, reply.key, reply.request_hash, reply.status, reply.body, now)
            lines["replies"].append(kept)
        done.append(Written(tuple(chained), reply))
    return head, done, lines
