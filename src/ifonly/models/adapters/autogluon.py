"""AutoGluon's TabularPredictor, which names its classes and its task in its own way."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ifonly.models.adapters.names import wanted_columns
from ifonly.models.adapters.table import TableModel
from ifonly.models.protocol import Model
from ifonly.space import Space


def adapt(predictor: Any, space: Space) -> Model:
    """A predictor as a model over a space."""
    columns = wanted_columns(predictor.original_features, space)
    if predictor.problem_type in ("regression", "quantile"):
        return TableModel(space, (), predictor.predict, columns=columns)
    classes = tuple(np.asarray(predictor.class_labels).tolist())
    return TableModel(space, classes, partial(_shares, predictor), predictor.predict, columns)


def load(folder: Path) -> Any:
    """The predictor in a folder."""
    from autogluon.tabular import TabularPredictor

    return TabularPredictor.load(str(folder))


def _shares(predictor: Any, frame: Any) -> np.ndarray:
    """[n, c] the probabilities, in the order of the classes."""
    return np.asarray(predictor.predict_proba(frame)[list(predictor.class_labels)])
