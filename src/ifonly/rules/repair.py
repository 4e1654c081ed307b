"""Proposals moved to where the rules hold, before a model sees them.

A box says what single features may do. What rules say of several at once is drawn as a
consequence: the age goes up where the degree does. Rules can undo each other's work, so they take
turns a few times; what is still broken then is refused by the judge as ever.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ifonly.rules.box import Box
from ifonly.rules.rule import Rule
from ifonly.rules.scene import Scene

TURNS = 4


def repaired(rules: Sequence[Rule], box: Box, points: np.ndarray) -> np.ndarray:
    """[q, m, d] points inside the box, moved inside it so that the rules hold where they can."""
    broken = [rule for rule in rules if not rule.boxed]
    copied = False
    for _ in range(TURNS if broken else 0):
        quiet = True
        for rule in broken:
            rows, slots = np.nonzero(~rule.holds(box.space, box.x, points))
            if not len(rows):
                continue
            if not copied:
                points, copied = points.copy(order="K"), True
            part = points.transpose(2, 0, 1)[:, rows, slots].T  # stored feature by feature
            moved = rule.reach(Scene(box.space, box.x, part, box, rows), True)
            quiet &= np.array_equal(moved, part, equal_nan=True)
            points[rows, slots] = moved
        if quiet:
            break
    return points


def violation(rules: Sequence[Rule], box: Box, points: np.ndarray) -> np.ndarray:
    """[q, m] by how much points break the rules that no box can express, all together."""
    scene = Scene(box.space, box.x, points)
    total = np.zeros(points.shape[:2])
    for rule in rules:
        if not rule.boxed:
            total += rule.violation(scene)
    return total
