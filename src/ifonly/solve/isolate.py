"""A failure stays in its row: rows that raise an error together are split until they stand alone.

A strategy, a solver or the user's model may raise for some rows of a batch. The rows are then split
in two and tried again, down to the single row, which fails alone. Every other row is answered as
if that row were not there, because a row's answers do not depend on the rows beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ifonly.errors import IfonlyError, PredictionError

FEW = 16
"""So many rows may fail before one has succeeded; after that, the error is one of all rows."""

Rows = NDArray[np.intp]
T = TypeVar("T")


def isolated(
    chunks: Iterable[Rows], attempt: Callable[[Rows], T]
) -> Iterator[tuple[Rows, T | Exception]]:
    """The rows of all chunks, in parts: what `attempt` returns for a part, or a row's own error.

    An error about the question itself (`OptionError`, `RuleError`, ...) is raised at once, and so
    is that of the first chunk if `FEW` rows have failed and none has succeeded.
    """
    first, failures, succeeded = None, 0, False
    for chunk in chunks:
        waiting = [chunk]
        while waiting:
            rows = waiting.pop()
            try:
                result: T | Exception = attempt(rows)
                succeeded = True
            except Exception as error:
                if isinstance(error, IfonlyError) and not isinstance(error, PredictionError):
                    raise
                first = first or error
                if len(rows) > 1:  # every other row: those that fail often lie together
                    waiting += [rows[1::2], rows[::2]]
                    continue
                failures += 1
                if failures >= FEW and not succeeded:
                    succeeded = _any_succeeds(waiting, attempt)
                    if not succeeded:
                        raise first from first.__cause__
                result = error
            yield rows, result


def _any_succeeds(waiting: list[Rows], attempt: Callable[[Rows], T]) -> bool:
    """Whether `attempt` succeeds for one of some rows spread over those that wait."""
    rows = np.concatenate(waiting) if waiting else np.empty(0, dtype=np.intp)
    for row in rows[:: max(1, len(rows) // FEW)]:
        try:
            attempt(np.array([row]))
        except Exception:
            continue
        return True
    return False


def accepted(
    ask: Callable[[NDArray[np.float64]], T], x: NDArray[np.float64]
) -> tuple[list[tuple[Rows, T]], dict[int, str]]:
    """What `ask` returns for the rows of x [q, d] that it does not fail for, in parts.

    Also the reason of each other row, by its position. No call is added where no row fails.
    """
    parts: list[tuple[Rows, T]] = []
    reasons: dict[int, str] = {}
    for rows, result in isolated([np.arange(len(x))], lambda rows: ask(x[rows])):
        if isinstance(result, Exception):
            reasons[int(rows[0])] = reason(result)
        else:
            parts.append((rows, result))
    return parts, reasons


def reason(error: Exception) -> str:
    """An error in one line, for the note of its row."""
    if isinstance(error, IfonlyError):
        return error.message
    return f"{type(error).__name__}: {error}"
