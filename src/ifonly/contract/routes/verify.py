"""The route `verify`: whether a record that somebody kept says what the model says.

Each way of the record is judged anew: its outcome, its scores, its distance and its rules. Nothing
is searched, whatever a record says of its search: a file from outside must not cost more than
that. `ifonly records verify` derives records of a store again.
"""

from __future__ import annotations

from typing import Any

from ifonly.contract.context import Context
from ifonly.contract.problem import Refused
from ifonly.contract.records.decision_record import DecisionRecord
from ifonly.contract.records.rederive import rederive
from ifonly.contract.types import Reply, Request, Row


class VerifyRequest(Request):
    """A record, as `record` replies it."""

    record: DecisionRecord
    row: Row | None = None
    """The row that was explained; null: that of the record."""

    @classmethod
    def examples(cls, row: dict[str, Any], other: dict[str, Any], target: Any) -> list[Any]:
        """None: a record holds what only a model knows."""
        return []


class VerifyReply(Reply):
    """Whether a record holds."""

    holds: bool | None
    """Whether there is no difference; null for who may not see scores in full."""
    differences: list[str]
    """What the record says, and what is found now."""


def verify(context: Context, request: VerifyRequest) -> VerifyReply:
    """Judge the ways of a record anew."""
    kept, limits = request.record, context.limits
    row = kept.row if request.row is None else request.row
    if row is None:
        raise Refused("The record has no row.", "Send the row too.", field="row")
    context.row(row, "row")
    if len(kept.ways) > limits.k:
        hint = f"At most {limits.k} are accepted."
        raise Refused(f"The record has {len(kept.ways)} ways.", hint, field="record.ways")
    try:
        found = rederive(
            kept.model_copy(update={"reproducible": False}), context.explainer, dict(row)
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        hint = "Send it as it was saved."
        raise Refused("The record cannot be read.", hint, field="record.run") from error
    return VerifyReply(holds=not found, differences=found)
