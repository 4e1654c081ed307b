"""XGBoost's own Booster, asked with a DMatrix.

The scikit-learn interface needs nothing of this: it has `predict_proba` and takes the frame. A
Booster knows no labels, so its classes are the numbers that it was trained with.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapters.names import wanted_columns
from ifonly.models.adapters.table import TableModel, with_categories
from ifonly.models.protocol import Model
from ifonly.space import Space


def adapt(booster: Any, space: Space) -> Model:
    """A Booster as a model over a space."""
    learner = json.loads(booster.save_config())["learner"]
    objective = learner["objective"]["name"]
    count = int(learner["learner_model_param"]["num_class"])
    if objective.startswith("multi:"):
        classes = tuple(range(count))
    elif objective == "binary:logistic":
        classes = (0, 1)
    elif objective.startswith(("reg:", "count:", "survival:")):
        classes = ()
    else:
        raise ModelError(
            f"A Booster with the objective {objective!r} gives no probabilities.",
            "Train with 'binary:logistic' or 'multi:softprob', or use ifonly.as_model.",
        )
    columns = wanted_columns(booster.feature_names or (), space)
    ask = partial(_predict, booster, space, len(classes))
    return TableModel(space, classes, ask, columns=columns)


def _predict(booster: Any, space: Space, c: int, frame: Any) -> np.ndarray:
    import xgboost

    matrix = xgboost.DMatrix(with_categories(space, frame), enable_categorical=True)
    output = booster.predict(matrix)
    # multi:softmax gives labels; the scores are there all the same.
    if c > 2 and output.ndim == 1:
        output = booster.predict(matrix, output_margin=True)
        shares = np.exp(output - output.max(axis=1, keepdims=True))
        output = shares / shares.sum(axis=1, keepdims=True)
    return np.asarray(output)


def load(path: Any) -> Any:
    """The Booster in a .ubj or .json file."""
    import xgboost

    return xgboost.Booster(model_file=path)
