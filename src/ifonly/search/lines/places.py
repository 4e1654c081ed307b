"""The margins of trees along single features, by one look at all leaves.

Of each tree a point comes to one leaf. A leaf that one feature alone keeps it from says what the
tree adds once that feature moves there. So all leaves together give the margin along d *lines*: at
every value of each feature, the others kept, by every threshold of every tree, without a call of
the model.

The values of a number between two neighbouring thresholds are one *place*, of which the nearest
to the row's own counts. A category has a place for each level, and a missing value has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ifonly.bounds.needs import needs
from ifonly.models.reading import Leaves, Trees, code_at, step_below
from ifonly.problem.problem import Problem
from ifonly.space import Continuous

CELLS = 2**18
"""The most pairs of a point and a leaf that are looked at together, in a cache."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Rows of one goal, the places of their features, and what the goal asks of leaves."""

    problem: Problem
    leaves: Leaves
    sides: tuple[tuple[np.ndarray, float], ...]
    """What leaves add [L], and the least that their sum must be."""
    starts: np.ndarray
    """int [d + 1] where the places of each feature start; the last of each is none."""
    codes: np.ndarray
    """[q, w] the nearest code of each place."""
    price: np.ndarray
    """[q, w] what it costs; infinite where it is not allowed."""
    own: np.ndarray
    """int [q, d] the places of the rows themselves, among those of all features."""

    @classmethod
    def of(cls, problem: Problem, reading: Trees, leaves: Leaves) -> Lines:
        """The lines of rows with one goal, by leaves of a reading."""
        starts, codes, own = places_of(problem, leaves.cuts)
        price = prices_of(problem, codes, starts)
        sides = tuple(_sides(problem, reading, leaves))
        return cls(problem, leaves, sides, starts, codes, price, own)

    @cached_property
    def owner(self) -> np.ndarray:
        """int [w] the feature of each place."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def one(self) -> np.unsignedinteger[Any]:
        """What a feature that keeps a point from a leaf adds to a count, beside its own number."""
        d = self.own.shape[1]
        one = max(256, 1 << d.bit_length())
        return np.uint16(one) if d * (one + d) < 1 << 16 else np.uint32(one)

    @cached_property
    def kept_from(self) -> np.ndarray:
        """[q, L] which features keep rows from leaves: for each of them `one` and its number."""
        total = np.zeros((len(self.own), len(self.leaves.tree)), dtype=self.one.dtype)
        for j in range(self.own.shape[1]):
            total += (self.one + self.one.dtype.type(j)) * self._outside(j, self.own[:, j])
        return total

    @property
    def read(self) -> np.ndarray:
        """bool [q]: the rows that come to a leaf of each tree, as those of odd values do not."""
        return np.asarray((self.kept_from == 0).sum(axis=1) == self.leaves.tree[-1] + 1)

    def take(self, rows: np.ndarray) -> Lines:
        """The lines of some rows."""
        parts = {name: getattr(self, name)[rows] for name in ("codes", "price", "own")}
        return replace(self, problem=self.problem.take(rows), **parts)

    def _outside(self, j: int, place: np.ndarray) -> np.ndarray:
        """bool [n, L]: the leaves that places [n] of feature j do not come to."""
        leaves, place = self.leaves, place - self.starts[j]
        count = int(self.starts[j + 1] - self.starts[j]) - 1 - len(leaves.listed[j])
        if not count:
            return np.asarray(~leaves.listed[j][place])
        at = place[:, None].astype(leaves.first.dtype)
        out = (at < leaves.first[j]) | (at > leaves.last[j])
        rest = place >= count
        if rest.any():
            out[rest] = ~leaves.listed[j][place[rest] - count]
        return np.asarray(out)

    @cached_property
    def least(self) -> np.ndarray:
        """[q, d] what each feature costs at the least, where it changes."""
        price = self.price.copy()
        price[np.arange(len(price))[:, None], self.own] = np.inf
        return np.asarray(np.minimum.reduceat(price, self.starts[:-1], axis=1))

    def along(
        self, rows: np.ndarray, places: np.ndarray, open_: np.ndarray | None = None
    ) -> np.ndarray:
        """[n, w] the margins of points at places [n, d] of rows [n], each place put in its line.

        In lines that are not `open_` [n, d] they are right for the point itself alone.
        """
        if not self.sides:  # a goal that any score meets
            return np.ones((len(rows), int(self.starts[-1])))
        open_ = np.ones(places.shape, dtype=bool) if open_ is None else open_
        size = max(1, CELLS // len(self.leaves.tree))
        parts = (slice(i, i + size) for i in range(0, len(rows), size))
        return np.concatenate([self._along(rows[i], places[i], open_[i]) for i in parts])

    def _along(self, rows: np.ndarray, places: np.ndarray, open_: np.ndarray) -> np.ndarray:
        leaves, n, width = self.leaves, len(rows), int(self.starts[-1])
        code = self.kept_from[rows]
        for j in range(places.shape[1]):
            moved = np.flatnonzero(places[:, j] != self.own[rows, j])
            if len(moved):
                now = self._outside(j, places[moved, j]).astype(code.dtype)
                now -= self._outside(j, self.own[rows[moved], j])
                code[moved] += (self.one + code.dtype.type(j)) * now
        flat = np.flatnonzero(code == 0)  # of a plain array: many times faster than of a matrix
        at = (flat % len(leaves.tree)).reshape(n, -1)
        flat = np.flatnonzero(code - self.one < self.one)  # what is smaller wraps around
        point, leaf = np.divmod(flat, len(leaves.tree))
        j = code.reshape(-1)[flat].astype(np.intp) - int(self.one)
        some = np.flatnonzero(open_.reshape(-1).take(point * open_.shape[1] + j))
        point, leaf, j = point.take(some), leaf.take(some), j.take(some)
        where, ends, which = self._stretches(j, leaf)
        key = point[which] * width
        keys = np.concatenate([key + where, key + ends])
        margins = []
        for values, least in self.sides:
            now = values[at]
            more = (values[leaf] - now[point, leaves.tree[leaf]])[which]
            steps = np.bincount(keys, np.concatenate([more, -more]), minlength=n * width)
            line = np.cumsum(steps.reshape(n, width), axis=1)
            margins.append(line + (now.sum(axis=1, keepdims=True) - least))
        return np.asarray(np.minimum.reduce(margins))

    def _stretches(
        self, j: np.ndarray, leaf: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where stretches of places start and end by which features j [n] come to leaves [n].

        And for each stretch the place [s] of its leaf among the n.
        """
        leaves, many = self.leaves, len(self.leaves.tree)
        flat = j * many + leaf
        first, last = leaves.first.reshape(-1)[flat], leaves.last.reshape(-1)[flat]
        number = np.flatnonzero(first <= last)
        start = self.starts[j[number]]
        row, begin, runs, ends = leaves.listed_runs
        parts = [(start + first[number], start + last[number] + 1, number)]
        named = np.flatnonzero(row[j] >= 0)
        if len(named):
            flat = row[j[named]] * many + leaf[named]
            counts = begin[flat + 1] - begin[flat]
            which = np.repeat(named, counts)
            at = np.arange(len(which)) + np.repeat(
                begin[flat] - (np.cumsum(counts) - counts), counts
            )
            start = self._listed_from[j[which]]
            parts.append((start + runs[at], start + ends[at], which))
        first, last, which = (np.concatenate(one) for one in zip(*parts, strict=True))
        return first, last, which

    @cached_property
    def _listed_from(self) -> np.ndarray:
        """int [d] where the listed places of features start; after the last is a place for none."""
        return np.asarray(self.starts[1:] - 1 - np.array([len(one) for one in self.leaves.listed]))


def places_of(
    problem: Problem, every: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The places that rows have, of numbers between `every` feature's cuts: see `Lines`.

    int [d + 1] where those of each feature start, their codes [q, w], int [q, d] the rows' own.
    """
    space, box, origin = problem.space, problem.box, problem.moves.origin
    starts, tables, own = [0], [], []
    for j, (feature, cuts) in enumerate(zip(space.features, every, strict=True)):
        mine = origin[:, j : j + 1]
        if isinstance(feature, Continuous):
            low = code_at(feature, step_below(feature, np.append(-np.inf, cuts)) + 1)
            high = code_at(feature, step_below(feature, np.append(cuts, np.inf)))
            low, high = np.maximum(low, box.low[:, [j]]), np.minimum(high, box.high[:, [j]])
            known = np.where(np.isnan(mine), low, mine)
            table = np.where(low <= high, np.minimum(np.maximum(known, low), high), np.inf)
            place = np.searchsorted(cuts, mine[:, 0])
        else:
            start = space.offsets[j]
            count = space.offsets[j + 1] - start
            allowed = box.levels[:, start : start + count]
            table = np.where(allowed, np.arange(float(count)), np.inf)
            place = np.nan_to_num(mine[:, 0]).astype(np.intp)
        place = np.where(np.isnan(mine[:, 0]), table.shape[1], place)
        gone = np.where(box.erase[:, [j]], np.nan, np.inf)
        table = np.concatenate([table, gone, np.full_like(gone, np.inf)], axis=1)
        table[np.arange(len(table)), place] = mine[:, 0]
        own.append(starts[-1] + place)
        tables.append(table)
        starts.append(starts[-1] + table.shape[1])
    return np.array(starts), np.concatenate(tables, axis=1), np.stack(own, axis=1)


def prices_of(problem: Problem, codes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """[q, w] what the codes of places cost, each alone; infinite where there is none."""
    none = np.isinf(codes)
    price = np.empty(codes.shape)
    for j, (start, stop) in enumerate(pairwise(starts.tolist())):
        own, here = problem.x[:, j : j + 1], slice(start, stop)
        there = np.where(none[:, here], own, codes[:, here])
        price[:, here] = problem.metric.price_of(j, there, own)
    return np.where(none, np.inf, price)


def _sides(problem: Problem, reading: Trees, leaves: Leaves) -> list[tuple[np.ndarray, float]]:
    """What the goal asks of the sums of leaves, one side at a time."""
    sides = []
    for need in needs(reading, leaves.value.shape[1], problem.goal, problem.x[0]):
        factors = np.zeros(leaves.value.shape[1])
        factors[list(need.factors)] = list(need.factors.values())
        values, base = leaves.value @ factors, float(reading.base @ factors)
        if need.low > -np.inf:
            sides.append((values, need.low - base))
        if need.high < np.inf:
            sides.append((-values, base - need.high))
    return sides


def can_reach(problem: Problem, reading: Trees, leaves: Leaves) -> bool:
    """Whether the best leaf of each tree, of some that it has, together meet the goal of a row."""
    starts = np.flatnonzero(np.diff(leaves.tree, prepend=-1))
    sides = _sides(problem, reading, leaves)
    return bool(len(starts)) and all(
        np.maximum.reduceat(values, starts).sum() > least for values, least in sides
    )
