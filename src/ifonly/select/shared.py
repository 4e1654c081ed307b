"""Further ways for rows that have few: one more feature changes, and the numbers change less.

Each known way is tried with one more feature changed. If that moves the point further inside the
outcome, its numbers move back towards the row as far as the outcome then allows, and the new change
stays: 'hours 47 and evaluation 2' beside 'hours 42'.
"""

from __future__ import annotations

import numpy as np

from ifonly.arrays.batches import Points, edited, gather, pick
from ifonly.arrays.ranking import leaders
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select.tight import nearer
from ifonly.select.twins import ways_of

VALUES = 96
"""About how many values of all features are tried beside a point; of more features, none is."""


def shared(problem: Problem, ways: Pool, count: int) -> Pool:
    """At most `count` points of each row, of other ways than the points of a pool."""
    if len(problem.space) > VALUES:
        return Pool.empty(problem.x)
    points = ways.points
    trial = problem.repaired(_with_one_more(problem, points))
    base = np.repeat(np.arange(points.shape[1]), trial.shape[1] // points.shape[1])
    before, after = problem.changed(points)[:, base], problem.changed(trial)
    numbers = problem.space.continuous & ~np.isnan(points - problem.x[:, None])
    open_ = ways.valid & (problem.changed(points) & numbers).any(axis=2)
    more = open_[:, base] & (after & ~before).any(axis=2) & ~(before & ~after).any(axis=2)
    margin, own = problem.margin(trial, more), problem.margin(points, open_)[:, base]
    more &= problem.clearly(margin) & (margin > own)
    paid = problem.price(trial) - problem.price(points)[:, base]
    gain = np.where(more, margin, 1.0) - np.where(more, own, 0.0)
    cost = np.where(more, paid / gain, np.inf)
    index, real = leaders(cost, ways_of(problem, trial), min(count, cost.shape[1]), each=1)
    rows, places = np.nonzero(real)
    found, held = gather(trial, index), after & ~before
    new = held[rows, index[rows, places]]
    found[rows, places] = nearer(problem.take(rows), found[rows, places], held=new)
    return Pool(found, np.where(real, pick(margin, index), -np.inf))


def _with_one_more(problem: Problem, points: Points) -> Points:
    """[q, m * n, d] points [q, m, d], each with one feature at one of a few values of its row."""
    each = max(1, VALUES // len(problem.space))
    features, values = [], []
    for j, places in enumerate(problem.grid.coarse):
        some = np.unique(np.linspace(0, len(places) - 1, min(each, len(places))).astype(np.intp))
        features.append(np.full(len(some), j))
        values.append(problem.moves.values[j][:, 1 + places[some]])
    feature = np.broadcast_to(
        np.concatenate(features), (*points.shape[:2], sum(map(len, features)))
    )
    value = np.concatenate(values, axis=1)[:, None]
    return edited(points, feature, np.broadcast_to(value, feature.shape))
