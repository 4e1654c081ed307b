"""What passes between the front of the service, which speaks HTTP, and its worker processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ifonly.contract import DecisionRecord, Handler

SCHEMAS = "schemas"
"""The route whose reply is `Handler.schemas()`, for the description of the service."""


class Source(Protocol):
    """Where a model comes from; it can be pickled, for a worker process opens it."""

    def load(self) -> Handler:
        """The model with its data and rules, prepared."""

    def stamp(self) -> str:
        """A text that changes when a file behind it does."""


@dataclass(frozen=True)
class Sight:
    """What somebody who asks may see."""

    scores: Literal["full", "rounded", "hidden"] = "full"
    rows: bool = False
    """Whether real rows of the data are shown."""


@dataclass(frozen=True)
class Ask:
    """One request, as it arrived."""

    model: str
    route: str
    """A route of the contract, or `SCHEMAS`."""
    body: bytes
    """Not yet read: JSON, or a table of rows."""
    form: Literal["contract", "kserve", "arrow", "parquet"] = "contract"
    """What the body is: a request of the contract or of KServe, or a table; see `forms`."""
    options: bytes = b"{}"
    """With a table: JSON, the request without its rows."""
    deadline: float | None = None
    """When the reply must be there, on the clock of time.monotonic."""
    sight: Sight = Sight()
    who: str = ""
    """The name of the token, if there is one."""
    record: bool = False
    """Whether the decisions explained are to be recorded."""
    background: bool = False
    """Whether others go first: a part of a job."""


@dataclass(frozen=True)
class Said:
    """The reply to one request."""

    status: int
    body: bytes
    """JSON: a reply of the contract, or a problem."""
    records: tuple[DecisionRecord, ...] = ()
    """One per row explained, without the hash of the one before."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """For the log and the metrics: rows, statuses, model_rows, together, seconds."""
