"""Why a row lacks answers, as a person can read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Why:
    """How the search for a row ended, and what stood in the way."""

    status: str
    note: str = ""
    """What there is to say of the row."""
    clash: tuple[str, ...] = ()
    """The smallest set of rules that cannot hold together for the row."""
    asked: int = 0
    """How many rows the model was asked about, in a search without the rules."""
    valid: int = 0
    """How many different candidates of it have the wanted outcome."""
    rejected: Mapping[str, int] = field(default_factory=dict)
    """How many of these each rule rejects, the most first."""

    def __str__(self) -> str:
        told = [self.note] if self.note else []
        if self.asked and not self.valid:
            told.append(
                f"Without any rule, {self.asked:,} changed rows were tried, and the model gives "
                "the wanted outcome to none of them."
            )
        if self.valid:
            each = [f"'{rule}' rejects {count:,}" for rule, count in self.rejected.items()]
            found = f"Without any rule, {self.valid:,} candidates have the wanted outcome"
            told.append(f"{found}; {', '.join(each) or 'no rule rejects one alone'}.")
        return " ".join(told) or f"The row is {self.status}."
