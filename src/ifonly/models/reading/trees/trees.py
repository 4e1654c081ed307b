"""A model of trees as a sum of trees over codes.

Each node asks one feature. Of a number it asks whether the code is at most the `cut`, which is the
largest number in double precision that the library itself sends that way: the answer is right for
codes on the value grid and for a row's own value off it. Of a category it lists the levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from ifonly.models.reading.link import decisions_of, scores_of
from ifonly.models.reading.trees.regions import Regions, regions
from ifonly.models.reading.witness import Checked
from ifonly.space import Space

BLOCK = 8192
"""Rows that go down the trees at a time."""


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


@final
@dataclass(frozen=True, eq=False)
class Trees:
    """A sum of trees: margins = base + the values of the leaves that a point comes to."""

    space: Space
    classes: tuple[Any, ...]
    trees: tuple[Tree, ...]
    base: np.ndarray
    """[c] or [1]"""
    link: str
    """'logit', 'softmax', 'shares' or 'number': see `link`."""
    rounding: float
    """How far rounding may take the model's own margins from these."""
    checked: Checked | None = None
    """Where it was found to say what the model says."""

    @cached_property
    def regions(self) -> Regions:
        """Of all leaves, tree after tree."""
        each = [regions(tree, self.space)[1] for tree in self.trees]
        names = ("low", "high", "levels", "missing")
        return Regions(*(np.concatenate([getattr(one, name) for one in each]) for name in names))

    def leaves(self, codes: np.ndarray) -> np.ndarray:
        """int [n, t] the leaf of each tree that codes [n, d] come to."""
        found = [tree.leaf(codes) for tree in self.trees]
        return np.stack(found, axis=1) if found else np.empty((len(codes), 0), dtype=np.intp)

    def margins(self, codes: np.ndarray) -> np.ndarray:
        """[n, 1] or [n, c] the sums of codes [n, d]."""
        total = np.tile(self.base, (len(codes), 1))
        for start in range(0, len(codes), BLOCK):
            part = slice(start, start + BLOCK)
            for tree in self.trees:
                total[part] += tree.value[tree.leaf(codes[part])]
        return total

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] the probabilities of codes [n, d]; [n, 1] the numbers of a regression."""
        return scores_of(self.link, self.margins(codes))

    def decide(self, codes: np.ndarray) -> np.ndarray | None:
        """[n] the class index; None for a regression."""
        return decisions_of(self.link, self.margins(codes))
