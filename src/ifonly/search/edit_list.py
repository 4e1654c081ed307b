"""The edits that every row is asked about first, listed once and shared.

Slot 0 is the row as it is; then every single edit on the fine grid, feature by feature; then random
edits of two, three and four features on the coarse grid, sorted by the set of features they touch.
The list depends on the grid, the features that may change, the counts and the seed, never on the
rows, so that a row's answer does not depend on its neighbours; and as the sets lie together, the
best of each set is one segmented minimum, without a sort.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ifonly.problem.effort import Size
from ifonly.problem.moves import Grid

Places = NDArray[np.intp]

_FEWEST = 3  # values of a feature that are tried alone, however many features there are


@dataclass(frozen=True, eq=False)
class Plan:
    """A shared list of m edits, as places in the tables of `Moves`."""

    choice: tuple[NDArray[np.intp], ...]
    """d arrays [m]."""
    groups: NDArray[np.intp]
    """First slot of each set of features, rising."""
    singles: NDArray[np.intp]
    """[d, n] slots of each feature's single edits, padded with slot 0."""
    lottery: NDArray[np.float32]
    """[m] a random order of the slots."""

    @property
    def single(self) -> int:
        """How many slots come before the random edits."""
        return int(self.singles.max(initial=0)) + 1

    @property
    def m(self) -> int:
        return len(self.lottery)


@lru_cache(maxsize=64)
def plan(grid: Grid, free: bytes, size: Size, seed: int) -> Plan:
    """The list for rows that may change the features `free` (d bytes, 0 or 1)."""
    random = np.random.default_rng([seed, 1])
    features = np.flatnonzero(np.frombuffer(free, bool))
    single, kinds, slots = _singles(grid, features, len(free), size.singles)
    three = size.larger // 2
    several = ((2, size.pairs), (3, three), (4, size.larger - three))
    drawn = [_draw(grid, features, len(free), random, edits, count) for edits, count in several]
    combined = np.unique(np.concatenate(drawn), axis=0)
    _, kind = np.unique(combined > 0, axis=0, return_inverse=True)
    order = np.argsort(kind.ravel(), kind="stable")
    starts = np.flatnonzero(np.diff(kind.ravel()[order], prepend=-1))
    choice = np.concatenate([single, combined[order]])
    return Plan(
        tuple(np.ascontiguousarray(column) for column in choice.T),
        np.concatenate([kinds, len(single) + starts]),
        slots,
        random.permutation(len(choice)).astype(np.float32),
    )


def _singles(grid: Grid, features: Places, d: int, count: int) -> tuple[Places, Places, Places]:
    """The row and every single edit: places [m, d], first slots of features, slots [d, n]."""
    most = max(_FEWEST, count // max(len(features), 1))
    kept = {j: _thinned(len(grid.fine[j]), most) for j in features}
    choice = np.zeros((1 + sum(map(len, kept.values())), d), np.intp)
    slots = np.zeros((d, max([_FEWEST, *map(len, kept.values())])), np.intp)
    starts, start = [0], 1
    for j, places in kept.items():
        stop = start + len(places)
        choice[start:stop, j] = 1 + places
        slots[j, : len(places)] = np.arange(start, stop)
        starts.append(start)
        start = stop
    return choice, np.array(starts, np.intp), slots


def _thinned(n: int, most: int) -> Places:
    """At most `most` places of n, evenly spread, ends included."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


def _draw(
    grid: Grid, features: Places, d: int, random: np.random.Generator, edits: int, count: int
) -> Places:
    """`count` edits of `edits` features each, drawn on the coarse grid, as places [count, d]."""
    out = np.zeros((count if len(features) >= edits else 0, d), np.intp)
    if not len(out):
        return out
    picked = features[np.argsort(random.random((count, len(features))), axis=1)[:, :edits]]
    most = max(len(places) for places in grid.coarse)
    tables = np.stack([np.resize(places, most) for places in grid.coarse])
    sizes = np.array([len(places) for places in grid.coarse])
    value = (random.random((count, edits)) * sizes[picked]).astype(np.intp)
    np.put_along_axis(out, picked, 1 + tables[picked, value], axis=1)
    return out
