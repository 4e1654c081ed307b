"""The training rows that a model is asked about before the search."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

from ifonly.arrays.keys import row_streams
from ifonly.errors import ModelError, PredictionError
from ifonly.models import Model
from ifonly.models.adapters.table import TableModel
from ifonly.models.emulator import Emulator
from ifonly.models.pace import Meter, Metered, Spent
from ifonly.models.reading.points import spread
from ifonly.models.routes.fastest import Approach
from ifonly.models.sense import heard
from ifonly.problem.reference import Reference
from ifonly.space import Space
from ifonly.space.table.carry import Carried
from ifonly.space.table.frame import Frame, as_frame

REFERENCES = 2000
"""The most training rows that a search starts from."""

SLOW = 0.005
"""The seconds from which on a model is slow, if each row takes them."""
PROBED = 8, 48
"""The rows of the requests that show it."""
PREPARED = 500
"""The most rows that a slow model is asked about to prepare."""
FEWEST = 200
"""The fewest of them that are mixed from rows of the data; without data, from one."""


def ask_rows(adapted: Model, meter: Meter, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of codes [n, d] with their scores [n, c]: as many as half of the limits reach."""
    half = None if meter.until is None else (time.monotonic() + meter.until) / 2
    model = adapted if isinstance(adapted, TableModel) else Metered(adapted, meter)
    try:
        with meter.limited(meter.most_rows, half):
            return heard(model, codes)
    except Spent as spent:
        nothing = np.empty((0, max(1, len(adapted.classes))))
        said = nothing if spent.said is None else np.asarray(spent.said)
        return codes[: len(said)], said


def takes_long(adapted: TableModel, codes: np.ndarray) -> bool:
    """Whether the rows of a model cost milliseconds each, by requests about codes [n, d].

    The second and larger one is made where the first took long: that may have been the call alone.
    """
    if adapted.meter.left < PREPARED:
        return False  # the budget is too small for a look at the pace
    for count in PROBED:
        began = time.perf_counter()
        try:
            adapted.scores(codes[np.arange(count) % len(codes)])
        except ModelError:  # it is said where more rows are asked about
            return False
        if time.perf_counter() - began < SLOW * count:
            return False
    return True


def few_rows(adapted: Model, meter: Meter, codes: np.ndarray) -> np.ndarray:
    """The first of codes [n, d]: the rows of the data that a slow model is asked about.

    From now on a limit holds; as many rows are left for its emulator, and for its decisions.
    """
    meter.most_rows = PREPARED if meter.most_rows is None else min(PREPARED, meter.most_rows)
    decides = not isinstance(adapted, TableModel) or adapted.predict is not None
    return codes[: max(1, int(meter.left) // (3 if decides else 2))]


def emulated(
    adapted: Model, meter: Meter, space: Space, codes: np.ndarray, scores: np.ndarray
) -> Emulator:
    """A cheap model in place of a slow one, fitted to its scores [n, c] of rows [n, d], and more.

    Beside the rows themselves it is asked about as many with one to three values from anywhere in
    the space: that is what candidates are like.
    """
    n, d = max(len(codes), FEWEST), len(space)
    base = codes[np.arange(n) % len(codes)] if len(codes) else middle(space)[None].repeat(n, 0)
    rng = np.random.default_rng(0)
    rank = rng.random((n, d)).argsort(axis=1).argsort(axis=1)
    mixed = base.copy()
    other = rank < rng.integers(1, 4, n)[:, None]
    mixed[:, :d] = np.where(other, spread(space, n, seed=1), base[:, :d])
    try:
        more, said = ask_rows(adapted, meter, mixed[: int(min(n, meter.left))])
        codes, scores = np.concatenate([codes, more]), np.concatenate([scores, said])
    except PredictionError:
        pass  # it rejects rows that nobody is like
    return Emulator.fit(space, adapted.classes, codes[:, :d], scores)


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
