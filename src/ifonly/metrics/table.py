"""Metrics of any counterfactuals, given as a DataFrame, and their averages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ifonly.metrics.gathering import gather, spread
from ifonly.metrics.sets import set_metrics
from ifonly.space import Space
from ifonly.space.table.frame import Frame


def evaluate(
    counterfactuals: Frame,
    rows: Frame,
    space: Space,
    *,
    k: int | None = None,
    valid: Any = None,
    weights: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """One line per row: the metrics of its counterfactuals, from any source.

    Parameters
    ----------
    counterfactuals
        A frame with the features and a column `query` (`_query` where a feature has that name):
        the position of the row that each line answers.
    rows
        The rows that are answered.
    space
        The features.
    k
        How many counterfactuals were asked for; by default the most that any row has.
    valid
        Per line, whether it has the wanted outcome; by default all have.
    weights
        What changes cost, as for `ifonly.explain`.

    Returns
    -------
    pd.DataFrame

    Raises
    ------
    DataError
        The frame does not fit the rows, the space or k; the message says why.

    Examples
    --------
    >>> space = Space.describe({"name": "age", "low": 0, "high": 99, "mad": 10})
    >>> rows = pd.DataFrame({"age": [30]})
    >>> two = pd.DataFrame({"query": [0, 0], "age": [40, 50]})
    >>> evaluate(two, rows, space)[["distance", "pairwise_distance"]].iloc[0].to_list()
    [1.5, 1.0]
    """
    sets = gather(counterfactuals, rows, space, k=k, weights=weights)
    right = sets.filled if valid is None else spread(valid, counterfactuals, sets)
    table = set_metrics(sets.metric, sets.x, sets.points, right, sets.filled)
    return pd.DataFrame({"query": np.arange(len(sets.x)), **table})


def summary(metrics: Frame, k: int) -> pd.DataFrame:
    """The mean of each metric over all rows, and over the rows with all k answers, as in the paper.

    `valid_unique` is taken over all rows in both.

    Parameters
    ----------
    metrics
        What `evaluate` or `Answers.metrics` returned.
    k
        How many counterfactuals were asked for.

    Returns
    -------
    pd.DataFrame
        One line per metric, with the columns `all` and `full`.

    Examples
    --------
    >>> metrics = pd.DataFrame({"valid_unique": [1.0, 0.5], "distance": [2.0, 4.0]})
    >>> summary(metrics, k=2)
                   all  full
    rows          2.00  1.00
    valid_unique  0.75  0.75
    distance      3.00  2.00
    """
    frame = nw.from_native(metrics, eager_only=True).to_pandas()
    names = [name for name in frame.columns if name not in ("query", "status")]
    full = frame[frame["valid_unique"] >= 1 - 0.5 / k]
    table = pd.DataFrame({"all": frame[names].mean(), "full": full[names].mean()})
    table["full"] = table["full"].where(table.index != "valid_unique", table["all"])
    rows = pd.DataFrame({"all": [len(frame)], "full": [len(full)]}, index=["rows"])
    return pd.concat([rows, table])
