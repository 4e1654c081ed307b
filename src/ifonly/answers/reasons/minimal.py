"""Smallest sets of features that give another outcome, and features that no such set lacks.

The moves of a row are codes better [q, d]: what each feature would best be. Whether moves give the
outcome is the user's own model's word.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ifonly.answers.reasons.asking import Asker, Values
from ifonly.solve.method import method_of
from ifonly.solve.stages import pool_of
from ifonly.space.distance import differs

ROUNDS = 20
"""How often a point is moved further towards the outcome, by one feature each time."""
HIGHER = 1e-9
"""By how much the margin must grow for it."""


@dataclass(frozen=True, eq=False)
class Moves:
    """Rows x [q, d], what their features would best be, and how much that closes of the gap."""

    ask: Asker
    values: Values
    x: np.ndarray
    better: np.ndarray
    """[q, d]"""
    weight: np.ndarray
    """[q, f]"""

    def made(self, rows: np.ndarray, which: np.ndarray) -> np.ndarray:
        """[n, ..., d] rows [n] with the features moved that are flagged, bool [n, ..., f]."""
        shape = len(rows), *[1] * (which.ndim - 2), self.x.shape[1]
        own, better = (codes[rows].reshape(shape) for codes in (self.x, self.better))
        return np.asarray(np.where(which[..., self.values.column_owner], better, own))

    def searched(self, rows: np.ndarray) -> Moves:
        """The moves, of rows [n] those of the nearest answer that a search without rules finds.

        It finds what no feature begins alone. Rows without such an answer keep their moves.
        """
        source, better = self.ask.source, self.better.copy()
        free = replace(source.setting, rules=(), causes=None, demand=None, demands=())
        batch = replace(source.batch, own=(), goal=replace(source.batch.goal, beyond=None))
        for part in batch.chunks(len(rows)):
            own = part[np.isin(part, rows)]
            if not len(own):
                continue
            problem = batch.pose(free, self.ask.model, own)
            pool, _ = pool_of(problem, method_of(), 1)
            price = np.where(pool.valid, problem.price(pool.points), np.inf)
            nearest = pool.points[np.arange(len(own)), price.argmin(axis=1)]
            found = pool.valid.any(axis=1)
            better[own[found]] = nearest[found]
        return replace(self, better=better)

    def smallest(self, rows: np.ndarray) -> np.ndarray:
        """bool [n, f] features that move to give rows [n] the outcome; none can be taken back.

        They are added by weight until the outcome is there. Then each is taken back, the least
        first, where the outcome stays. Nothing where all moves together are not enough.
        """
        f, n = self.weight.shape[1], len(rows)
        kept, by_weight = np.zeros((n, f), dtype=bool), ranked(self.weight[rows])
        place = np.argsort(by_weight, axis=1)
        moves = differs(self.better[rows], self.x[rows])
        owns = np.stack([moves[:, one.columns].any(axis=1) for one in self.values.shown], axis=1)
        for part in self.ask.parts(np.arange(n), f):
            first = place[part][:, None] <= np.arange(f)[:, None]  # [n, f, f]: one more each
            first &= owns[part][:, None]
            _, met = self.ask.own(self.made(rows[part], first), rows[part])
            found = met.any(axis=1)
            kept[part[found]] = first[found, met[found].argmax(axis=1)]
        left = np.flatnonzero(kept.sum(axis=1) > 1)
        while len(left):  # one that is taken back may free another
            before = kept.sum(axis=1)
            for column in by_weight[left].T[::-1]:
                less = kept[left].copy()
                less[np.arange(len(left)), column] = False
                tried = (less != kept[left]).any(axis=1) & less.any(axis=1)
                if not tried.any():
                    continue
                some, less = left[tried], less[tried]
                _, met = self.ask.own(self.made(rows[some], less), rows[some])
                kept[some[met]] = less[met]
            left = left[kept[left].sum(axis=1) < before[left]]
        return kept

    def needed(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """bool [n]: of rows [n], whether nothing that keeps a feature [n] gives the outcome.

        All other features move to their best values at once, then one by one to what is best from
        there. What gives the outcome proves that the feature is not needed.
        """
        which = self.weight[rows] > 0
        which[np.arange(len(rows)), features] = False
        points = self.made(rows, which)
        margin, met = self.ask.own(points, rows)
        needed, left = ~met, np.flatnonzero(~met)
        for _ in range(ROUNDS):
            climbing = np.zeros(len(rows), dtype=bool)
            for part in self.ask.parts(left, int(self.values.ends[-1])):
                tried = self.values.around(points[part])
                reached = self.ask.by_route(tried, rows[part])
                reached[self.values.owner[None] == features[part, None]] = -np.inf
                moved = tried[np.arange(len(part)), reached.argmax(axis=1)]
                now, met = self.ask.own(moved, rows[part])
                higher = now > margin[part] + HIGHER
                points[part[higher]], margin[part[higher]] = moved[higher], now[higher]
                needed[part[met]] = False
                climbing[part[higher & ~met]] = True
            left = np.flatnonzero(climbing)
            if not len(left):
                break
        return needed


def ranked(weight: np.ndarray, first: np.ndarray | None = None) -> np.ndarray:
    """[q, f] the features by weight [q, f], the greatest first; of equal ones the flagged first."""
    flags = np.zeros(weight.shape, dtype=bool) if first is None else first
    return np.lexsort((~flags, -np.nan_to_num(weight)), axis=1)
