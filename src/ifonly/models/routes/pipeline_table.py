"""The last step of a pipeline, asked with what its other steps would have given.

Building a frame and encoding it costs more than many models do. Where every output column of the
steps before the last depends on one feature, their output can be looked up: the pipeline transforms
one row for each representable value of each feature, once, and the entries are copied from there.
A number of many values needs no table where the steps pass it on as it is, or scale it. The route
is taken only where it gives bit for bit the scores of the pipeline on a probe. The judge asks the
pipeline itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ifonly.models.adapters.table import TableModel, check_scores, run
from ifonly.models.routes.entries import Entries, Line, line_of, scales_of
from ifonly.models.routes.forest import by_trees
from ifonly.space import Space

MOST_VALUES = 20_001
"""How many values of one feature are worth a table."""
SAMPLE = 1025
"""By how many of more values it is seen whether they lie on a line."""
NARROW = 256
"""Up to how many columns a matrix with missing values is faster than a sparse one."""


@dataclass(frozen=True)
class Direct:
    """A pipeline's last step, and what goes into it for each feature."""

    table: TableModel
    ask: Callable[[Any], Any]
    entries: tuple[Entries | Line, ...]
    columns: tuple[np.ndarray, ...]
    """Which output columns belong to each feature."""
    blank: np.ndarray = field(repr=False)
    """[n] an output row; what no feature decides is right in it."""
    sparse: bool = False

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.table.classes

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] what the pipeline gives; codes without an entry go through the pipeline."""
        matrix = self._matrix(codes)
        if matrix is None:
            return self.table.scores(codes)
        self.table.meter.asked += len(codes)
        return check_scores(run(self.ask, matrix), len(codes), self.classes)

    def decide(self, codes: np.ndarray) -> None:
        """None: a route is for the search, and the model itself decides."""

    def _matrix(self, codes: np.ndarray) -> Any:
        matrix = np.repeat(self.blank[None], len(codes), axis=0)
        for entries, own, code in zip(self.entries, self.columns, codes.T, strict=True):
            block = entries.of(code)
            if block is None:
                return None
            matrix[:, own] = block
        if not self.sparse:
            return matrix
        from scipy.sparse import csr_matrix

        # XGBoost takes an absent entry for a missing value: zeros must stay absent.
        rows, columns = matrix.nonzero()
        starts = np.searchsorted(rows, np.arange(len(codes) + 1)).astype(np.int32)
        cells = (matrix[rows, columns], columns.astype(np.int32), starts)
        return csr_matrix(cells, shape=matrix.shape)


def direct(model: Any, table: TableModel, probe: np.ndarray) -> Direct | None:
    """The direct route into a pipeline, or None where there is none; `probe` [n, d] are codes."""
    if not hasattr(model, "steps") or len(model.steps) < 2 or table.bare:
        return None
    estimator = model[-1]
    if not hasattr(estimator, "predict_proba") and table.classes:
        return None
    if hasattr(estimator, "feature_names_in_"):
        return None  # it wants a frame
    ask = estimator.predict_proba if table.classes else estimator.predict
    try:
        route = _read(model[:-1], table, ask)
    except Exception:  # an encoder that refuses values which no row of the data has
        return None
    if route is None:
        return None
    wanted = table.scores(probe)
    for way in (partial(by_trees, estimator), partial(_boosted, estimator, route.sparse), ask):
        candidate = replace(route, ask=way, sparse=route.sparse and way is ask)
        if _agrees(candidate, probe, wanted):
            return candidate
    return None


def _read(steps: Any, table: TableModel, ask: Callable[[Any], Any]) -> Direct | None:
    """The route by the entries of a pipeline's first steps, or None.

    None where two features share a column, or a number of many values does not lie on a line.
    """
    space, scales = table.space, scales_of(steps)
    values = [_values(space, j) for j in range(len(space))]
    base = np.array([one[0] for one in values])
    points = np.repeat(base[None], sum(map(len, values)), axis=0)
    ends = np.cumsum([len(one) for one in values])
    for j, one in enumerate(values):
        points[ends[j] - len(one) : ends[j], j] = one
    given = steps.transform(table.frame(points))
    sparse = hasattr(given, "toarray")
    output = np.asarray(given.toarray() if sparse else given)
    if output.dtype.kind != "f":
        return None
    entries: list[Entries | Line] = []
    columns = []
    for j, (one, feature) in enumerate(zip(values, space.features, strict=True)):
        block = output[ends[j] - len(one) : ends[j]]
        own = np.flatnonzero((block != block[0]).any(axis=0))
        block, many = np.ascontiguousarray(block[:, own]), space.count(j) > MOST_VALUES
        line = None
        if space.continuous[j]:
            line = line_of(one, block, scales if many else scales[:1], gap=feature.missing)
            if many and line is None:
                return None
        columns.append(own)
        entries.append(line or Entries(one, block, feature.missing))
    owned = np.concatenate(columns)
    if len(np.unique(owned)) < len(owned):
        return None
    return Direct(table, ask, tuple(entries), tuple(columns), output[0].copy(), sparse)


def _values(space: Space, j: int) -> np.ndarray:
    """The codes of a feature, or a sample of very many; where one may be missing, NaN is last."""
    count = space.count(j)
    many = bool(space.continuous[j]) and count > MOST_VALUES
    values = space.values(j, SAMPLE if many else count)
    return np.append(values, np.nan) if space.features[j].missing else values


def _boosted(estimator: Any, sparse: bool, matrix: np.ndarray) -> np.ndarray:
    """What XGBoost's trees give, without what its own `predict_proba` looks at in each call.

    An entry that is absent in a `sparse` matrix is a missing value to it.
    """
    if matrix.shape[1] > NARROW:
        raise ValueError("so wide a matrix is better sparse")
    if sparse:
        matrix[matrix == 0] = np.nan
    ask = estimator.get_booster().inplace_predict
    said = ask(matrix, missing=estimator.missing, validate_features=False)
    two = said.ndim == 1 and hasattr(estimator, "classes_")
    return np.stack([1.0 - said, said], axis=1) if two else np.asarray(said)


def _agrees(candidate: Direct, probe: np.ndarray, wanted: np.ndarray) -> bool:
    try:
        return np.array_equal(candidate.scores(probe), wanted)
    except Exception:
        return False
