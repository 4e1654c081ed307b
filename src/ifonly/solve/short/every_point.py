"""Every point that a row may become, where there are few: what is no answer is known then."""

from __future__ import annotations

import numpy as np

from ifonly.arrays.powers import powers_of_ten
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.space.distance import differs

MOST = 4000
"""The most points of a row that are all tried: fewer than a thorough search asks about."""
TOGETHER = 2**22
"""About how many numbers the points that are tried together hold."""
KEPT = 1000
"""How many of the answers are kept, the nearest."""


def every_point(problem: Problem, *, proving: bool = True) -> tuple[Pool, np.ndarray]:
    """All answers of rows that may become at most `MOST` points, and bool [q]: which rows do.

    The user's own model is asked about every point that the rules allow; where nothing is to be
    proved, the search's faster route is.
    """
    sizes, listed = _sizes(problem)
    with np.errstate(over="ignore"):  # of wide tables there are infinitely many
        total = np.maximum(np.prod(sizes, axis=1, dtype=np.float64), 1.0)
    few = total <= MOST
    left = problem.model.left if problem.model.most_rows is not None else np.inf
    found, rows = Pool.empty(problem.x), np.flatnonzero(few)
    if not len(rows) or total[few].sum() > left:
        return found, np.zeros(len(total), dtype=bool)
    most = int(total[few].max())
    step = max(1, TOGETHER // (most * problem.x.shape[1]))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        part = problem.take(some)
        points = _points(part, sizes[some], listed[some], int(total[some].max()))
        new = np.arange(points.shape[1]) < total[some, None]
        met = part.accepts(points, new) if proving else part.margin(points, new) > 0
        pool = Pool(points, np.where(met, 1.0, -np.inf))
        pool = pool.nearest(np.where(pool.valid, part.price(points), np.inf), KEPT)
        found = found.join(pool.spread(some, len(few)))
    # What a budget leaves unasked is not known to be no answer.
    return found, few & (not problem.model.spent)


def _sizes(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """int [q, d] how many values each feature may have, and [q, d] how many of them are listed.

    After those that its box lists come the row's own value, where it is another, and none.
    """
    box, space = problem.box, problem.space
    power = powers_of_ten(np.asarray(space.decimals))
    with np.errstate(invalid="ignore"):
        listed = np.maximum(np.round((box.high - box.low) * power) + 1, 0)
    listed = np.where(np.isfinite(listed), listed, 0)
    own = (problem.x >= box.low) & (problem.x <= box.high)
    own &= np.asarray(space.round(problem.x)) == problem.x
    for j in np.flatnonzero(~space.continuous):
        levels = box.levels[:, space.offsets[j] : space.offsets[j + 1]]
        listed[:, j] = levels.sum(axis=1)
        level = np.nan_to_num(problem.x[:, j]).astype(np.intp)[:, None]
        own[:, j] = np.take_along_axis(levels, level, axis=1)[:, 0] & ~np.isnan(problem.x[:, j])
    return listed + (box.keep & ~own) + box.erase, listed


def _points(problem: Problem, sizes: np.ndarray, listed: np.ndarray, count: int) -> np.ndarray:
    """[q, count, d] the points of rows, in order; a row with fewer repeats some after them."""
    box, space = problem.box, problem.space
    points = np.repeat(problem.x[:, None], count, axis=1)
    number = np.broadcast_to(np.arange(count), points.shape[:2])
    for j in range(len(space)):
        number, digit = np.divmod(number, np.maximum(sizes[:, j, None], 1))
        if space.continuous[j]:
            low = np.where(np.isfinite(box.low[:, j]), box.low[:, j], 0.0)
            value = low[:, None] + digit / 10.0 ** int(space.decimals[j])
        else:
            levels = box.levels[:, space.offsets[j] : space.offsets[j + 1]]
            order = np.argsort(~levels, axis=1, kind="stable")
            place = np.minimum(digit, levels.shape[1] - 1).astype(np.intp)
            value = np.take_along_axis(order, place, axis=1).astype(np.float64)
        beyond = digit - listed[:, j, None]
        lost = (beyond >= 0) & (beyond == sizes[:, j, None] - listed[:, j, None] - 1)
        lost &= box.erase[:, j, None]
        value = np.where(lost, np.nan, np.where(beyond >= 0, problem.x[:, j, None], value))
        points[:, :, j] = value
    rounded = np.asarray(space.round(points))
    return np.where(differs(points, problem.x[:, None]), rounded, problem.x[:, None])
