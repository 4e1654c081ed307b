"""How the search for a row ended."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """One for each row; a row without an answer is a status, never an exception."""

    FOUND = "found"
    """All k answers."""
    PARTIAL = "partial"
    """Some, not all."""
    NOT_FOUND = "not_found"
    """None within the budget; there may be some."""
    INFEASIBLE = "infeasible"
    """None, proved: the rules leave this row no way, or the model and the rules together."""
    SKIPPED = "skipped"
    """Not searched: the budget was spent, or the run interrupted, before the row's turn."""
    FAILED = "failed"
    """Not answered because the model or the search raised an error; the note has the reason."""
    ALREADY = "already"
    """The row has the wanted outcome as it is; it counts as answered."""

    @property
    def answered(self) -> bool:
        """Whether the row has all it asked for."""
        return self in (Status.FOUND, Status.ALREADY)
