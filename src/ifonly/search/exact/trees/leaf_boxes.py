"""The leaves of all trees as boxes of a row's choices, and which of them a box of points meets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ifonly.bounds.needs import needs
from ifonly.models.reading import Trees
from ifonly.problem.problem import Problem
from ifonly.search.exact.trees.choices import Boxes, Choices

ROUNDING = 1e-12
"""The share by which sums may differ that are added up in another order."""


@dataclass(frozen=True, eq=False)
class Side:
    """What a point must reach: the values of the leaves that it comes to add up to `least`."""

    values: np.ndarray
    """[L]"""
    least: float


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves that matter, tree after tree."""

    choices: Choices
    boxes: Boxes
    tree: np.ndarray
    """int [L] the tree of each leaf."""
    sides: tuple[Side, ...]
    trees: int

    @classmethod
    def of(cls, problem: Problem, reading: Trees, choices: Choices) -> Leaves:
        """All leaves, and what the goal of a problem of one row asks of them."""
        leaves = choices.regions(reading.regions, np.asarray(reading.space.offsets))
        sizes = [len(tree.value) for tree in reading.trees]
        tree = np.repeat(np.arange(len(sizes)), sizes)
        every = cls(choices, leaves, tree, tuple(_sides(problem, reading)), len(sizes))
        return every._those(np.isfinite(leaves.cost))

    def below(self, cost: float) -> Leaves:
        """The leaves that a point below a cost can come to."""
        return self._those(self.boxes.cost < cost)

    def _those(self, kept: np.ndarray) -> Leaves:
        sides = tuple(replace(side, values=side.values[kept]) for side in self.sides)
        return replace(self, boxes=self.boxes[kept], tree=self.tree[kept], sides=sides)

    @cached_property
    def starts(self) -> np.ndarray:
        """int [t] the first leaf of each tree."""
        return np.flatnonzero(np.diff(self.tree, prepend=-1))

    @property
    def complete(self) -> bool:
        """Whether every tree has a leaf."""
        return len(self.starts) == self.trees

    @cached_property
    def asked(self) -> list[int]:
        """The features on which leaves differ."""
        leaves, whole = self.boxes, self.choices.whole()
        moved = (leaves.first != whole.first) | (leaves.last != whole.last)
        return [
            j
            for j in range(leaves.first.shape[1])
            if moved[:, j].any() or not leaves.rest[:, self.choices.rest(j)].all()
        ]

    def met_by(self, boxes: Boxes) -> np.ndarray:
        """bool [n, L]: the leaves that a point of each box comes to."""
        leaves = self.boxes
        met = np.ones((len(boxes), len(self.tree)), dtype=bool)
        for j in self.asked:
            rest = self.choices.rest(j)
            if rest.start == rest.stop:
                met &= leaves.first[:, j] <= boxes.last[:, j, None]
                met &= leaves.last[:, j] >= boxes.first[:, j, None]
                continue
            both = boxes.rest[:, rest].astype(np.float32) @ leaves.rest[:, rest].T
            here = both > 0
            if self.choices.numbers[j]:
                inside = leaves.first[:, j] <= boxes.last[:, j, None]
                here |= inside & (leaves.last[:, j] >= boxes.first[:, j, None])
            met &= here
        return met

    def met_below(self, boxes: Boxes, cost: float) -> np.ndarray:
        """bool [n, L]: the leaves that a point of each box comes to that costs less."""
        met = self.met_by(boxes)
        box, leaf = np.nonzero(met)
        # What lies in both costs, of each feature, at least what is dearer.
        least = boxes.price.sum(axis=1)[box]
        for j in self.asked:
            least += np.maximum(self.boxes.price[leaf, j] - boxes.price[box, j], 0.0)
        met[box, leaf] = least <= cost
        return met

    def best(self, side: Side, met: np.ndarray) -> np.ndarray:
        """[n, t] the most that leaves met [n, L] add, of each tree; -inf where there is none."""
        return np.maximum.reduceat(np.where(met, side.values, -np.inf), self.starts, axis=1)


def _sides(problem: Problem, reading: Trees) -> list[Side]:
    """What the goal asks of sums, one side at a time."""
    every = np.concatenate([tree.value for tree in reading.trees])
    sides = []
    for need in needs(reading, every.shape[1], problem.goal, problem.x[0]):
        factors = np.zeros(every.shape[1])
        factors[list(need.factors)] = list(need.factors.values())
        values, base = every @ factors, float(reading.base @ factors)
        most = sum(float(np.abs(tree.value @ factors).max()) for tree in reading.trees)
        room = need.slack + ROUNDING * (most + abs(base))
        if need.low > -np.inf:
            sides.append(Side(values, need.low - base - room))
        if need.high < np.inf:
            sides.append(Side(-values, base - need.high - room))
    return sides or [Side(np.zeros(len(every)), -np.inf)]  # any number will do
