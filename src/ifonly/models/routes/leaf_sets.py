"""Trees asked by sets of leaves.

A place of a feature (a level, or the values between two thresholds) leaves some leaves of each
tree within reach. These sets are words of bits, a bit for each leaf, so that a point comes to the
one leaf that all of its places leave: an AND of words for each feature, and no branches. Lucchese
et al. (QuickScorer, 2015) rank documents by bits of leaves, too.

Places are those of trees read on the value grid. What cannot be placed is asked by another route.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ifonly.arrays.powers import powers_of_ten
from ifonly.models.decision import Labels
from ifonly.models.protocol import Model
from ifonly.models.readable import Readable
from ifonly.models.reading import Leaves, Trees, leaves_of
from ifonly.models.reading.chain import Chain
from ifonly.models.reading.link import scores_of
from ifonly.models.reading.points import spread
from ifonly.models.reading.trees.grown import Ensemble
from ifonly.space import Space

BITS: dict[int, tuple[Any, Any, int, int]] = {
    31: (np.int32, np.float32, 23, 127),
    63: (np.int64, np.float64, 52, 1023),
}
"""Words of so many bits, floats as wide, and the place and the zero of their exponents."""
LIBRARIES = ("sklearn", "xgboost", "lightgbm")
"""Whose own classes are asked so: one of the user's may make something else of its trees."""
WORDS = 4
"""The most words of a tree, on average: larger trees are asked faster one by one."""
FEATURES = 64
"""The most features that trees ask: each of them takes one more AND."""
PROBES = 256
"""How many random points it must agree on."""
CELLS = 1 << 16
"""Words that are worked on together, in a cache."""
LARGEST = 1 << 23
"""The most words of all places."""
SINGLE, DOUBLE = 1e-6, 1e-9
"""How far scores may lie from those of a library that adds up in single or double precision."""


@dataclass(frozen=True, eq=False)
class Places:
    """Codes [n, d] as places: one for several categories together, one for each number."""

    missing: np.ndarray
    """bool [d] the features that may be missing."""
    gap: np.ndarray
    """[d] the code that a missing value stands for: the level after the last, or infinity."""
    categories: np.ndarray
    """int [e]"""
    strides: np.ndarray
    """[e, g] by how much a level counts in the place of each group of categories."""
    numbers: np.ndarray
    """int [f]"""
    cuts: tuple[np.ndarray, ...]
    """Of each number the sorted thresholds."""
    power: np.ndarray
    low: np.ndarray
    high: np.ndarray
    """[f] the value grid of each number: whole numbers by its power of ten, and its ends."""

    def of(self, codes: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Places [n] for each table, and bool [n]: the codes for which they are right."""
        gaps = np.isnan(codes)
        some = bool(gaps.any())
        known = ~(gaps & ~self.missing).any(axis=1) if some else np.ones(len(codes), dtype=bool)
        filled = np.where(gaps, self.gap, codes) if some else codes
        found = list((filled[:, self.categories] @ self.strides).astype(np.intp).T)
        values = filled[:, self.numbers]
        places = [cut.searchsorted(one) for cut, one in zip(self.cuts, values.T, strict=True)]
        if len(places):
            missing = gaps[:, self.numbers]
            known &= (self._on_grid(values, places) | missing).all(axis=1)
            if some:
                places = [one + gap for one, gap in zip(places, missing.T, strict=True)]
        return found + places, known

    def _on_grid(self, values: np.ndarray, places: list[np.ndarray]) -> np.ndarray:
        """bool [n, f]: the values on the grid, or between two that have the same place."""
        with np.errstate(invalid="ignore"):
            steps = np.round(values * self.power)
        inside = (values >= self.low) & (values <= self.high)
        on_grid = steps / self.power == values
        if not (on_grid | ~inside).all():
            ends = [(steps + beside) / self.power for beside in (-1.0, 1.0)]
            for j, (cut, place) in enumerate(zip(self.cuts, places, strict=True)):
                on_grid[:, j] |= np.all([cut.searchsorted(e[:, j]) == place for e in ends], axis=0)
        return np.asarray(inside & on_grid)


@dataclass(frozen=True, eq=False)
class LeafSets:
    """The scores of a sum of trees, and another way to the same for what is off the value grid."""

    trees: Trees
    other: Model
    places: Places
    tables: tuple[np.ndarray, ...]
    """[places, words] the leaves that places leave, by groups of categories, then by numbers."""
    start: np.ndarray
    """int [words] where the leaves of each begin among the values; before it stands a zero."""
    sums: tuple[tuple[np.ndarray | slice, np.ndarray], ...]
    """For each margin the words that count, and the values of leaves, the first tree's with the
    constant."""
    share: float
    """By what sums are divided."""
    whole: bool
    """Whether each tree has one word, in which a point always has a leaf."""

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.trees.classes

    @property
    def rounding(self) -> float:
        """How far scores may lie from the model's."""
        return SINGLE if self.sums[0][1].dtype == np.float32 else DOUBLE

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] what the model gives for codes [n, d]."""
        places, known = self.places.of(codes)
        if known.all():
            return self._scores(places)
        scores = np.empty((len(codes), max(1, len(self.classes))))
        if known.any():
            scores[known] = self._scores([one[known] for one in places])
        scores[~known] = self.other.scores(codes[~known])
        return scores

    def decide(self, codes: np.ndarray) -> None:
        """None: a route is for the search, and the model itself decides."""

    def _scores(self, places: list[np.ndarray]) -> np.ndarray:
        n = len(places[0])
        if n == 1:  # a sum over one point alone would be added up in another order
            return self._scores([np.repeat(one, 2) for one in places])[:1]
        size = max(2, CELLS // len(self.start))
        ends = [*range(0, max(1, n - 1), size), n]  # no part of one point
        parts = (slice(a, b) for a, b in pairwise(ends))
        margins = np.concatenate([self._margins([one[part] for one in places]) for part in parts])
        scores = scores_of(self.trees.link, margins.astype(np.float64) / self.share)
        return np.asarray(scores.astype(margins.dtype), dtype=np.float64)

    def _margins(self, places: list[np.ndarray]) -> np.ndarray:
        """[n, c] the sums of points in the precision of the library, tree after tree."""
        reach = self.tables[0].take(places[0], axis=0, mode="clip")
        buffer = np.empty_like(reach)
        for table, place in zip(self.tables[1:], places[1:], strict=True):
            np.take(table, place, axis=0, out=buffer, mode="clip")
            np.bitwise_and(reach, buffer, out=reach)
        _, floats, shift, zero = BITS[8 * reach.itemsize - 1]
        # The exponent of a word with one bit says which; of a word without any, it is far below.
        leaf = reach.astype(floats).view(reach.dtype)
        leaf >>= shift
        leaf += (self.start - zero).astype(leaf.dtype)
        if not self.whole:
            np.maximum(leaf, (self.start - 1).astype(leaf.dtype), out=leaf)
        leaf = np.ascontiguousarray(leaf.T, dtype=np.intp)
        sums = [
            np.add.reduce(values.take(leaf[words], mode="wrap"), axis=0)
            for words, values in self.sums
        ]
        return np.stack(sums, axis=1)


def leaf_sets(
    chain: Chain,
    readable: Readable,
    other: Model,
    codes: np.ndarray,
    scores: np.ndarray,
) -> LeafSets | None:
    """The route of an opened model, whose trees are `readable`, beside the `other` one.

    None where the trees are too large for it, or where it gives something else than the model,
    whose `scores` [n, c] of codes [n, d] are known, or at random points than the other route.
    """
    ensemble = chain.ensemble
    library = type(chain.estimator).__module__.partition(".")[0]
    if ensemble is None or library not in LIBRARIES or isinstance(other, Labels):
        return None
    count = np.array([len(tree.value) for tree in ensemble.trees])
    asked = np.unique(np.concatenate([tree.column for tree in ensemble.trees] or [np.empty(0)]))
    many = min(len(asked), readable.probe.shape[1]) > FEATURES
    if many or not len(count) or (-(-count // max(BITS))).sum() > WORDS * len(count):
        return None
    trees = readable.trees
    route = None if trees is None else _route(trees, ensemble, other)
    if trees is None or route is None:
        return None
    points = spread(trees.space, PROBES, seed=0)
    said = route.scores(np.concatenate([codes, points]))
    wanted = np.concatenate([scores[: len(codes)], other.scores(points)])
    near = np.allclose(said, wanted, rtol=0, atol=route.rounding * (1 + np.abs(wanted).max()))
    return route if near and (said.argmax(axis=1) == wanted.argmax(axis=1)).all() else None


def _route(trees: Trees, ensemble: Ensemble, other: Model) -> LeafSets | None:
    """The route, not tried out; None where no tree asks anything."""
    count = np.array([len(tree.value) for tree in trees.trees])
    bits = min(BITS) if count.max() <= min(BITS) else max(BITS)
    words = -(-count // bits)
    leaves, space = leaves_of(trees), trees.space
    within = np.arange(len(leaves.tree)) - (np.cumsum(count) - count)[leaves.tree]
    word = (np.cumsum(words) - words)[leaves.tree] + within // bits
    if leaves.width * words.sum() > LARGEST:
        return None
    dtype = BITS[bits][0]
    bit = np.left_shift(dtype(1), (within % bits).astype(dtype))
    tables = [_table(leaves, j, word, bit) for j in range(len(space))]
    asked = [bool((table != table[0]).any()) for table in tables]
    if not any(asked):
        return None
    groups, places = _places(space, leaves, tables, np.array(asked))
    start = np.arange(words.sum()) * (bits + 1) + 1
    place = start[word] + within % bits
    sums = _sums(trees, ensemble, np.repeat(np.arange(len(count)), words), place, start[-1] + bits)
    whole = bool((words == 1).all())
    return LeafSets(trees, other, places, groups, start, sums, float(ensemble.share), whole)


def _table(leaves: Leaves, j: int, word: np.ndarray, bit: np.ndarray) -> np.ndarray:
    """[places, words] which leaves the places of a feature leave; a missing value comes last.

    Each leaf has its `bit` [L] in a `word` [L].
    """
    first, last = leaves.first[j], leaves.last[j]
    some = np.flatnonzero(first <= last)
    count = len(leaves.cuts[j]) + 1 if len(some) else 0
    table = np.zeros((count + 1, word[-1] + 1), dtype=bit.dtype)
    for place in (first, last + 1):  # a bit is on from one change to the next
        np.bitwise_xor.at(table, (place[some], word[some]), bit[some])
    table = np.bitwise_xor.accumulate(table, axis=0)[:count]
    listed, starts = leaves.listed[j], np.flatnonzero(np.diff(word, prepend=-1))
    named = np.bitwise_or.reduceat(np.where(listed, bit, bit.dtype.type(0)), starts, axis=1)
    return np.concatenate([table, named])


def _places(
    space: Space, leaves: Leaves, tables: list[np.ndarray], asked: np.ndarray
) -> tuple[tuple[np.ndarray, ...], Places]:
    """The tables of groups of categories, then of numbers, and what finds places in them."""
    number = np.asarray(space.continuous)
    groups: list[np.ndarray] = []
    strides: list[np.ndarray] = []
    categories = np.flatnonzero(asked & ~number)
    for j, stride in zip(categories, np.eye(len(categories)), strict=True):
        if groups and len(groups[-1]) * len(tables[j]) * tables[j].shape[1] <= CELLS:
            strides[-1] = strides[-1] * len(tables[j]) + stride
            groups[-1] = (groups[-1][:, None] & tables[j][None]).reshape(-1, tables[j].shape[1])
        else:
            groups.append(tables[j])
            strides.append(stride)
    numbers = np.flatnonzero(asked & number)
    places = Places(
        np.array([feature.missing for feature in space.features]),
        np.where(number, np.inf, space.high + 1),
        categories,
        np.stack(strides, axis=1) if strides else np.empty((0, 0)),
        numbers,
        tuple(leaves.cuts[j] for j in numbers),
        powers_of_ten(space.decimals[numbers]),
        space.low[numbers],
        space.high[numbers],
    )
    return (*groups, *(tables[j] for j in numbers)), places


def _sums(
    trees: Trees, ensemble: Ensemble, owner: np.ndarray, place: np.ndarray, size: int
) -> tuple[tuple[np.ndarray | slice, np.ndarray], ...]:
    """For each margin the words that count, and the values at the places [L] of leaves.

    `owner` says which tree each word is of. What a library adds first is added first here.
    """
    value = np.concatenate([tree.value for tree in trees.trees])
    if ensemble.share != 1:  # the library divides the sum
        value = np.concatenate([tree.value for tree in ensemble.trees])
    tree = trees.joined.owner
    sums = []
    for column, base in zip(value.T, trees.base, strict=True):
        values = np.zeros(size, dtype=np.float32 if ensemble.single else np.float64)
        counted = np.unique(tree[column != 0])
        counted = counted if len(counted) else np.zeros(1, dtype=np.intp)
        values[place] = column
        values[place[tree == counted[0]]] += values.dtype.type(base)
        words = np.isin(owner, counted)
        sums.append((slice(None) if words.all() else np.flatnonzero(words), values))
    return tuple(sums)
