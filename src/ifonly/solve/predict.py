"""What the model says of the rows themselves, before anything is searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.models import Counted
from ifonly.models.decision import by_scores
from ifonly.models.routes.pipeline_table import Direct
from ifonly.solve.isolate import accepted

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

    def labels(self, classes: tuple[Any, ...]) -> tuple[Any, ...]:
        """The predicted class or number of each row; None where it is not known."""
        values = [classes[i] for i in self.decided] if classes else self.decided.tolist()
        return tuple(v if known else None for v, known in zip(values, self.known, strict=True))


def predict(
    model: Counted, x: np.ndarray, threshold: float | None, *, stated: bool, certain: bool
) -> Predicted:
    """What the model says of rows x [q, d], as far as its budget of rows reaches.

    A row that it fails for is left out, with the reason. Where decisions are `certain` to follow
    from scores, a route may be asked first: the model itself then confirms it together with the
    answers, in the same call. A `stated` threshold decides by scores, whatever the model decides.
    """
    n = len(x)
    if model.most_rows is not None:
        n = min(n, max(0, model.most_rows - model.rows) // PER_ROW)
    by_route = certain and isinstance(model.route, Direct)

    def ask(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if by_route:
            said, scores = None, model.scores(codes)
        else:
            said, scores = model.own(codes, decide=not stated, strict=True)
        if not model.classes:
            return scores, scores[:, 0]
        return scores, by_scores(scores, threshold) if said is None else said

    parts, failed = accepted(ask, x[:n])
    decided = np.full(len(x), -1.0 if not model.classes else -1)
    scores = np.full((len(x), max(1, len(model.classes))), np.nan)
    for rows, (score, said) in parts:
        scores[rows], decided[rows] = score, said
    known = np.isfinite(scores).all(axis=1) & ((decided >= 0) | (not model.classes))
    if by_route and known.any():
        model.promise(x[known], None if stated or not model.classes else decided[known])
    return Predicted(decided, scores, known, failed)
