"""How the search for a row ended."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """How the search for a row ended: a row without an answer has a status, never an exception.

    Attributes
    ----------
    FOUND
        All k answers.
    PARTIAL
        Some answers, not all.
    NOT_FOUND
        None within the limit of work or the budget; there may be some.
    INFEASIBLE
        None, proved: the rules exclude every answer, or the model and the rules together.
    SKIPPED
        Not searched: the budget was spent, or the run interrupted, before the row's turn.
    FAILED
        Not answered, because the model or the search raised an error; the note has the reason.
    ALREADY
        The row has the wanted outcome as it is; it counts as answered.

    Examples
    --------
    >>> Status.FOUND == "found", Status.PARTIAL.answered
    (True, False)
    """

    FOUND = "found"
    PARTIAL = "partial"
    NOT_FOUND = "not_found"
    INFEASIBLE = "infeasible"
    SKIPPED = "skipped"
    FAILED = "failed"
    ALREADY = "already"

    @property
    def answered(self) -> bool:
        """Whether the row has all it asked for."""
        return self in (Status.FOUND, Status.ALREADY)
