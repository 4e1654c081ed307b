"""Results of statsmodels: they predict numbers, and their model says whether these are
probabilities.

A model of a formula takes a frame. One of arrays takes its columns by place, and a constant among
them that the data need not have.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ifonly.models.adapters.names import wanted_columns
from ifonly.models.adapters.table import TableModel
from ifonly.models.protocol import Model
from ifonly.space import Space

CONSTANT = "const"
"""The name that statsmodels gives to the column of ones."""


def adapt(results: Any, space: Space) -> Model:
    """Fitted results as a model over a space."""
    model = results.model
    classes = _classes(model)
    if getattr(model, "formula", None) is not None:
        return TableModel(space, classes, partial(_numbers, results))
    names = list(model.exog_names)[: model.exog.shape[1]]
    place = names.index(CONSTANT) if CONSTANT in names and CONSTANT not in space.names else None
    stated = [name for name in names if place is None or name != CONSTANT]
    if stated == [f"x{j + 1}" for j in range(len(space))]:
        stated = []  # those of an array, by place
    columns = wanted_columns(stated, space)
    return TableModel(space, classes, partial(_of_array, results, place), columns=columns)


def _classes(model: Any) -> tuple[Any, ...]:
    """The classes of which a model gives probabilities; none of one that predicts numbers."""
    if getattr(model, "labels", None) is not None:  # ordered
        return tuple(np.asarray(model.labels).tolist())
    several = getattr(model, "_ynames_map", None)
    if several:
        return tuple(int(name) if name.isdigit() else name for name in several.values())
    binary = any(base.__name__ == "BinaryModel" for base in type(model).__mro__)
    return (0, 1) if binary or type(getattr(model, "family", None)).__name__ == "Binomial" else ()


def _of_array(results: Any, place: int | None, frame: Any) -> Any:
    """What results predict for the columns of a frame, with a constant at its place."""
    columns = np.asarray(frame.to_numpy(), dtype=np.float64)
    return _numbers(results, columns if place is None else np.insert(columns, place, 1.0, axis=1))


def _numbers(results: Any, given: Any) -> np.ndarray:
    return np.asarray(results.predict(given))
