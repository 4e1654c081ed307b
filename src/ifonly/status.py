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
    """None, proved: the rules, or the rules and the model together, allow no answer."""
    SKIPPED = "skipped"
    """Not searched: the budget was used up, or the run interrupted, before this row."""
    FAILED = "failed"
    """Not answered because the model or the search raised an error; the note has the reason."""
    ALREADY = "already"
    """The row has the wanted outcome as it is; it counts as answered."""

    @property
    def answered(self) -> bool:
        """Whether the row has all it asked for."""
        return self in (Status.FOUND, Status.ALREADY)
