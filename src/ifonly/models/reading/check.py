"""Whether a reading says what the model says.

They are compared on every row of the data, on every value of the data put into some of these rows,
on random points, and beside every threshold; in a small space, on every point. So the model is
asked about as many points as the data have rows, and about one for each value of each feature. A
step that treats a pair of values apart, which no row has, is not found in a large space.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ifonly.errors import ReadingError
from ifonly.models.protocol import Model
from ifonly.models.reading.layers.layers import Layers
from ifonly.models.reading.link import decisions_of, leads_of, scores_of
from ifonly.models.reading.points import beyond, spread
from ifonly.models.reading.trees.edges import edge_points
from ifonly.models.reading.trees.trees import Trees
from ifonly.models.reading.witness import Checked, Witness
from ifonly.space import Space
from ifonly.space.table.values import value_of

RANDOM = 2000
"""Random points of the space."""
MOST = 100_000
"""Points beside thresholds; of more, those of some trees."""
AROUND = 64
"""Points around a row with a value that is not known."""
SINGLE = 1e-6
"""What single precision may make of a score."""
BLOCK = 20_000
"""Points that the model is asked about at a time."""


def check_reading(
    reading: Layers | Trees, adapted: Model, space: Space, codes: np.ndarray
) -> Checked:
    """Refuse a reading that disagrees with the model over a space by more than rounding.

    `codes` [n, d] are all rows of the data. Scores must be equal up to the reading's rounding, and
    decisions wherever the reading's own margins are clearer than that.
    """
    witness = Witness.of(space, codes)
    further = [spread(space, RANDOM, seed=1), witness.everywhere()]
    if isinstance(reading, Trees):
        further.append(edge_points(reading, MOST))
    _check_all(reading, adapted, space, np.concatenate(further))
    for j in range(len(space)):
        _check_all(reading, adapted, space, witness.one_by_one(j))
    _check_all(reading, adapted, space, witness.rows)
    return Checked(
        len(codes), sum(map(len, witness.scored)), sum(map(len, further)), witness.scored
    )


def _check_all(reading: Layers | Trees, adapted: Model, space: Space, codes: np.ndarray) -> None:
    for start in range(0, len(codes), BLOCK):
        _check(reading, adapted, space, codes[start : start + BLOCK])


def _check(reading: Layers | Trees, adapted: Model, space: Space, codes: np.ndarray) -> None:
    if reading.classes != adapted.classes:
        raise ReadingError(
            f"The reading has the classes {reading.classes}, the model {adapted.classes}."
        )
    margins = reading.margins(codes)
    scores = scores_of(reading.link, margins)
    theirs = np.asarray(adapted.scores(codes), dtype=np.float64)
    if scores.shape != theirs.shape:
        raise ReadingError(f"The reading gives {scores.shape[1]} scores, the model {theirs.shape}.")
    wrong = ~(np.abs(scores - theirs).max(axis=1) <= reading.rounding)
    if wrong.any():
        _refuse(space, codes[wrong][0], theirs[wrong][0], scores[wrong][0])
    ours = decisions_of(reading.link, margins)
    if ours is None:
        return
    decided = adapted.decide(codes)
    decided = theirs.argmax(axis=1) if decided is None else np.asarray(decided)
    clear = leads_of(reading.link, margins) > 2 * reading.rounding
    wrong = clear & (ours != decided)
    if wrong.any():
        names = [reading.classes[index] for index in (decided[wrong][0], ours[wrong][0])]
        _refuse(space, codes[wrong][0], *names)


def holds_around(reading: Layers | Trees, adapted: Model, row: np.ndarray) -> bool:
    """Whether a reading says what the model says where some values are those of a row [d].

    A row may have, and keep, values at which the reading was not checked.
    """
    space = reading.space
    if reading.checked is not None and reading.checked.holds(row):
        return True
    points = spread(space, AROUND, seed=2)
    points = np.where(np.random.default_rng(3).random(points.shape) < 0.5, row, points)
    # Rounding grows with the numbers that are added up, and single precision cuts off decimals.
    rounding = max(reading.rounding, SINGLE) * (1 + 2 * beyond(space, points))
    wider = replace(reading, rounding=rounding)
    try:
        _check(wider, adapted, space, points)
    except ReadingError:
        return False
    return True


def _refuse(space: Space, point: np.ndarray, theirs: object, ours: object) -> None:
    where = {
        feature.name: value_of(feature, code)
        for feature, code in zip(space.features, point, strict=True)
    }
    raise ReadingError(
        f"The reading of the model is wrong: at {where} the model says {theirs}, "
        f"the reading {ours}.",
        "Use method='auto', which asks the model itself.",
    )
