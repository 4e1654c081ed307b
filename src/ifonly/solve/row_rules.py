"""Rules of single rows: their own bounds, read once for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ifonly.errors import RuleError
from ifonly.rules import Rule, as_rules
from ifonly.space import Space


def read_row_rules(given: Any, q: int, space: Space) -> tuple[tuple[Rule, ...], ...]:
    """The rules of each of q rows; nothing where none has any.

    They come as a dictionary from a row's position to its rules, or as a list with an entry a row.
    """
    if given is None or (isinstance(given, Mapping | Sequence) and not len(given)):
        return ()
    if isinstance(given, Mapping):
        for row in given:
            if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < q:
                raise RuleError(
                    f"row_rules speaks of row {row!r}.",
                    f"Name rows by their position, from 0 to {q - 1}.",
                )
        return tuple(as_rules(given.get(row, ()), space) for row in range(q))
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != q:
        raise RuleError(
            f"row_rules is {given!r}, and there are {q} rows.",
            "Give a dictionary, such as {0: ['income at most 30000']}, or a list of rules a row.",
        )
    return tuple(as_rules(rules or (), space) for rules in given)
