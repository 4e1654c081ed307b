"""A model of trees as a sum of trees over codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from ifonly.models.reading.link import decisions_of, scores_of
from ifonly.models.reading.trees.tree import Regions, Tree, regions
from ifonly.models.reading.witness import Checked
from ifonly.space import Space

BLOCK = 8192
"""Rows that go down the trees at a time."""


@final
@dataclass(frozen=True, eq=False)
class Joined:
    """Trees as one, whose nodes and leaves are theirs, tree after tree."""

    tree: Tree
    roots: np.ndarray
    """int [t] where each of them starts: a node, or ~leaf."""
    owner: np.ndarray
    """int [leaves] which of them each leaf is of."""


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

    @cached_property
    def joined(self) -> Joined:
        """All trees as one."""
        nodes = np.cumsum([0, *(len(tree.feature) for tree in self.trees)])
        leaves = np.cumsum([0, *(len(tree.value) for tree in self.trees)])
        each = [*zip(self.trees, nodes.tolist(), leaves.tolist(), strict=False)]
        left, right = (
            np.concatenate([np.where(own < 0, own - leaf, own + node) for own, node, leaf in side])
            for side in (
                [(tree.left, node, leaf) for tree, node, leaf in each],
                [(tree.right, node, leaf) for tree, node, leaf in each],
            )
        )
        feature, cut, levels, missing, value = (
            np.concatenate([getattr(tree, name) for tree in self.trees])
            for name in ("feature", "cut", "levels", "missing", "value")
        )
        tree = Tree(feature, cut, levels, missing, left, right, value)
        roots = [node if len(tree.feature) else ~leaf for tree, node, leaf in each]
        owner = np.repeat(np.arange(len(self.trees)), np.diff(leaves))
        return Joined(tree, np.array(roots, dtype=np.intp), owner)

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
