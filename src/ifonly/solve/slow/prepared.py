"""What a model says of the rows that it is prepared with; a slow one of few, with an emulator."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from ifonly.errors import ModelError, PredictionError, ServiceError
from ifonly.models import Model
from ifonly.models.adapters.table import TableModel
from ifonly.models.emulator import Emulator
from ifonly.models.pace import Meter
from ifonly.models.reading.points import spread
from ifonly.solve.probe import ask_rows, middle
from ifonly.space import Space

SLOW = 0.005
"""The seconds for each row from which on a model is slow."""
PROBED = 8, 48
"""The rows of the first two requests, which show it."""
MOST = 500
"""The most rows that a slow model is asked about to prepare."""
FEWEST = 200
"""The fewest rows, within that, that its emulator is fitted to beside those of the data."""


def rows_said(
    adapted: Model, meter: Meter, space: Space, codes: np.ndarray, slow: bool | None
) -> tuple[np.ndarray, np.ndarray, Emulator | None]:
    """The first of codes [n, d] with a model's scores [n, c], and its emulator where it is slow.

    Whether it is `slow` is found out where it is None.
    """
    begun = np.empty((0, max(1, len(adapted.classes))))
    if slow is None and isinstance(adapted, TableModel):
        slow, begun = _pace(adapted, codes, begun)
    if not slow:
        return *ask_rows(adapted, meter, codes, begun), None
    meter.most_rows = MOST if meter.most_rows is None else min(MOST, meter.most_rows)
    # Of what may be asked, the emulator gets as much as the rows, and so do the decisions.
    decides = not isinstance(adapted, TableModel) or adapted.predict is not None
    room = len(begun) + max(1, (int(meter.left) - len(begun)) // (3 if decides else 2))
    asked, said = ask_rows(adapted, meter, codes[:room], begun)
    return asked, said, _emulated(adapted, meter, space, asked, said)


def _pace(adapted: TableModel, codes: np.ndarray, begun: np.ndarray) -> tuple[bool, np.ndarray]:
    """Whether the rows of a model cost milliseconds each, and the scores of those asked about.

    A second and larger request is made where the first took long: that may have been the call.
    """
    if adapted.meter.left < MOST or len(codes) < sum(PROBED):
        return False, begun  # too few for a look at the pace
    for count in PROBED:
        began = time.perf_counter() - _delayed()
        try:
            said = adapted.scores(codes[len(begun) : len(begun) + count])
        except ServiceError:  # it was asked again often enough
            raise
        except ModelError:  # it is said where all rows are asked about
            return False, begun
        begun = np.concatenate([begun, said])
        if time.perf_counter() - _delayed() - began < SLOW * count:
            return False, begun
    return True, begun


def _delayed() -> float:
    """The seconds that this thread has waited for a core, where the system says so.

    On a busy machine a fast model looks slow, and its answers must not depend on that.
    """
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def _emulated(
    adapted: Model, meter: Meter, space: Space, codes: np.ndarray, scores: np.ndarray
) -> Emulator:
    """A cheap model in place of a slow one, fitted to its scores [n, c] of rows [n, d], and more.

    Beside the rows themselves it is asked about as many with one to three values from anywhere in
    the space: that is what candidates are like.
    """
    n, d = max(len(codes), FEWEST), len(space)
    base = codes if len(codes) else middle(space)[None]
    mixed = base[np.arange(n) % len(base)]
    rng = np.random.default_rng(0)
    rank = rng.random((n, d)).argsort(axis=1).argsort(axis=1)
    other = rank < rng.integers(1, 4, n)[:, None]
    mixed[:, :d] = np.where(other, spread(space, n, seed=1), mixed[:, :d])
    try:
        more, said = ask_rows(adapted, meter, mixed[: max(0, int(min(n, meter.left)))], scores[:0])
        codes, scores = np.concatenate([codes, more]), np.concatenate([scores, said])
    except PredictionError:
        pass  # it rejects rows that nobody is like
    return Emulator.fit(space, adapted.classes, codes[:, :d], scores)
