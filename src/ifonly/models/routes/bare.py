"""A model that takes numbers, asked with an array of them in place of a frame.

XGBoost goes through a frame column by column, which takes longer than its trees do, and a forest
starts threads for each call. Both have one precision for all numbers, so that an array tells them
the same. The route is taken only where it gives bit for bit the scores of the frame on a probe. The
judge asks with the frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ifonly.models.adapters.table import TableModel, check_scores, run
from ifonly.models.routes.forest import by_trees, has_trees
from ifonly.space.table.dtypes import number_dtype


@dataclass(frozen=True)
class Bare:
    """A model over a table of numbers: what is asked, with its columns among the features."""

    table: TableModel
    ask: Callable[[np.ndarray], Any]
    order: np.ndarray

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.table.classes

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] what the model gives for codes [n, d]."""
        return np.asarray(self.table.meter.ask(self._scores, codes))

    def _scores(self, codes: np.ndarray) -> np.ndarray:
        output = run(self.ask, np.ascontiguousarray(codes[:, self.order]))
        return check_scores(output, len(codes), self.classes)

    def decide(self, codes: np.ndarray) -> None:
        """None: a route is for the search, and the model itself decides."""


def bare(model: Any, table: TableModel, probe: np.ndarray) -> Bare | None:
    """The route of a forest or one of XGBoost's own classes, or None; `probe` [n, d] are codes."""
    space = table.space
    kinds = {base.__name__ for base in type(model).__mro__}
    library = type(model).__module__.partition(".")[0]
    boosted = library == "xgboost" and "XGBModel" in kinds and not table.bare
    if not boosted and not (library == "sklearn" and has_trees(model)):
        return None
    columns = [feature.column.dtype for feature in space.features]
    if not space.continuous.all() or not all(number_dtype(name) == name for name in columns):
        return None
    order = [space.index(name) for name in table.columns or space.names]
    ask = table.ask if boosted else partial(by_trees, model)
    route = Bare(table, ask, np.array(order))
    return route if np.array_equal(route.scores(probe), table.scores(probe)) else None
