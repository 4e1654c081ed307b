"""CatBoost models, whose classes and task are read off the model itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ifonly.models.adapters.names import wanted_columns
from ifonly.models.adapters.table import TableModel
from ifonly.models.adapters.threads import allowed_threads
from ifonly.models.protocol import Model
from ifonly.space import Space


def adapt(model: Any, space: Space) -> Model:
    """A CatBoost model as a model over a space."""
    columns = wanted_columns(model.feature_names_ or (), space)
    classes = tuple(np.asarray(model.classes_).tolist())
    if not classes:
        return TableModel(space, (), partial(_predict, model), columns=columns)
    ask = partial(_predict, model, prediction_type="Probability")
    predict = partial(_predict, model, prediction_type="Class")
    return TableModel(space, classes, ask, predict, columns)


def _predict(model: Any, frame: Any, **kind: str) -> Any:
    return model.predict(frame, thread_count=allowed_threads() or -1, **kind)


def load(path: Any) -> Any:
    """The model in a .cbm file."""
    import catboost

    return catboost.CatBoost().load_model(str(path))
