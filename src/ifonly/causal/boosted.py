"""Boosted equations: trees of scikit-learn's over the causes of an effect.

Trees see a number only by the bin that it falls into. The bins are made here, as scikit-learn
makes its own (at most 255, at quantiles), so that many places of a search, which share few bins,
cost the trees one question for each combination of bins that occurs.

Small trees, as many as a tenth of the rows held out asks for. scikit-learn's own 100 trees of 31
leaves follow the noise: on 4,000 rows of the lender they were half again to twice as far off in
what an action changes, and about as far on wavy equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ifonly.causal.equation import ask_frame
from ifonly.errors import DataError
from ifonly.space import Categorical, Feature
from ifonly.space.table.frame import Frame

BINS = 255
"""The most bins of a number and the most levels of a category: what scikit-learn's trees take."""

FEWEST = 40
"""The fewest rows that a tree can split, at 20 a leaf; below, the mean is all there is to fit."""


@dataclass(frozen=True, eq=False, repr=False)
class Boosted:
    """The fitted trees, and the edges between the bins of each cause; a category has none."""

    causes: tuple[Feature, ...]
    edges: tuple[np.ndarray | None, ...]
    regressor: Any

    @classmethod
    def fit(
        cls, causes: Sequence[Feature], codes: np.ndarray, values: np.ndarray, *, seed: int = 0
    ) -> Boosted:
        """The trees for values [n] over the causes' codes [n, c], none missing."""
        from sklearn.ensemble import HistGradientBoostingRegressor
        from threadpoolctl import threadpool_limits  # a dependency of scikit-learn

        for cause in causes:
            if isinstance(cause, Categorical) and len(cause.levels) > BINS:
                raise DataError(
                    f"{cause.name!r} has {len(cause.levels)} levels, and boosted equations take "
                    f"at most {BINS}.",
                    "Merge rare levels into one, or ask for equations='linear'.",
                )
        edges = tuple(_edges(cause, codes[:, j]) for j, cause in enumerate(causes))
        marked = [isinstance(cause, Categorical) for cause in causes]
        enough = len(values) >= FEWEST
        regressor = HistGradientBoostingRegressor(
            categorical_features=marked,
            max_iter=400 if enough else 1,
            max_leaf_nodes=8,
            early_stopping=enough,
            random_state=seed,
        )
        # Threads that wait for each other after each tree cost more than they bring (below).
        with threadpool_limits(1, user_api="openmp"):
            return cls(tuple(causes), edges, regressor.fit(_bins(edges, codes), values))

    def __call__(self, frame: Frame) -> np.ndarray:
        """[n] the numbers of a frame with the causes; NaN where one is missing."""
        return ask_frame(self, frame)

    def on_codes(self, codes: np.ndarray) -> np.ndarray:
        """[n] the numbers of codes [n, c]."""
        bins = _bins(self.edges, codes)
        cell = np.zeros(len(codes), dtype=np.int64)
        for j in range(bins.shape[1]):
            cell = pd.factorize(cell * (BINS + 1) + bins[:, j])[0]
        _, first = np.unique(cell, return_index=True)
        # One thread: `predict` would wait for all of them after each tree, which on a busy machine
        # takes seconds (scikit-learn's issue 30662).
        return np.asarray(self.regressor._raw_predict(bins[first], n_threads=1)[:, 0])[cell]

    def __repr__(self) -> str:
        return f"Boosted({', '.join(cause.name for cause in self.causes)})"


def _edges(cause: Feature, codes: np.ndarray) -> np.ndarray | None:
    if isinstance(cause, Categorical):
        return None
    distinct = np.unique(codes)
    if len(distinct) <= BINS:
        return np.asarray((distinct[1:] + distinct[:-1]) / 2)
    shares = np.linspace(0, 1, BINS + 1)[1:-1]
    return np.unique(np.quantile(codes, shares, method="midpoint"))


def _bins(edges: Sequence[np.ndarray | None], codes: np.ndarray) -> np.ndarray:
    """int64 [n, c] the bin of each number, the code of each level."""
    columns = [
        codes[:, j].astype(np.int64) if between is None else np.searchsorted(between, codes[:, j])
        for j, between in enumerate(edges)
    ]
    return np.stack(columns, axis=1)
