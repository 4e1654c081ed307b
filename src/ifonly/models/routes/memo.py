"""A costly model, asked about each distinct row once.

Most of what the later rounds of a search propose has been asked before: on Adult two thirds of all
rows. Rows are distinguished by a 64-bit key; keys and scores lie in sorted arrays, of which those
of similar length are merged. It pays from about 0.3 microseconds a row upwards, so for every
pipeline, and not for a small network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ifonly.arrays.keys import point_keys

MOST = 1_000_000
"""How many rows are remembered; then it starts anew."""


@dataclass
class Memo:
    """What a model has said. It lives as long as one question."""

    levels: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    """Keys [n] in order, and their scores [n, c]; each less than half as long as the one before."""

    @classmethod
    def of(cls, codes: np.ndarray, scores: np.ndarray) -> Memo:
        """One that holds scores [n, c] of codes [n, d]."""
        keys, first = np.unique(point_keys(codes, signed=True), return_index=True)
        return cls([(keys, scores[first])] if len(keys) else [])

    def scores(self, ask: Callable[[np.ndarray], np.ndarray], codes: np.ndarray) -> np.ndarray:
        """[n, c] of codes [n, d], asking only about what is new."""
        # A model may tell the negative zero of a row from the zero of a grid.
        own = point_keys(codes, signed=True)
        keys, first, back = np.unique(own, return_index=True, return_inverse=True)
        new, found, fresh = np.ones(len(keys), dtype=bool), [], np.empty((0, 0))
        for held, said in self.levels:
            at = np.minimum(np.searchsorted(held, keys), len(held) - 1)
            old = held[at] == keys
            found.append((old, said[at[old]]))
            new, fresh = new & ~old, said[:0]
        if new.any():
            fresh = ask(codes[first[new]])
            known = ~np.isnan(fresh).any(axis=1)  # what a budget leaves out is not said
            self._learn(keys[new][known], fresh[known])
        scores = np.empty((len(keys), fresh.shape[1]))
        scores[new] = fresh
        for old, said in found:
            scores[old] = said
        return np.asarray(scores[back])

    def _learn(self, keys: np.ndarray, scores: np.ndarray) -> None:
        if sum(len(held) for held, _ in self.levels) + len(keys) > MOST:
            self.levels.clear()
        while len(keys) and self.levels and len(self.levels[-1][0]) <= 2 * len(keys):
            held, said = self.levels.pop()
            keys, scores = np.concatenate([held, keys]), np.concatenate([said, scores])
            order = np.argsort(keys, kind="stable")
            keys, scores = keys[order], scores[order]
        if len(keys):
            self.levels.append((keys, scores))
