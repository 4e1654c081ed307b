"""Which codes come to each node and each leaf of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ifonly.space import Categorical, Space

if TYPE_CHECKING:
    from ifonly.models.reading.trees.trees import Tree


@dataclass(frozen=True, eq=False)
class Regions:
    """For each of n places the codes that come to it: above `low` and at most `high`, of `levels`,
    or missing.
    """

    low: np.ndarray
    """[n, d] a number is above it; -inf where nothing is asked."""
    high: np.ndarray
    """[n, d] a number is at most this."""
    levels: np.ndarray
    """bool [n, w] the levels, in unit columns; True in continuous columns."""
    missing: np.ndarray
    """bool [n, d] whether the value may be missing."""


def regions(tree: Tree, space: Space) -> tuple[Regions, Regions]:
    """The regions of a tree's nodes, and those of its leaves."""
    n, total = len(tree.feature), len(tree.feature) + len(tree.value)
    low = np.full((total, len(space)), -np.inf)
    high = np.full((total, len(space)), np.inf)
    levels = np.ones((total, space.offsets[-1]), dtype=bool)
    missing = np.tile([feature.missing for feature in space.features], (total, 1))
    waiting = [0] if n else []
    while waiting:
        node = waiting.pop()
        j = int(tree.feature[node])
        for child, left in ((int(tree.left[node]), True), (int(tree.right[node]), False)):
            # Leaves stand after the nodes.
            at = child if child >= 0 else n + ~child
            for part in (low, high, levels, missing):
                part[at] = part[node]
            missing[at, j] &= bool(tree.missing[node]) == left
            feature = space.features[j]
            if isinstance(feature, Categorical):
                own = slice(space.offsets[j], space.offsets[j + 1])
                levels[at, own] &= tree.levels[node, : len(feature.levels)] == left
            elif left:
                high[at, j] = min(high[at, j], tree.cut[node])
            else:
                low[at, j] = max(low[at, j], tree.cut[node])
            if child >= 0:
                waiting.append(child)
    parts = (low, high, levels, missing)
    return Regions(*(part[:n] for part in parts)), Regions(*(part[n:] for part in parts))
