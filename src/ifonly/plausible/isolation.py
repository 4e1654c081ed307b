"""How fast random splits separate a point from real rows: an isolation forest, walked in a batch.

scikit-learn grows the trees. Its own scores take a call per tree, which is slow for a few points,
so all trees are walked together here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

TREES = 50
ROOM = 2_000_000
"""About how many places in trees are held together; it bounds memory."""


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees as flat arrays; a leaf leads to itself."""

    roots: np.ndarray
    """[t] the place of each tree's root."""
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    depth: np.ndarray
    """How long the path to a place is, and would go on among the rows left there."""
    steps: int
    """The longest path."""

    @classmethod
    def fit(cls, units: np.ndarray) -> Forest:
        """A forest grown on rows [n, w]; the same one where the same rows are given again."""
        return _grown(units.astype(np.float64).tobytes(), units.shape)

    def paths(self, units: np.ndarray) -> np.ndarray:
        """[n] the mean length of the paths of points [n, w]: short ones are odd."""
        size = max(1, ROOM // len(self.roots))
        parts = [self._paths(units[start : start + size]) for start in range(0, len(units), size)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _paths(self, units: np.ndarray) -> np.ndarray:
        rows = np.arange(len(units))[:, None]
        place = np.broadcast_to(self.roots, (len(units), len(self.roots)))
        for _ in range(self.steps):
            low = units[rows, self.feature[place]] <= self.threshold[place]
            place = np.where(low, self.left[place], self.right[place])
        return np.asarray(self.depth[place].mean(axis=1))


@lru_cache(maxsize=16)
def _grown(content: bytes, shape: tuple[int, ...]) -> Forest:
    """The forest of rows of a shape. People explain row after row with the same data."""
    from sklearn.ensemble import IsolationForest  # slow to import, and not always needed

    units = np.frombuffer(content).reshape(shape)
    model = IsolationForest(n_estimators=TREES, random_state=0).fit(units)
    trees = [tree.tree_ for tree in model.estimators_]
    starts = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    parts = [_flat(tree, start) for tree, start in zip(trees, starts, strict=True)]
    feature, threshold, left, right, depth = map(np.concatenate, zip(*parts, strict=True))
    steps = max(tree.max_depth for tree in trees)
    return Forest(starts, feature, threshold, left, right, depth, steps)


def _flat(tree: Any, start: int) -> tuple[np.ndarray, ...]:
    """Feature, threshold, left, right and depth of a tree whose first place is `start`."""
    leaf = tree.children_left < 0
    own = np.arange(tree.node_count)
    left = np.where(leaf, own, tree.children_left)
    right = np.where(leaf, own, tree.children_right)
    depth = np.zeros(tree.node_count)
    for place in np.flatnonzero(~leaf):  # parents come before their children
        depth[[left[place], right[place]]] = depth[place] + 1
    further = np.where(leaf, _further(tree.n_node_samples), 0.0)
    feature = np.where(leaf, 0, tree.feature)
    threshold = np.where(leaf, np.inf, tree.threshold)
    return feature, threshold, left + start, right + start, depth + further


def _further(count: np.ndarray) -> np.ndarray:
    """The mean length of a path that separates one of so many rows."""
    n = np.maximum(count, 2).astype(np.float64)
    length = 2 * (np.log(n - 1) + np.euler_gamma) - 2 * (n - 1) / n
    return np.where(count > 2, length, np.where(count == 2, 1.0, 0.0))
