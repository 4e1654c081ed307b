"""A costly model, asked about each distinct row once.

Most of what the later rounds of a search propose has been asked before: on Adult two thirds of all
rows. Rows are distinguished by a 64-bit key; keys and scores lie in sorted arrays that grow by
merging. It pays from about 0.3 microseconds a row upwards, so for every pipeline, and not for a
small network.
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

    keys: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    known: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))

    def scores(self, ask: Callable[[np.ndarray], np.ndarray], codes: np.ndarray) -> np.ndarray:
        """[n, c] of codes [n, d], asking only about what is new."""
        # A model may tell the negative zero of a row from the zero of a grid.
        own = point_keys(codes, signed=True)
        keys, first, back = np.unique(own, return_index=True, return_inverse=True)
        at = np.searchsorted(self.keys, keys)
        old = at < len(self.keys)
        old[old] = self.keys[at[old]] == keys[old]
        new = np.flatnonzero(~old)
        fresh = ask(codes[first[new]]) if len(new) else self.known[:0]
        scores = np.empty((len(keys), fresh.shape[1]))
        scores[new] = fresh
        if len(new) < len(keys):
            scores[old] = self.known[at[old]]
        said = ~np.isnan(fresh).any(axis=1)  # what a budget leaves out is not said
        self._learn(at[new][said], keys[new][said], fresh[said])
        return np.asarray(scores[back])

    def _learn(self, at: np.ndarray, keys: np.ndarray, scores: np.ndarray) -> None:
        if len(self.keys) == 0 or len(self.keys) + len(keys) > MOST:
            self.keys, self.known = keys, scores
        elif len(keys):
            self.keys = np.insert(self.keys, at, keys)
            self.known = np.insert(self.known, at, scores, axis=0)
