"""One tree over codes, and which codes come to each of its nodes and leaves.

Each node asks one feature. Of a number it asks whether the code is at most the `cut`, which is the
largest number in double precision that the library itself sends that way: the answer is right for
codes on the value grid and for a row's own value off it. Of a category it lists the levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ifonly.space import Categorical, Space


@final
@dataclass(frozen=True, eq=False)
class Tree:
    """The nodes of a tree; node 0 is its root, and a tree without nodes has one leaf.

    A child is the place of another node, or ~leaf (-1 - leaf) for a leaf.
    """

    feature: np.ndarray
    """int [n] the feature that each node asks."""
    cut: np.ndarray
    """[n] the largest code that goes left, -inf or inf where none or all do; NaN for a category."""
    levels: np.ndarray
    """bool [n, most levels] the levels that go left; False for a number."""
    missing: np.ndarray
    """bool [n] whether a missing value goes left."""
    left: np.ndarray
    """int [n]"""
    right: np.ndarray
    """int [n]"""
    value: np.ndarray
    """[leaves, c] what each leaf adds to the margins."""

    def goes_left(self, nodes: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """bool [m] of nodes [m] that are asked, each about the code [m] of its own feature."""
        gap = np.isnan(codes)
        level = np.where(gap, 0, codes).astype(np.intp)
        level = np.clip(level, 0, max(0, self.levels.shape[1] - 1))
        listed = self.levels[nodes, level] if self.levels.shape[1] else np.zeros_like(gap)
        cut = self.cut[nodes]
        known = np.where(np.isnan(cut), listed, codes <= cut)
        return np.asarray(np.where(gap, self.missing[nodes], known))

    def leaf(self, codes: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        """int [n] the leaf that each of codes [n, d] comes to, from the root or from start [n]."""
        root = 0 if len(self.feature) else ~0
        at = np.full(len(codes), root) if start is None else start.copy()
        going = np.flatnonzero(at >= 0)
        while len(going):
            nodes = at[going]
            left = self.goes_left(nodes, codes[going, self.feature[nodes]])
            at[going] = np.where(left, self.left[nodes], self.right[nodes])
            going = going[at[going] >= 0]
        return ~at


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
