"""The last step of a pipeline, asked with what its other steps would have given.

Building a frame and encoding it costs more than many models do. Where every output column of the
steps before the last depends on one feature, their output can be looked up: the pipeline transforms
one row for each representable value of each feature, once, and the entries are copied from there.
The tables hold the pipeline's own numbers, not a formula's. A number that the steps pass on as it
is needs no table, however many values it has. The route is taken only where it gives bit for bit
the scores of the pipeline on a probe. The judge asks the pipeline itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ifonly.models.adapters.table import TableModel, check_scores, run
from ifonly.models.routes.forest import by_trees

MOST_VALUES = 20_001
"""How many values of one feature are worth a table."""
SAMPLE = 1025
"""By how many of more values it is seen whether they are passed on."""
NARROW = 256
"""Up to how many columns a matrix with missing values is faster than a sparse one."""


@dataclass(frozen=True)
class Direct:
    """A pipeline's last step, and a table a feature of what goes into it."""

    table: TableModel
    ask: Callable[[Any], Any]
    values: tuple[np.ndarray, ...]
    """The codes of each table's entries, sorted; a sample of them, where there are very many."""
    entries: tuple[np.ndarray | None, ...]
    """[values, columns] what each code becomes; None where it is passed on as it is."""
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
        for known, entries, own, code in zip(
            self.values, self.entries, self.columns, codes.T, strict=True
        ):
            if entries is None:
                if not ((code >= known[0]) & (code <= known[-1])).all():
                    return None
                matrix[:, own] = code[:, None]
                continue
            place = np.minimum(np.searchsorted(known, code), len(known) - 1)
            if not np.array_equal(known[place], code):
                return None
            matrix[:, own] = entries[place]
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
    space = table.space
    gaps = any(feature.missing for feature in space.features)
    if gaps or hasattr(estimator, "feature_names_in_"):
        return None  # an estimator that wants a frame
    counts = [space.count(j) for j in range(len(space))]
    many = space.continuous & (np.array(counts) > MOST_VALUES)
    values = [space.values(j, SAMPLE if many[j] else count) for j, count in enumerate(counts)]
    ask = estimator.predict_proba if table.classes else estimator.predict
    try:
        route = _read(model[:-1].transform, table, ask, values, many)
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


def _read(
    transform: Callable[[Any], Any],
    table: TableModel,
    ask: Callable[[Any], Any],
    values: Sequence[np.ndarray],
    many: np.ndarray,
) -> Direct | None:
    """The tables of a transform, or None where there are none.

    Two features share a column, or one of `many` [d] values is not passed on.
    """
    base = np.array([one[0] for one in values])
    points = np.repeat(base[None], sum(map(len, values)), axis=0)
    ends = np.cumsum([len(one) for one in values])
    for j, one in enumerate(values):
        points[ends[j] - len(one) : ends[j], j] = one
    given = transform(table.frame(points))
    sparse = hasattr(given, "toarray")
    output = np.asarray(given.toarray() if sparse else given)
    if output.dtype.kind != "f":
        return None
    entries: list[np.ndarray | None] = []
    columns = []
    for j, one in enumerate(values):
        block = output[ends[j] - len(one) : ends[j]]
        own = np.flatnonzero((block != block[0]).any(axis=0))
        passed = table.space.continuous[j] and (block[:, own] == one[:, None]).all()
        if many[j] and not passed:
            return None
        columns.append(own)
        entries.append(None if passed else np.ascontiguousarray(block[:, own]))
    owned = np.concatenate(columns)
    if len(np.unique(owned)) < len(owned):
        return None
    return Direct(
        table, ask, tuple(values), tuple(entries), tuple(columns), output[0].copy(), sparse
    )


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
