"""What keeps an answer away from points already known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ifonly.problem.problem import Problem
from ifonly.rules.formula import NO, Affine
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.row import Row
from ifonly.space import Metric

ROUNDING = 1e-9
"""The share of a distance by which one that a solver takes for enough may be short of it."""


def like(
    problem: Problem, codes: np.ndarray, taken: Sequence[np.ndarray], apart: float | None
) -> np.ndarray:
    """bool [n]: which of codes [n, d] of one row are like points taken: not so far apart or,
    without a distance, with the same features changed.
    """
    found = np.zeros(len(codes), dtype=bool)
    changed = problem.changed(codes[None])[0]
    for point in taken:
        if apart is None:
            found |= (changed == problem.changed(point[None, None])[0]).all(axis=1)
        else:
            found |= problem.metric.distance(codes, point[None]) < apart * (1 - ROUNDING)
    return found


def other_point(row: Row, point: np.ndarray) -> None:
    """The answer is not this point [d]."""
    same = [_same(part, code) for part, code in zip(row.parts, point, strict=True)]
    row.program.row(Affine.total(same), high=len(same) - 1.0)


def other_features(row: Row, point: np.ndarray) -> None:
    """The answer does not change exactly the features that this point [d] changes."""
    own = row.x
    changed = (point != own) & ~(np.isnan(point) & np.isnan(own))
    alike = [
        part.changes if was else part.stays for part, was in zip(row.parts, changed, strict=True)
    ]
    row.program.row(Affine.total(alike), high=len(alike) - 1.0)


def this_far(metric: Metric, distance: float, row: Row, point: np.ndarray) -> None:
    """The answer lies at least a distance from this point [d], whatever the way there costs."""
    away = []
    for j, (part, code) in enumerate(zip(row.parts, point, strict=True)):
        scale = float(metric.scale[j])
        if isinstance(part, Category) or np.isnan(code):
            away.append((1.0 - _same(part, code)) * scale)
        else:
            away.append(_gap(part, code) * (scale / float(metric.mad[j])) + part.absent * scale)
    row.program.row(Affine.total(away), low=distance)


def _same(part: Number | Category, code: float) -> Affine:
    """1 where a feature has this code."""
    if np.isnan(code):
        return part.absent
    if code == part.own:
        return part.stays
    if isinstance(part, Category):
        return part.levels.get(int(code), NO)
    place = round(code * part.power)
    return part.moves_to([(place, place)])


def _gap(part: Number, code: float) -> Affine:
    """At most how far a number is from a code; 0 where it is missing."""
    program, value = part.program, part.value
    most = max(value.most - code, code - value.least, 0.0)
    gap, over = program.column(0.0, most), program.binary()
    lost = part.absent * most
    # On one side of the code or the other, the gap is at most the way to it.
    program.row(value - code - gap + (1.0 - over) * (2 * most) + lost, low=0.0)
    program.row(code - value - gap + over * (2 * most) + lost, low=0.0)
    if lost.terms or lost.constant:
        program.row(gap + lost, high=most)
    return gap
