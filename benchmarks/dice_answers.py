"""dice-ml's methods for any model on a fitted pipeline, measured as ifonly's own answers are."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from answered import Given
from data_tables import Table
from ifonly.space import Space
from peers import ask, columns_of, frame_of

METHODS = ("random", "genetic")
EACH = 60
"""The most seconds for a row."""
CELL = 90
"""The seconds after which no further row of a cell is asked."""


def dice(method: str, one: Table, model: Any, rows: int, k: int) -> tuple[Given, int, float]:
    """Valid answers, nearest first, how many rows took too long, and milliseconds per row."""
    asked = one.rows[:rows].reset_index(drop=True)
    space = Space.infer(one.train)
    numbers = [name for name, number in zip(space.names, space.continuous, strict=True) if number]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipeline.joblib"
        joblib.dump(model, path)
        task = {
            "train": columns_of(one.train),
            "outcome": one.outcome.tolist(),
            "continuous": numbers,
            "rows": columns_of(asked),
            "pipeline": str(path),
            "method": method,
            "k": k,
            "seconds": CELL,
            "each": EACH,
            "seed": 0,
        }
        peer = ask("dice", "dice_tabular", task)
    found = peer["answers"]
    asked = asked[: len(found)]
    frame = frame_of(found, one.train)
    x = space.codes(asked)
    points, filled = np.repeat(x[:, None], k, axis=1), np.zeros((len(x), k), dtype=bool)
    if len(frame):
        query = frame.pop("query").to_numpy()
        place = np.arange(len(query)) - np.searchsorted(query, query)
        codes = space.codes(frame)
        valid = np.asarray(model.predict(frame)) != np.asarray(model.predict(asked))[query]
        points[query, place], filled[query, place] = codes, valid & ~np.isnan(codes).any(axis=1)
    points = np.where(filled[:, :, None], points, x[:, None])
    given = Given(space, x, points, filled)
    order = np.argsort(np.where(filled, given.distance(), np.inf), axis=1, kind="stable")
    points = np.take_along_axis(points, order[:, :, None], axis=1)
    given = Given(space, x, points, np.take_along_axis(filled, order, axis=1))
    return given, int(peer["late"]), 1e3 * float(np.mean(peer["seconds"]))
