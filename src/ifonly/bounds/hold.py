"""Whether an outcome holds everywhere in boxes: bounds first, then halves of boxes, then theirs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ifonly.bounds.boxes import Boxes
from ifonly.bounds.layers import bound_layers
from ifonly.bounds.parts import Bound, Sides
from ifonly.bounds.trees import bound_trees
from ifonly.models.reading import Layers, Reading
from ifonly.problem.goal import TINY, Goal

WORK = 512
"""The most parts of a box that are looked at, unless stated."""
AT_ONCE = 16
"""How many parts of a box are halved in one round, those of the least bounds first."""
Ask = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From points [m, d], and int [m] the box of each, to bool [m]: which have the outcome."""


def holding(
    reading: Reading, goal: Goal, boxes: Boxes, work: int = WORK, ask: Ask | None = None
) -> np.ndarray:
    """[n] a lower bound of the margin over each box, in sums of the reading.

    It is above 0 exactly where the outcome is proved to hold in all of the box. What the limit of
    `work` leaves open is not proved. Points that rounding leaves open are asked of the model,
    where `ask` is given and the trees give one sum to all of a part.

    Parameters
    ----------
    reading
        The layers or trees of the model.
    goal
        The outcome of each box.
    boxes
        The boxes.
    work
        The most parts of a box that are looked at.
    ask
        What the model itself says of points.

    Returns
    -------
    np.ndarray
        [n].
    """
    sides, n = Sides.of(reading, goal, boxes), len(boxes)
    bound, failed = np.full(n, np.inf), np.zeros(n, dtype=bool)
    spent = np.zeros(n, dtype=np.intp)
    parts, of, least = boxes, np.arange(n), np.full(n, -np.inf)
    while len(parts):
        now, later = _first(of, least)
        here, box = parts[now], of[now]
        spent += np.bincount(box, minlength=n)
        bounds = bound_layers if isinstance(reading, Layers) else bound_trees
        found: Bound = bounds(reading, here, sides[box])  # type: ignore[arg-type]
        done = found.least > 0
        lost = ~done & (found.seen <= (0.0 if ask is None else -2 * sides.room[box]))
        stuck = np.flatnonzero(~done & ~lost & ~found.split.there)
        value = np.where(done, found.least, TINY)
        lost[stuck] = ~_asked(reading, here[stuck], box[stuck], ask)
        halved = ~done & ~lost & found.split.there
        failed[box[lost | (halved & (spent[box] >= work))]] = True
        np.minimum.at(bound, box[~halved], np.where(lost, found.least, value)[~halved])
        halved = np.flatnonzero(halved & ~failed[box])
        pair = found.split[halved].halves(here[halved])
        later = later[~failed[of[later]]]
        parts = parts[later].join(*pair)
        of = np.concatenate([of[later], box[halved], box[halved]])
        least = np.concatenate([least[later], *[found.least[halved]] * 2])
    return np.where(failed, np.minimum(np.where(np.isinf(bound), -1.0, bound), -TINY), bound)


def _first(of: np.ndarray, least: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The parts that are looked at now, some of each box, of the least bounds; and the others."""
    order = np.lexsort((least, of))
    start = np.searchsorted(of[order], of[order])
    now = np.arange(len(order)) - start < AT_ONCE
    return order[now], order[~now]


def _asked(reading: Reading, parts: Boxes, box: np.ndarray, ask: Ask | None) -> np.ndarray:
    """bool [m]: the parts to which the model gives the outcome, by one point of each.

    All points of a part that no tree tells apart have one score; of layers, one point has.
    """
    held = np.zeros(len(parts), dtype=bool)
    if ask is not None and len(parts):
        one = ~parts.wide.any(axis=1) | (not isinstance(reading, Layers))
        held[one] = ask(parts[one].draw(1, 0)[:, 0], box[one])
    return held
