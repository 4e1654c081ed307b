"""What goes into a store, and what comes out of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from ifonly.contract import DecisionRecord
from ifonly.errors import OptionError


class KeyReused(OptionError):
    """An Idempotency-Key was used before, for another request."""


@dataclass(frozen=True)
class Kept:
    """A reply that is kept under the Idempotency-Key of its request."""

    key: str
    """The Idempotency-Key."""
    token: str
    """The name of who asked: keys of others are other keys."""
    request_hash: str
    """What tells the request from others."""
    status: int
    """The HTTP status of the reply."""
    body: bytes
    """Its content."""

    def of(self, request_hash: str) -> Kept:
        """This reply, to a request of this hash; another request may not have its key."""
        if request_hash != self.request_hash:
            raise KeyReused(
                f"The Idempotency-Key {self.key!r:.60} was used for another request.",
                "Give each request a key of its own; a repeated one is the same to the byte.",
            )
        return self


@dataclass(frozen=True)
class Written:
    """What an append has done."""

    records: tuple[DecisionRecord, ...]
    """The records as they stand in the chain; nothing where the key was used before."""
    reply: Kept | None
    """The reply to send: the one given, or the one kept first under its key."""


@dataclass(frozen=True)
class Head:
    """How many entries a chain has, and the hash of the last."""

    count: int
    """How many."""
    hash: str
    """That of the last; zeros where there is none."""

    def __str__(self) -> str:
        return f"{self.count}:{self.hash}"


@dataclass(frozen=True)
class Entry:
    """One entry, as it lies in the store."""

    number: int
    """Its place in the chain; the first has 1."""
    hash: str
    """That of the record."""
    previous: str
    """That of the record before."""
    time: str
    """When it was explained, as ISO 8601 writes it in UTC."""
    covered: str
    """The canonical JSON that the hash covers."""
    signature: str | None
    """That of the record, where it is signed."""
    row: str | None
    """The JSON of the row; None where it was erased, or never kept."""

    @property
    def record(self) -> DecisionRecord:
        """The record that was appended."""
        own = {"signature": self.signature, "row": self.row and json.loads(self.row)}
        return DecisionRecord.model_validate_json(json.dumps(json.loads(self.covered) | own))


def stamp(time: datetime) -> str:
    """A moment as text whose order is that of time."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")
