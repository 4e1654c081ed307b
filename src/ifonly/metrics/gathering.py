"""Counterfactuals of any origin, gathered to the rows that they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import DataError
from ifonly.space import Metric, Space
from ifonly.space.table.carry import Carried
from ifonly.space.table.frame import Frame, as_frame, free_name, numbers


@dataclass(frozen=True, eq=False)
class Sets:
    """The counterfactuals of some rows, from any source, as the metrics take them.

    `Answers` has these names too.

    Parameters
    ----------
    space
        The features and what changing them costs.
    x
        [q, d] the codes of the rows.
    points
        [q, k, d] the codes of their counterfactuals; the row's own where none is filled.
    filled
        bool [q, k]: which counterfactuals there are.
    wanted
        The wanted outcome: one for all rows, or one per row.
    record
        What is known of the question, such as its threshold.
    carried
        The columns of the rows that are no features, where the space has any.

    Examples
    --------
    >>> space = Space.describe({"name": "age", "low": 0, "high": 99, "mad": 10})
    >>> Sets(space, np.array([[30.0]]), np.array([[[40.0]]]), np.array([[True]])).k
    1
    """

    space: Space
    x: np.ndarray
    points: np.ndarray
    filled: np.ndarray
    wanted: Any = "opposite"
    record: Mapping[str, Any] = field(default_factory=dict)
    carried: Carried | None = None

    @property
    def k(self) -> int:
        """How many counterfactuals were asked for."""
        return int(self.points.shape[1])

    @property
    def metric(self) -> Metric:
        """The distance that they are measured by."""
        return Metric.of(self.space)

    def distance(self) -> np.ndarray:
        """How far each counterfactual is from its row.

        Returns
        -------
        np.ndarray
            [q, k].

        Examples
        --------
        >>> space = Space.describe({"name": "age", "low": 0, "high": 99, "mad": 10})
        >>> Sets(space, np.array([[30.0]]), np.array([[[45.0]]]), np.array([[True]])).distance()
        array([[1.5]])
        """
        return self.metric.cost(self.points, self.x[:, None])

    def price(self) -> np.ndarray:
        """The distance of each counterfactual, and the charge for its changed features.

        Returns
        -------
        np.ndarray
            [q, k].

        Examples
        --------
        >>> space = Space.describe({"name": "age", "low": 0, "high": 99, "mad": 10})
        >>> Sets(space, np.array([[30.0]]), np.array([[[45.0]]]), np.array([[True]])).price()
        array([[2.]])
        """
        return self.metric.price(self.points, self.x[:, None])


def gather(
    counterfactuals: Frame,
    rows: Frame,
    space: Space,
    *,
    k: int | None = None,
    wanted: Any = "opposite",
    weights: Mapping[str, Any] | None = None,
) -> Sets:
    """The counterfactuals of a frame as sets, one set per row.

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
    wanted
        The wanted outcome: one for all rows, or one per row.
    weights
        What changes cost, as for `ifonly.explain`.

    Returns
    -------
    Sets

    Raises
    ------
    DataError
        The frame does not fit the rows, the space or k; the message says why.

    Examples
    --------
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
    carried = Carried.of(as_frame(rows), space.carry, None, "rows") if space.carry else None
    return Sets(priced, x, points, filled, wanted, carried=carried)


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
