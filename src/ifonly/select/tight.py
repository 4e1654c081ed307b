"""Changed numbers as near to the row's as the outcome allows, or as round.

Both work on single points [p, d], each a candidate of the problem's row of the same place: a round
asks the model about all of them at once.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ifonly.arrays.batches import pick, pick_last
from ifonly.arrays.powers import powers_of_ten
from ifonly.problem.moves import settle
from ifonly.problem.problem import Problem
from ifonly.select.discrete import between, next_toward
from ifonly.select.trim import ROUNDS, WIDE, all_needed
from ifonly.space.table.dates import is_moment

SECTIONS = 9
"""How many values between the row's and a point's are asked about in a round."""
CHECKS = 8
"""How often a number that can still come nearer is bisected again."""
DEARER = 0.02
"""By how much of an answer's distance round numbers may make it farther."""
STEPS = np.outer(powers_of_ten(np.arange(12, -1, -1)), [10.0, 5.0]).ravel()
"""What round numbers are multiples of, in steps of the grid; the coarsest first."""
ROUND = 3
"""How many degrees of roundness are asked about."""
FILLED = 0.05
"""By how much of itself a value that fills a gap may move to a rounder one."""


def nearer(
    problem: Problem, points: np.ndarray, *, held: NDArray[np.bool_] | None = None
) -> np.ndarray:
    """Valid points [p, d] with every number as near to the row's as the outcome allows.

    Every number is bisected between the last value that failed and its own. Where the outcome comes
    and goes on the way, half of the way and the last step are asked about at the end. Points that
    change more than `WIDE` numbers stay as they are. Numbers that have few values come nearer from
    one of these to the next. What is `held` [p, d] stays.
    """
    points = points.copy()
    numbers = _numbers(problem, points)
    numbers &= True if held is None else ~held
    numbers &= numbers.sum(axis=1, keepdims=True) <= WIDE
    waiting, floor = numbers.copy(), problem.x.copy()
    for _ in range(CHECKS):
        for _ in range(ROUNDS):
            active = np.flatnonzero(waiting.any(axis=1))
            if not len(active) or problem.spent:
                break
            _bisect(problem, points, floor, waiting, active)
        moved = _checked(problem, points, numbers)
        if not len(moved):
            break
        waiting[moved], floor[moved] = numbers[moved], problem.x[moved]
    return points


def _checked(problem: Problem, points: np.ndarray, numbers: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Move points half of the way, or the last step, where that is possible; which have moved."""
    active = np.flatnonzero(numbers.any(axis=1))
    if not len(active) or problem.spent:
        return active[:0]
    part, feature, low, high = _asked(problem, points, problem.x, numbers, active)
    step = powers_of_ten(-problem.space.decimals[feature])
    near = np.stack([(low + high) / 2, high - np.sign(high - low) * step], axis=2)
    near = settle(part.box, near, np.repeat(feature[..., None], 2, axis=2), {})
    near = between(problem.grid.discrete, feature, low, high, near)
    nearer = np.abs(near - low[..., None]) < np.abs(high - low)[..., None]
    nearer &= pick(numbers[active], feature)[..., None]
    return active[_moved(part, points, active, feature, near, nearer)[0]]


def halvable(problem: Problem, points: np.ndarray) -> NDArray[np.bool_]:
    """bool [p]: the valid points [p, d] of which a number can come half of the way nearer.

    One that has few values comes to one of these in the middle of the way.
    """
    half = (points + problem.x) / 2
    if problem.grid.discrete:
        feature = np.broadcast_to(np.arange(points.shape[1]), points.shape)
        half = between(problem.grid.discrete, feature, problem.x, points, half[..., None])[..., 0]
    return _can_become(problem, points, half)


def steppable(problem: Problem, points: np.ndarray) -> NDArray[np.bool_]:
    """bool [p]: the valid points [p, d] of which a number can come a step of its grid nearer."""
    near = points - np.sign(points - problem.x) * 10.0**-problem.space.decimals
    for j, known in problem.grid.discrete.items():
        near[:, j] = next_toward(known, points[:, j], problem.x[:, j])
    return _can_become(problem, points, near)


def _can_become(problem: Problem, points: np.ndarray, values: np.ndarray) -> NDArray[np.bool_]:
    """bool [p]: the valid points [p, d] of which a number can be its nearer value [p, d]."""
    near = np.asarray(problem.space.round(values))
    away, left = points - problem.x, near - problem.x
    among = _numbers(problem, points) & (np.abs(left) < np.abs(away)) & (left * away > 0)
    rows, features = np.nonzero(among)
    if not len(rows):
        return np.zeros(len(points), dtype=bool)
    part, trial = problem.take(rows), points[rows]
    trial[np.arange(len(rows)), features] = near[rows, features]
    valid = part.clearly(part.margin(trial[:, None]))[:, 0]
    return np.bincount(rows[valid], minlength=len(points)) > 0


def _numbers(problem: Problem, points: np.ndarray) -> NDArray[np.bool_]:
    """bool [p, d]: the changed numbers of points, neither end of the change missing."""
    changed = problem.changed(points[:, None])[:, 0] & problem.space.continuous
    return np.asarray(changed & ~np.isnan(points - problem.x))


def _bisect(
    problem: Problem,
    points: np.ndarray,
    floor: np.ndarray,
    waiting: NDArray[np.bool_],
    active: np.ndarray,
) -> None:
    """One round for the points `active`: every number that waits is asked about; one of them moves.

    `floor` [p, d] rises to the last values that failed; a number waits while there are others.
    """
    part, feature, low, high = _asked(problem, points, floor, waiting, active)
    values = _between(part, low, high, feature)
    values = between(problem.grid.discrete, feature, low, high, values)
    # A stop toward the row may lie at or before the floor, where the model was asked already.
    new = (values - low[..., None]) * (high[..., None] - values) > 0
    new &= pick(waiting[active], feature)[..., None]
    _, valid = _moved(part, points, active, feature, values, new)
    # The last value that failed before the first that did not.
    failed = np.concatenate([low[..., None], np.where(new, values, low[..., None])], axis=2)
    first = np.where(valid.any(axis=2), valid.argmax(axis=2), values.shape[2])
    floor[active[:, None], feature] = pick_last(failed, first[..., None])[..., 0]
    waiting[active[:, None], feature] = new.any(axis=2)


def _asked(
    problem: Problem,
    points: np.ndarray,
    floor: np.ndarray,
    which: NDArray[np.bool_],
    active: np.ndarray,
) -> tuple[Problem, np.ndarray, np.ndarray, np.ndarray]:
    """The part of the points `active`, their features `which`, each from its floor to its value.

    Features come first that are meant; where a point has fewer, others fill the places [p, c].
    """
    count = int(which[active].sum(axis=1).max())
    feature = np.argsort(~which[active], axis=1, kind="stable")[:, :count]
    low, high = (pick(one[active], feature) for one in (floor, points))
    return problem.take(active), feature, low, high


def _moved(
    part: Problem,
    points: np.ndarray,
    active: np.ndarray,
    feature: np.ndarray,
    values: np.ndarray,
    among: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Move the points `active` to the value that saves most; which moved, and what was valid.

    The features are [p, c], their values and which of them are asked about [p, c, n].
    """
    trial = _written(points[active], feature, values)
    margin = part.margin(trial, among.reshape(len(active), -1), inside=True)
    valid = part.clearly(margin)
    own, now = (pick(one, feature)[..., None] for one in (part.x, points[active]))
    cost = partial(part.metric.cost_of, feature[..., None])
    saved = (cost(now, own) - cost(values, own)).reshape(margin.shape)
    saved = np.where(valid, saved, 0.0)
    best, won = saved.argmax(axis=1), saved.max(axis=1) > 0
    points[active[won]] = trial[won, best[won]]
    return won, valid.reshape(among.shape)


def _between(part: Problem, low: np.ndarray, high: np.ndarray, feature: np.ndarray) -> np.ndarray:
    """[p, c, n] values between `low` and `high` [p, c] on the grids of features [p, c]."""
    step, way = powers_of_ten(-part.space.decimals[feature])[..., None], (high - low)[..., None]
    low, high = low[..., None], high[..., None]
    values = low + way * (np.arange(1, SECTIONS + 1) / (SECTIONS + 1))
    # The last steps one by one: between neighbours on the grid there is nothing.
    walk = high - np.sign(way) * step * np.arange(SECTIONS, 0, -1)
    walk = np.where((walk - low) * way > 0, walk, low)
    values = np.where(np.abs(way) <= (SECTIONS + 1) * step, walk, values)
    places = np.repeat(feature[..., None], SECTIONS, axis=2)
    values = settle(part.box, values, places, {})
    # Between the stops of a tree nothing changes; where none is left, the grid itself is.
    stops = settle(part.box, values, places, part.grid.stops)
    left = ((stops - low) * (high - stops) > 0).any(axis=2, keepdims=True)
    return np.where(left, stops, values)


def _written(points: np.ndarray, feature: np.ndarray, values: np.ndarray) -> np.ndarray:
    """[p, c * n, d] points [p, d], one of their features [p, c] at one of its values [p, c, n]."""
    p, c, n = values.shape
    trial = np.repeat(points[:, None], c * n, axis=1)
    places = np.repeat(feature, n, axis=1)[:, :, None]
    np.put_along_axis(trial, places, values.reshape(p, c * n, 1), axis=2)
    return trial


def rounder(problem: Problem, points: np.ndarray, *, needed: bool) -> np.ndarray:
    """Valid points [p, d] whose numbers are as round as `DEARER` and the outcome allow.

    Numbers, but for dates and such that have few values, move on, away from the row's, to multiples
    of 5, 10, 50, ... steps of their grids, as coarse as each one's share of the distance allows;
    finer ones are tried beside them. No number may then come half of the way nearer; where
    `needed`, all changes of a point stay needed.
    """
    points = points.copy()
    changed = problem.changed(points[:, None])[:, 0] & problem.space.continuous
    changed[:, list(problem.grid.discrete)] = False
    changed &= ~np.array([is_moment(one.column) for one in problem.space.features])
    if not changed.any():
        return points
    distance = problem.distance(points[:, None])
    share = DEARER * distance / np.maximum(changed.sum(axis=1, keepdims=True), 1)
    feature = np.argsort(~changed, axis=1, kind="stable")[:, : int(changed.sum(axis=1).max())]
    values, allowed = _round_values(problem, points, feature)
    row, now = (pick(one, feature)[..., None] for one in (problem.x, points))
    cost = partial(problem.metric.cost_of, feature[..., None])
    dearer = cost(values, row) - cost(now, row)
    allowed &= (dearer <= share[..., None]) & pick(changed, feature)[..., None]
    order = np.argsort(~allowed, axis=2, kind="stable")[:, :, :ROUND]  # the coarsest first
    kept = np.where(pick_last(allowed, order), pick_last(values, order), now)
    trial = np.repeat(points[:, None], ROUND, axis=1)
    places = np.broadcast_to(feature[:, None], (len(points), ROUND, feature.shape[1]))
    np.put_along_axis(trial, places, kept.transpose(0, 2, 1), axis=2)
    moved = (trial != points[:, None]) & ~np.isnan(trial)
    valid = problem.clearly(problem.margin(trial, moved.any(axis=2), inside=True))
    waiting = np.asarray(valid.any(axis=1))
    for degree in range(ROUND):
        rows = np.flatnonzero(waiting & valid[:, degree])
        if not len(rows) or problem.spent:
            continue
        part, better = problem.take(rows), trial[rows, degree]
        kept = ~halvable(part, better)
        if needed:
            kept &= all_needed(part, better)
        points[rows[kept]] = better[kept]
        waiting[rows[kept]] = False
    return points


def _round_values(
    problem: Problem, points: np.ndarray, feature: np.ndarray
) -> tuple[np.ndarray, NDArray[np.bool_]]:
    """[p, c, n] the rounder values of features [p, c], coarsest first, and which of them are."""
    value, row = (pick(one, feature)[..., None] for one in (points, problem.x))
    steps = powers_of_ten(-problem.space.decimals[feature])[..., None] * STEPS
    count = value / steps
    whole = (np.abs(count - np.round(count)) < 1e-6) & (np.round(count) != 0)
    # No side is away from a gap: up to tens, down to fives, so that both sides are tried.
    gap = np.isnan(row)
    up = np.where(gap, np.arange(len(STEPS)) % 2 == 0, value > row)
    away = np.where(up, np.ceil(count), np.floor(count)) * steps
    places = np.repeat(feature[..., None], len(STEPS), axis=2)
    settled = settle(problem.box, away, places, {})
    same = np.abs(settled - away) <= 1e-9 * np.abs(away)  # not moved by the box
    # Half of the way to the round number must not be enough.
    halfway = np.abs(settled - row) < 2 * np.abs(value - row) - steps[..., -1:] / STEPS[-1]
    same &= np.where(gap, np.abs(settled - value) <= FILLED * np.abs(value), halfway)
    # What is finer than a multiple that the value is already is no rounder.
    return settled, same & (settled != value) & (np.cumsum(whole, axis=2) == 0)
