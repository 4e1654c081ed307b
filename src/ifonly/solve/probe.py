"""The training rows that a model is asked about before the search."""

from __future__ import annotations

import time
from contextlib import suppress

import numpy as np
import pandas as pd

from ifonly.arrays.keys import row_streams
from ifonly.errors import PredictionError
from ifonly.models import Model
from ifonly.models.adapters.table import TableModel
from ifonly.models.pace import Meter, Metered, Spent
from ifonly.models.routes.fastest import Approach
from ifonly.models.sense import heard
from ifonly.problem.reference import Reference
from ifonly.space import Space
from ifonly.space.table.carry import Carried
from ifonly.space.table.frame import Frame, as_frame

REFERENCES = 2000
"""The most training rows that a search starts from."""


def ask_rows(
    adapted: Model, meter: Meter, codes: np.ndarray, begun: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first of codes [n, d] with their scores [n, c]: as many as half of the limits reach.

    `begun` [m, c] has the scores of those that it was asked about already.
    """
    half = None if meter.until is None else (time.monotonic() + meter.until) / 2
    model = adapted if isinstance(adapted, TableModel) else Metered(adapted, meter)
    try:
        with meter.limited(meter.most_rows, half):
            with suppress(PredictionError):  # for some of the rows, it may be
                return codes, np.concatenate([begun, model.scores(codes[len(begun) :])])
            begun = begun[:0]
            return heard(model, codes)
    except Spent as spent:
        said = begun if spent.said is None else np.concatenate([begun, spent.said])
        return codes[: len(said)], said


def reference_of(way: Approach, kept: np.ndarray, said: np.ndarray, d: int) -> Reference:
    """The rows kept to start from, tagged or not, with the scores that they are searched by."""
    if not way.decision.labels:
        return Reference(kept[:, :d], said[: len(kept)])
    try:
        return Reference(kept[:, :d], np.asarray(way.route.scores(kept)))
    except Spent:
        return Reference(kept[:0, :d], said[:0])


def thinned(codes: np.ndarray) -> np.ndarray:
    """The places of at most `REFERENCES` distinct rows, by their hash: whatever their order."""
    _, first = np.unique(row_streams(codes, seed=0), return_index=True)
    return np.asarray(first[:REFERENCES])


def carried_of(space: Space, data: Frame | None) -> Carried | None:
    """The columns that the data carry along; without data, one row in which they are missing."""
    if not space.carry:
        return None
    if data is not None:
        return Carried.of(as_frame(data, "data"), space.carry, None, "data")
    gaps = {one.name: pd.Series([None], dtype=object) for one in space.carry}
    return Carried(as_frame(pd.DataFrame(gaps))).to(space.library)


def middle(space: Space) -> np.ndarray:
    """[d] a row in the middle of a space, to ask a model with where there are no data."""
    codes = np.where(space.continuous, (space.low + space.high) / 2, 0.0)
    return np.asarray(space.round(codes))
