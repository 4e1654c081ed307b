"""Metrics of any counterfactuals, given as a DataFrame, and their averages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.errors import DataError
from ifonly.metrics.sets import set_metrics
from ifonly.space import Metric, Space
from ifonly.space.frame import Frame, as_frame, numbers


def evaluate(
    counterfactuals: Frame,
    rows: Frame,
    space: Space,
    *,
    k: int | None = None,
    valid: Any = None,
    weights: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """One line a row: the metrics of its counterfactuals, whoever made them.

    `counterfactuals` holds the features and a column `query`, the position of the row that each
    line answers. `valid` says of each line whether it has the wanted outcome (all, by default),
    and `k` how many were asked for (the most that any row has, by default).

    >>> space = Space.describe({"name": "age", "low": 0, "high": 99, "mad": 10})
    >>> rows = pd.DataFrame({"age": [30]})
    >>> two = pd.DataFrame({"query": [0, 0], "age": [40, 50]})
    >>> evaluate(two, rows, space)[["distance", "pairwise_distance"]].iloc[0].to_list()
    [1.5, 1.0]
    """
    frame = as_frame(counterfactuals, "counterfactuals")
    if "query" not in frame.columns:
        raise DataError(
            "`counterfactuals` has no column 'query'.",
            "Add one with the position of the row that each line answers.",
        )
    x = space.codes(rows)
    known = [name for name in space.names if name in frame.columns]
    codes = space.codes(frame.select(*known).to_native(), "counterfactuals")
    query = numbers(frame["query"], "counterfactuals").astype(np.intp)
    if ((query < 0) | (query >= len(x))).any():
        raise DataError(f"'query' goes from 0 to {len(x) - 1}, the positions of `rows`.")
    place = pd.Series(query).groupby(query).cumcount().to_numpy()
    most = int(place.max()) + 1
    k = most if k is None else k
    if k < most:
        raise DataError(f"k is {k}, and a row has {most} counterfactuals.", "Give k as asked for.")
    points = np.repeat(x[:, None], k, axis=1)
    present = np.zeros((len(x), k), dtype=bool)
    points[query, place], present[query, place] = codes, True
    right = present.copy()
    if valid is not None:
        right[query, place] = np.asarray(valid, dtype=bool)
    table = set_metrics(Metric.of(space, weights), x, points, right, present)
    return pd.DataFrame({"query": np.arange(len(x)), **table})


def summary(metrics: Frame, k: int) -> pd.DataFrame:
    """The mean of each metric over all rows, and over the rows with all k, as the paper has it.

    `valid_unique` is taken over all rows in both.
    """
    frame = nw.from_native(metrics, eager_only=True).to_pandas()
    names = [name for name in frame.columns if name not in ("query", "status")]
    full = frame[frame["valid_unique"] >= 1 - 0.5 / k]
    table = pd.DataFrame({"all": frame[names].mean(), "full": full[names].mean()})
    table["full"] = table["full"].where(table.index != "valid_unique", table["all"])
    rows = pd.DataFrame({"all": [len(frame)], "full": [len(full)]}, index=["rows"])
    return pd.concat([rows, table])
