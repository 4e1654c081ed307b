"""Counterfactuals of any origin, gathered to the rows that they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import DataError
from ifonly.space import Metric, Space
from ifonly.space.frame import Frame, as_frame, free_name, numbers


@dataclass(frozen=True, eq=False)
class Sets:
    """What the metrics ask of answers, whoever made them: `Answers` has these names too."""

    space: Space
    x: np.ndarray
    """[q, d] the codes of the rows."""
    points: np.ndarray
    """[q, k, d] the codes of their counterfactuals; the row's own where none is filled."""
    filled: np.ndarray
    """bool [q, k]"""
    wanted: Any = "opposite"
    """The wanted outcome: one for all rows, or one a row."""
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """How many counterfactuals were asked for."""
        return int(self.points.shape[1])

    @property
    def metric(self) -> Metric:
        """The distance that they are measured by."""
        return Metric.of(self.space)

    def distance(self) -> np.ndarray:
        """[q, k] how far each counterfactual is from its row."""
        return self.metric.cost(self.points, self.x[:, None])


def gather(
    counterfactuals: Frame,
    rows: Frame,
    space: Space,
    *,
    k: int | None = None,
    wanted: Any = "opposite",
    weights: Mapping[str, Any] | None = None,
) -> Sets:
    """The counterfactuals of a DataFrame as sets, one for each of the rows.

    `counterfactuals` holds the features and a column `query`, the position of the row that each
    line answers (`_query` where a feature is called so); `k` says how many were asked for (the most
    that any row has, by default), and `weights` what changes cost, as in `ifonly.explain`.

    >>> space = Space.describe({"name": "age", "low": 0, "high": 99, "mad": 10})
    >>> two = pd.DataFrame({"query": [0, 0], "age": [40, 50]})
    >>> gather(two, pd.DataFrame({"age": [30]}), space).points[0, :, 0].tolist()
    [40.0, 50.0]
    """
    x = space.codes(rows)
    codes, query, place = _placed(counterfactuals, space, len(x))
    most = int(place.max(initial=-1)) + 1
    k = max(1, most) if k is None else k
    if k < most:
        raise DataError(f"k is {k}, and a row has {most} counterfactuals.", "Give k as asked for.")
    points = np.repeat(x[:, None], k, axis=1)
    filled = np.zeros((len(x), k), dtype=bool)
    points[query, place], filled[query, place] = codes, True
    priced = space if weights is None else replace(space, weights=weights)
    return Sets(priced, x, points, filled, wanted)


def spread(values: Any, counterfactuals: Frame, sets: Sets) -> np.ndarray:
    """bool [q, k] of one value a line of the counterfactuals that `sets` was gathered from."""
    _, query, place = _placed(counterfactuals, sets.space, len(sets.x))
    spread_out = np.zeros(sets.filled.shape, dtype=bool)
    spread_out[query, place] = np.asarray(values, dtype=bool)
    return spread_out


def _placed(
    counterfactuals: Frame, space: Space, q: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The codes [n, d] of the lines, the row that each answers [n], and its place there [n]."""
    frame = as_frame(counterfactuals, "counterfactuals")
    name = free_name("query", space.names)
    if name not in frame.columns:
        raise DataError(
            f"`counterfactuals` has no column {name!r}.",
            "Add one with the position of the row that each line answers.",
        )
    known = [name for name in space.names if name in frame.columns]
    codes = space.codes(frame.select(*known).to_native(), "counterfactuals")
    query = numbers(frame[name], "counterfactuals").astype(np.intp)
    if ((query < 0) | (query >= q)).any():
        raise DataError(f"{name!r} goes from 0 to {q - 1}, the positions of `rows`.")
    return codes, query, pd.Series(query).groupby(query).cumcount().to_numpy()
