"""What the model says of the rows themselves, before anything is searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.models import Counted
from ifonly.models.decision import by_scores
from ifonly.models.direct import Direct

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

    def labels(self, classes: tuple[Any, ...]) -> tuple[Any, ...]:
        """The predicted class or number of each row; None where it is not known."""
        values = [classes[i] for i in self.decided] if classes else self.decided.tolist()
        return tuple(v if known else None for v, known in zip(values, self.known, strict=True))


def predict(model: Counted, x: np.ndarray, threshold: float | None, *, stated: bool) -> Predicted:
    """What the model says of rows x [q, d], as far as its budget of rows reaches.

    A route may be asked first: the model itself then confirms it together with the answers, in the
    same call. A `stated` threshold decides by scores, whatever the model decides itself.
    """
    n = len(x) if model.most_rows is None else min(len(x), model.most_rows // PER_ROW)
    if isinstance(model.route, Direct):
        said, scores = None, model.promise(x[:n])
    else:
        said, scores = model.own(x[:n], decide=not stated)
    if not model.classes:
        said = scores[:, 0]
    elif said is None:
        said = by_scores(scores, threshold)
    decided = np.full(len(x), -1, dtype=said.dtype)
    whole = np.full((len(x), scores.shape[1]), np.nan)
    decided[:n], whole[:n] = said, scores
    return Predicted(decided, whole, np.arange(len(x)) < n)
