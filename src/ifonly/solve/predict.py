"""What the model says of the rows themselves, and how a failure stays in its row.

A strategy, a solver or the user's model may raise for some rows of a batch. The rows are then split
in two and tried again, down to the single row, which fails alone. Every other row is answered as
if that row were not there, because a row's answers do not depend on the rows beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ifonly.errors import IfonlyError, PredictionError
from ifonly.models import Counted
from ifonly.models.adapters.table import TableModel
from ifonly.models.decision import by_scores
from ifonly.models.routes.fastest import Faithful, clear
from ifonly.models.routes.lookup import Lookup
from ifonly.solve.asked import Asked
from ifonly.space.table.carry import tagged

PER_ROW = 3
"""At most so many model rows are asked to know and confirm what a row is predicted to be."""


@dataclass(frozen=True)
class Predicted:
    """Decisions and scores of q rows, as far as they are known."""

    decided: np.ndarray
    """[q] the class index, -1 where it is not known; or the number that a regression predicts."""
    scores: np.ndarray
    """[q, c]"""
    known: np.ndarray
    """bool [q]"""
    failed: Mapping[int, str]
    """Why the model fails for some rows, by position."""
    promised: np.ndarray
    """bool [q] the rows that only a route was asked about, until the model confirms them."""

    def confirmed(self, model: Counted) -> np.ndarray:
        """[q, c] the scores, those of the model itself where it has confirmed what a route said."""
        scores = self.scores.copy()
        if model.confirmed is not None:
            scores[self.promised] = model.confirmed
        return scores

    def labels(self, classes: tuple[Any, ...]) -> tuple[Any, ...]:
        """The predicted class or number of each row; None where it is not known."""
        if not classes:
            values = self.decided.tolist()
            return tuple(v if known else None for v, known in zip(values, self.known, strict=True))
        entries = np.empty(len(classes) + 1, dtype=object)
        entries[:] = [*classes, None]
        return tuple(entries[np.where(self.known, self.decided, -1)].tolist())


def predict(
    model: Counted,
    x: np.ndarray,
    threshold: float | None,
    *,
    stated: bool,
    certain: bool,
    alone: bool = False,
) -> Predicted:
    """What the model says of rows x [q, d], as far as its budget of rows reaches.

    A row that it fails for is left out, with the reason. Where decisions are `certain` to follow
    from scores, a route may be asked first: the model itself then confirms it together with the
    answers, in the same call. A `stated` threshold decides by scores, whatever the model decides.
    Where rows stand `alone`, an error is that of its row, however many rows fail.
    """
    n = len(x)
    if model.most_rows is not None:
        n = min(n, max(0, model.most_rows - model.rows) // PER_ROW)
    if model.per_row is not None and model.per_row < PER_ROW:
        n = 0
    by_route = certain and _promises(model, x[:n])

    def ask(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if by_route:
            said, scores = None, model.scores(codes)
        else:
            said, scores = model.own(codes, decide=not stated, strict=True)
        if not model.classes:
            return scores, scores[:, 0]
        return scores, by_scores(scores, threshold) if said is None else said

    parts, failed = accepted(ask, x[:n], alone=alone)
    decided = np.full(len(x), -1.0 if not model.classes else -1)
    scores = np.full((len(x), max(1, len(model.classes))), np.nan)
    for rows, (score, said) in parts:
        scores[rows], decided[rows] = score, said
    known = np.isfinite(scores).all(axis=1) & ((decided >= 0) | (not model.classes))
    if by_route and known.any():
        model.promise(x[known], None if stated or not model.classes else decided[known])
    return Predicted(decided, scores, known, failed, known & by_route)


def _promises(model: Counted, x: np.ndarray) -> bool:
    """Whether the route may be asked about rows x [q, d] first: it decides as the model does."""
    if model.per_row is not None:
        return False  # what another row's answers confirm would be counted as that row's
    if isinstance(model.route, Faithful):
        return True
    # Logits are not what users see: no budget may end before the model has given its scores.
    free = model.most_rows is None and model.deadline is None
    frames = isinstance(model.model, TableModel)  # where a call takes milliseconds
    layers = isinstance(model.route, Lookup) and len(model.classes) > 1 and frames and free
    return layers and bool(clear(model.scores(x)).all())


def predict_asked(
    model: Counted, asked: Asked, threshold: float | None, *, stated: bool, certain: bool
) -> Predicted:
    """The same of all rows asked; those with values that the data do not have, by the model itself.

    Whatever it says of these concerns each of them alone.
    """
    odd, x = asked.odd, tagged(asked.x, asked.places)
    if not odd.any():
        return predict(model, x, threshold, stated=stated, certain=certain)
    said = predict(model, x[~odd], threshold, stated=stated, certain=certain)
    with model.aside(asked.setting.model, asked.setting.route) as own:
        other = predict(own, x[odd], threshold, stated=stated, certain=False, alone=True)
    place = np.argsort(np.concatenate([np.flatnonzero(~odd), np.flatnonzero(odd)]), kind="stable")
    pairs = zip((np.flatnonzero(~odd), np.flatnonzero(odd)), (said, other), strict=True)
    decided, scores, known, promised = (
        np.concatenate([getattr(said, name), getattr(other, name)])[place]
        for name in ("decided", "scores", "known", "promised")
    )
    failed = {int(rows[row]): why for rows, part in pairs for row, why in part.failed.items()}
    return Predicted(decided, scores, known, failed, promised)


FEW = 16
"""So many rows may fail before one has succeeded; after that, the error is one of all rows."""

Rows = NDArray[np.intp]
T = TypeVar("T")


def isolated(
    chunks: Iterable[Rows], attempt: Callable[[Rows], T], *, alone: bool = False
) -> Iterator[tuple[Rows, T | Exception]]:
    """The rows of all chunks, in parts: what `attempt` returns for a part, or a row's own error.

    An error about the question itself (`OptionError`, `RuleError`, ...) is raised at once, and so
    is that of the first chunk if `FEW` rows have failed and none has succeeded, unless rows stand
    `alone`.
    """
    first, failures, succeeded = None, 0, alone
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
    ask: Callable[[NDArray[np.float64]], T], x: NDArray[np.float64], *, alone: bool = False
) -> tuple[list[tuple[Rows, T]], dict[int, str]]:
    """What `ask` returns for the rows of x [q, d] that it does not fail for, in parts.

    Also the reason of each other row, by its position. No call is added where no row fails. A
    single row is asked about twice before it fails: some models fail now and then.
    """
    parts: list[tuple[Rows, T]] = []
    reasons: dict[int, str] = {}

    def attempt(rows: Rows) -> T:
        try:
            return ask(x[rows])
        except PredictionError:
            if len(rows) > 1:
                raise
            return ask(x[rows])

    for rows, result in isolated([np.arange(len(x))], attempt, alone=alone):
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
