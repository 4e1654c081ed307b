"""Actions to try for everybody: what answers do, what single features can do, and both joined.

Answers that change the same features in the same direction, to the same levels, are one cluster.
Its actions do to everybody what the answers at some quantiles of the cluster do: by amounts, and by
the ends that numbers are brought to.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ifonly.answers.views import Shown, shown_features
from ifonly.fairness.actions.action import ADD, LOWER, RAISE, SET, Action, Step
from ifonly.space import Continuous, Space
from ifonly.space.distance import differs

CLUSTERS = 40
"""The most clusters of answers, the largest first."""
QUANTILES = (0.25, 0.5, 0.75, 0.9, 1.0)
VALUES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The quantiles of a number's values to which it is raised or lowered."""
AMOUNTS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""The amounts, in its median absolute deviations, by which a number is moved."""


def clustered(space: Space, rows: np.ndarray, answers: np.ndarray) -> list[Action]:
    """The actions of clusters of answers [n, d] to rows [n, d]."""
    shown = shown_features(space, named=True)
    changed, moved = differs(answers, rows), answers - rows
    ways = np.zeros((len(rows), len(space)))
    ways[changed] = np.where(space.continuous, np.sign(moved), answers + 1)[changed]
    ways = np.where(np.isnan(ways), np.inf, ways)
    found, where, count = np.unique(ways, axis=0, return_inverse=True, return_counts=True)
    actions: list[Action] = []
    for cluster in np.argsort(-count, kind="stable")[:CLUSTERS]:
        inside = np.flatnonzero(where.ravel() == cluster)
        acted = [one for one in shown if found[cluster][one.columns].any()]
        if acted and np.isfinite(found[cluster]).all():
            for ends in (False, True):
                actions += _of_cluster(space, acted, answers[inside], moved[inside], ends=ends)
    return actions


def _of_cluster(
    space: Space, acted: list[Shown], answers: np.ndarray, moved: np.ndarray, *, ends: bool
) -> Iterator[Action]:
    """The actions of one cluster, by amounts or by the `ends` that numbers are brought to."""
    for share in QUANTILES:
        steps = []
        for one in acted:
            j = one.columns[0]
            if one.group is not None or not space.continuous[j]:
                steps.append(Step(tuple(one.columns), SET, tuple(answers[0, one.columns].tolist())))
                continue
            up = moved[0, j] > 0
            part = share if up or not ends else 1 - share
            amounts = answers[:, j] if ends else moved[:, j] * (1 if up else -1)
            value = float(np.quantile(amounts, part, method="inverted_cdf"))
            kind = (RAISE if up else LOWER) if ends else ADD
            steps.append(_step(space, j, kind, value if ends or up else -value))
        yield Action(tuple(steps))


def single(space: Space, rows: np.ndarray) -> list[Action]:
    """The actions on one feature each: every level, and ends and amounts of every number.

    What would change none of the rows is left out.
    """
    steps = []
    for one in shown_features(space):
        j, feature = one.columns[0], one.features[0]
        if one.group is not None:
            flags = np.eye(len(one.columns))
            steps += [Step(tuple(one.columns), SET, tuple(flag.tolist())) for flag in flags]
        elif not isinstance(feature, Continuous):
            levels = [code for code in space.values(j, 0).tolist() if (rows[:, j] != code).any()]
            steps += [Step((j,), SET, (code,)) for code in levels]
        else:
            known = rows[~np.isnan(rows[:, j]), j]
            if not len(known):
                continue
            ends = np.quantile(known, VALUES, method="inverted_cdf").tolist()
            raised = [value for value in (*ends, feature.high) if value > known.min()]
            lowered = [value for value in (feature.low, *ends) if value < known.max()]
            steps += [_step(space, j, RAISE, value) for value in raised]
            steps += [_step(space, j, LOWER, value) for value in lowered]
            for amount in AMOUNTS:
                steps += [_step(space, j, ADD, sign * amount * feature.mad) for sign in (1, -1)]
    return [Action((step,)) for step in steps]


def joined(left: Sequence[Action], right: Sequence[Action]) -> list[Action]:
    """The actions that do one of the left and one of the right, on different features."""
    return [
        Action(tuple(sorted(a.steps + b.steps)))
        for a in left
        for b in right
        if not a.columns & b.columns
    ]


def varied(action: Action, others: Sequence[Action]) -> list[Action]:
    """The action without each of its steps, and with the steps of each of the others besides."""
    left = [tuple(step for step in action.steps if step != one) for one in action.steps]
    for other in others:
        kept = [step for step in action.steps if not set(step.columns) & other.columns]
        left.append(tuple(sorted([*kept, *other.steps])))
    return [Action(steps) for steps in left if steps]


def _step(space: Space, j: int, kind: str, value: float) -> Step:
    """A step of a number, as people write it: of few digits, and on its grid.

    It is rounded so that the action does more: an amount away from zero to two digits, an end
    outward to three, but not beyond the range.
    """
    feature = space.features[j]
    assert isinstance(feature, Continuous), "other features are set"
    up = kind == RAISE or (kind == ADD and value > 0)
    grid, onto = feature.step, np.ceil if up else np.floor
    if value and not (feature.column.unit and kind != ADD):
        digits = 2 if kind == ADD else 3
        grid = max(grid, 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1))
    value = float(onto(np.round(value / grid, 6))) * grid
    if kind == ADD:
        return Step((j,), kind, (round(value, feature.decimals),))
    return Step((j,), kind, (round(min(max(value, feature.low), feature.high), feature.decimals),))
