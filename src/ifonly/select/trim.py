"""Answers without needless changes.

Points [p, d] revert what the outcome does not need. Each is a candidate of the problem's row of the
same place: a round asks the model about all of them at once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import pick
from ifonly.problem.problem import Problem
from ifonly.space.distance import differs

WHOLE = 10
"""Up to how many changes every subset is asked about; of more, singles and pairs are reverted."""
WIDE = 60
"""A point that changes more features reverts changes before its numbers move; each takes rounds."""
PREFIXES = 32
"""How many sets of the most useful changes are tried at once."""
MOST = 2**WHOLE
"""How many sets of a point's changes are asked about at the most."""
ROOM = 1_000_000
"""About how many numbers the sets that are asked about together hold; it bounds memory."""
ROUNDS = 60
"""The most rounds of a loop; each makes a point nearer, so they end before."""


def fewer(problem: Problem, points: np.ndarray, enough: int = 1) -> np.ndarray:
    """Valid points [p, d] with changes reverted, the dearest first, while one alone can be.

    A point that changes no more features than `enough` stays as it is.
    """
    points = points.copy()
    if points.shape[1] <= enough:
        return points
    active = np.arange(len(points))
    for _ in range(ROUNDS):
        size = problem.take(active).changed(points[active][:, None])[:, 0].sum(axis=1)
        active, size = active[size > enough], size[size > enough]
        if not len(active) or problem.spent:
            break
        part, own = problem.take(active), points[active]
        feature, real = _dearest(part, own)
        margin = np.where(real, part.margin(_without_one(part, own, feature), real), np.inf)
        can = real & part.clearly(margin)
        many = np.flatnonzero(size > WHOLE)
        if len(many):
            points[active[many]] = _most_useful(
                part.take(many), own[many], feature[many], margin[many], size[many]
            )
        same = (points[active] == own) | np.isnan(own)
        won = np.flatnonzero(can.any(axis=1) & same.all(axis=1))
        j = feature[won, can[won].argmax(axis=1)]
        points[active[won], j] = part.x[won, j]
        active = active[can.any(axis=1)]
    return points


def smallest(problem: Problem, points: np.ndarray) -> np.ndarray:
    """[p, d] the smallest valid set of each point's changes; the point where all are needed."""
    points = points.copy()
    changed = problem.changed(points[:, None])[:, 0]
    size = changed.sum(axis=1)
    count = np.where(size > 1, 2 ** np.minimum(size, WHOLE) - 2, 0)
    block = np.cumsum(count * points.shape[1]) // ROOM
    for rows in (np.flatnonzero(block == one) for one in np.unique(block[count > 0])):
        if problem.spent:
            break
        rows = rows[count[rows] > 0]
        parts = [
            _subsets(problem, points, rows[size[rows] == n], changed) for n in np.unique(size[rows])
        ]
        which, trial = (np.concatenate(one) for one in zip(*parts, strict=True))
        part = problem.take(which)
        valid = part.clearly(part.margin(trial[:, None]))[:, 0]
        won, first = np.unique(which[valid], return_index=True)  # most is reverted first
        points[won] = trial[valid][first]
    return points


def _subsets(
    problem: Problem, points: np.ndarray, rows: np.ndarray, changed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The places [t] and the points [t, d] of all smaller sets of changes of some points.

    They have equally many changes.
    """
    feature = np.nonzero(changed[rows])[1].reshape(len(rows), -1)
    sets = _sets(feature.shape[1])
    own, back = (pick(one[rows], feature)[:, None] for one in (points, problem.x))
    trial = np.repeat(points[rows][:, None], len(sets), axis=1)
    values = np.where(sets, back, own)
    np.put_along_axis(trial, np.broadcast_to(feature[:, None], values.shape), values, axis=2)
    return np.repeat(rows, len(sets)), trial.reshape(-1, points.shape[1])


def all_needed(problem: Problem, points: np.ndarray) -> NDArray[np.bool_]:
    """bool [p]: the points [p, d] of which no change, and no set of changes, can be reverted."""
    return np.asarray(~differs(smallest(problem, points), points).any(axis=1))


def _dearest(part: Problem, points: np.ndarray) -> tuple[np.ndarray, NDArray[np.bool_]]:
    """[p, c] the changed features of points [p, d], dearest first, and which places are real."""
    changed = part.changed(points[:, None])[:, 0]
    price = np.where(changed, part.metric.prices(points, part.x), -1.0)
    order = np.argsort(-price, axis=1, kind="stable")
    order = order[:, : int(changed.sum(axis=1).max(initial=1))]
    return order, pick(changed, order)


def _without_one(part: Problem, points: np.ndarray, feature: np.ndarray) -> np.ndarray:
    """[p, c, d] points [p, d], each with one of its features [p, c] reverted."""
    trial = np.repeat(points[:, None], feature.shape[1], axis=1)
    own = pick(part.x, feature)
    np.put_along_axis(trial, feature[:, :, None], own[:, :, None], axis=2)
    return trial


def _most_useful(
    part: Problem, points: np.ndarray, feature: np.ndarray, margin: np.ndarray, size: np.ndarray
) -> np.ndarray:
    """Points [p, d] with the fewest of their most useful changes that keep the outcome.

    A change is the more useful, the smaller the `margin` [p, c] without it; `size` [p] says how
    many changes there are. The sets of the first few are asked about in one call.
    """
    order = pick(feature, np.argsort(margin, axis=1, kind="stable"))
    counts = np.unique(np.geomspace(1, points.shape[1], PREFIXES).astype(np.intp))
    rank = np.full(points.shape, points.shape[1])
    np.put_along_axis(rank, order, np.arange(order.shape[1])[None], axis=1)
    kept = rank[:, None, :] < counts[:, None]
    trial = np.where(kept, points[:, None], part.x[:, None])
    valid = part.clearly(part.margin(trial, counts < size[:, None]))
    first = trial[np.arange(len(points)), valid.argmax(axis=1)]
    return np.where(valid.any(axis=1, keepdims=True), first, points)


@lru_cache(maxsize=64)
def _sets(size: int) -> NDArray[np.bool_]:
    """[s, size] the sets of changes that are reverted, the largest first; never all of them."""
    sizes = range(size - 1, 0, -1) if size <= WHOLE else (1, 2)
    listed = chain.from_iterable(combinations(range(size), n) for n in sizes)
    return np.array([np.isin(np.arange(size), one) for one in islice(listed, MOST)])
