"""From trees over a library's columns to trees over codes.

Whether a level goes left is asked of the library's comparison for every level; where a number
changes sides is found by bisection. Both go through the pipeline's own steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.reading.bisection import last_codes
from ifonly.models.reading.inputs import Inputs
from ifonly.models.reading.steps import code_at, step_below
from ifonly.models.reading.trees.grown import Ensemble, Grown
from ifonly.models.reading.trees.tree import Tree
from ifonly.space import Categorical, Continuous


def lower(
    ensemble: Ensemble, inputs: Inputs, probe: np.ndarray, *, grid: bool = False
) -> tuple[Tree, ...]:
    """The trees over codes; `probe` [n, d] are points to see which feature a column comes from.

    With `grid` they are right for codes on the value grid, and found faster.
    """
    owner = inputs.owners(probe)
    asked = [_asked(tree, inputs, owner) for tree in ensemble.trees]
    every = np.concatenate([*asked, np.empty((0, 2))]).view(np.complex128)  # which sorts faster
    found, back = np.unique(every.ravel(), return_inverse=True)
    pairs = found.view(np.float64).reshape(-1, 2)
    cuts, first = (
        last_codes(inputs, pairs, owner, ensemble.compare, grid=grid)
        if len(pairs)
        else (np.empty(0),) * 2
    )
    places = np.split(np.ravel(back), np.cumsum([len(one) for one in asked])[:-1])
    lowering = _Lowering(ensemble, inputs, owner, _tables(inputs, owner))
    if ensemble.zero_is_missing:
        lowering.check_zeros(pairs)
    return tuple(
        lowering.tree(tree, cuts[place], first[place])
        for tree, place in zip(ensemble.trees, places, strict=True)
    )


def _asked(tree: Grown, inputs: Inputs, owner: np.ndarray) -> np.ndarray:
    """[t, 2] the (column, threshold) of the nodes that ask a number, in their order."""
    nodes = _numbers(tree, inputs, owner)
    odd = [node for node in nodes if node in tree.listed]
    if odd:
        name = inputs.space.names[owner[tree.column[odd[0]]]]
        raise ModelError(
            f"The model treats {name!r} as a category, and the space as a number.",
            f"Say that its values are names of categories: categorical=[{name!r}].",
        )
    return np.stack([tree.column[nodes], tree.threshold[nodes]], axis=1).astype(np.float64)


def _numbers(tree: Grown, inputs: Inputs, owner: np.ndarray) -> np.ndarray:
    """int [t] the nodes whose column comes from a number."""
    own = owner[tree.column]
    return np.flatnonzero((own >= 0) & inputs.space.continuous[own])


def _tables(inputs: Inputs, owner: np.ndarray) -> tuple[np.ndarray, ...]:
    """For each feature [levels + 1, p] the columns of its levels, the missing value last.

    A number has its missing value alone; NaN stands where the space has no missing value.
    """
    counts = [len(getattr(feature, "levels", ())) for feature in inputs.space.features]
    tables = tuple(np.full((count + 1, len(owner)), np.nan) for count in counts)
    pairs = zip(counts, inputs.space.features, strict=True)
    codes = [np.append(np.arange(float(n)), np.full(int(f.missing), np.nan)) for n, f in pairs]
    filled = [0] * len(counts)
    for j, seen in inputs.each(codes):
        tables[j][filled[j] : filled[j] + len(seen)] = seen
        filled[j] += len(seen)
    return tables


@dataclass(frozen=True, eq=False)
class _Lowering:
    ensemble: Ensemble
    inputs: Inputs
    owner: np.ndarray
    tables: tuple[np.ndarray, ...]

    def tree(self, grown: Grown, cuts: np.ndarray, first: np.ndarray) -> Tree:
        """The tree over codes; cuts [t] and first [t] are those of its nodes on numbers."""
        space = self.inputs.space
        n = len(grown.column)
        own = self.owner[grown.column]
        most = max([0, *(len(f.levels) for f in space.features if isinstance(f, Categorical))])
        cut, levels = np.full(n, np.nan), np.zeros((n, most), dtype=bool)
        missing, low_left = np.zeros(n, dtype=bool), np.ones(n, dtype=bool)
        nodes = _numbers(grown, self.inputs, self.owner)
        cut[nodes], low_left[nodes] = cuts, first
        for j in np.unique(own[own >= 0]):
            here = np.flatnonzero(own == j)
            sides = self._left(grown, here, self.tables[j][:, grown.column[here]])
            missing[here] = sides[-1]
            levels[here, : len(sides) - 1] = sides[:-1].T
        # A column that never changes sends everything one way: it may ask any feature.
        fixed = np.flatnonzero(own < 0)
        if len(fixed):
            value = self.inputs.see(self.inputs.base[None])[:, grown.column[fixed]]
            low_left[fixed] = missing[fixed] = self._left(grown, fixed, value)[0]
            cut[fixed] = np.inf if space.continuous[0] else np.nan
            levels[fixed] = not space.continuous[0]
        flip = ~low_left
        return Tree(
            np.maximum(own, 0),
            cut,
            levels,
            np.where(flip, ~missing, missing),
            np.where(flip, grown.right, grown.left),
            np.where(flip, grown.left, grown.right),
            grown.value,
        )

    def check_zeros(self, pairs: np.ndarray) -> None:
        """Refuse numbers that the library takes for missing values in the midst of others."""
        zeros = np.unique(pairs[:, 0])
        if not len(zeros):
            return
        asked = np.stack([zeros, np.zeros_like(zeros)], axis=1)
        cuts, _ = last_codes(self.inputs, asked, self.owner, lambda value, zero: value <= zero)
        for column, cut in zip(zeros.astype(np.intp), cuts, strict=True):
            j = int(self.owner[column])
            feature = self.inputs.space.features[j]
            assert isinstance(feature, Continuous)
            codes = code_at(feature, step_below(feature, cut) + np.arange(2))
            zero = self.inputs.alone(j, codes)[:, column] == 0
            if zero.any() and self._conflict(int(column)):
                raise ModelError(
                    f"The pipeline gives a sparse matrix, in which the model treats {feature.name} "
                    f"= {codes[zero][0]:g} as missing.",
                    "Let it give a dense one: ColumnTransformer(..., sparse_threshold=0).",
                )

    def _conflict(self, column: int) -> bool:
        """Whether some node sends a missing value another way than zero."""
        for tree in self.ensemble.trees:
            here = tree.column == column
            zero = np.zeros(int(here.sum()))
            if (self.ensemble.compare(zero, tree.threshold[here]) != tree.missing[here]).any():
                return True
        return False

    def _left(self, grown: Grown, nodes: np.ndarray, values: np.ndarray) -> np.ndarray:
        """bool [..., m] whether numbers [..., m] go left at nodes [m], missing ones included."""
        gap = np.isnan(values)
        if self.ensemble.zero_is_missing:
            gap |= values == 0
        known = self.ensemble.compare(values, grown.threshold[nodes])
        for place, node in enumerate(nodes.tolist()):
            if node in grown.listed:
                among = np.isin(values[..., place], grown.listed[node])
                known[..., place] = among == self.ensemble.listed_left
        return np.where(gap, grown.missing[nodes], known)
