"""All conjunctions of conditions that enough rows meet, each set of rows once.

Who meets what does not depend on costs: what is left out here is no comparison that was made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST = 20_000
"""The most conjunctions; of more, those that most rows meet."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Conjunctions of up to three conditions."""

    parts: np.ndarray
    """[s, 3] the positions of the conditions of each, in order; -1 for none."""

    def __len__(self) -> int:
        return len(self.parts)

    def members(self, conditions: np.ndarray, which: np.ndarray) -> np.ndarray:
        """bool [n, r]: the rows that meet some of the conjunctions of conditions [c, r]."""
        every = np.ones((1, conditions.shape[1]), dtype=bool)
        known = np.concatenate([conditions, every])  # the last one is met by all rows
        first, second, third = self.parts[which].T
        return np.asarray(known[first] & known[second] & known[third])

    def places(self, which: int) -> frozenset[int]:
        """The positions of the conditions of one."""
        return frozenset(int(part) for part in self.parts[which] if part >= 0)


def conjunctions(members: np.ndarray, conditions: int, least: int, *, whole: bool) -> Sets:
    """The conjunctions of up to so many conditions [c, r] that at least `least` rows meet.

    Left out is what fewer conditions say of the same rows. `whole` adds the conjunction of none.
    """
    held = members.astype(np.float32)
    singles = np.arange(len(members))[:, None]
    singles = singles[held.sum(axis=1) >= least] if len(members) else singles
    pairs, triples = np.empty((0, 2), dtype=int), np.empty((0, 3), dtype=int)
    both = held @ held.T
    if conditions >= 2:
        alone = np.diag(both)
        adds = (both >= least) & (both < np.minimum(alone[:, None], alone[None, :]))
        pairs = np.argwhere(np.triu(adds, 1))
    if conditions >= 3 and len(pairs):
        found, size = [], max(1, 2**24 // max(1, members.shape[1]))
        for start in range(0, len(pairs), size):
            part = pairs[start : start + size]
            first, second = part.T
            three = (held[first] * held[second]) @ held.T  # [pairs, c]
            before = np.minimum(both[first], both[second])
            before = np.minimum(before, both[first, second][:, None])
            adds = (three >= least) & (three < before)
            adds &= np.arange(len(members)) > second[:, None]
            at, third = np.nonzero(adds)
            found.append(np.column_stack([part[at], third, three[at, third].astype(int)]))
        triples = np.concatenate(found)
        room = max(0, MOST - len(singles) - len(pairs))
        triples = triples[np.argsort(-triples[:, 3], kind="stable")[:room], :3]
    none = np.full((int(whole and members.shape[1] >= least), 0), -1)
    parts = [
        np.pad(one, ((0, 0), (0, 3 - one.shape[1])), constant_values=-1)
        for one in (none, singles, pairs, triples)
    ]
    return _each_once(Sets(np.concatenate(parts)[:MOST]), members)


def _each_once(sets: Sets, members: np.ndarray) -> Sets:
    """The sets without those of the same rows as one before them.

    Each row has two random numbers, and rows are the same if their sums are; sums of whole numbers
    are exact in any order.
    """
    random = np.random.default_rng(0)
    numbers = random.integers(1, 2**30, (members.shape[1], 2)).astype(np.float64)
    size, keys = max(1, 2**23 // max(1, members.shape[1])), [np.empty((0, 2))]
    for start in range(0, len(sets), size):
        which = np.arange(start, min(start + size, len(sets)))
        keys.append(sets.members(members, which).astype(np.float64) @ numbers)
    _, first = np.unique(np.concatenate(keys), axis=0, return_index=True)
    return Sets(sets.parts[np.sort(first)])
