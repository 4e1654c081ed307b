"""From whatever a user calls a model to ifonly's `Model`.

What a model can do is read off its methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapters import (
    autogluon,
    catboost,
    lightgbm,
    onnx,
    statsmodels,
    torch,
    xgboost,
)
from ifonly.models.adapters.table import FirstSteps, TableModel, framed, label_scores, run
from ifonly.models.files.load import load_model
from ifonly.models.function import Function
from ifonly.models.protocol import Model
from ifonly.space import Space
from ifonly.space.table.carry import Carried


def adapt(model: Any, space: Space, probe: np.ndarray, carried: Carried | None = None) -> Model:
    """The model over a space.

    Parameters
    ----------
    model
        Any model that `ifonly.explain` takes.
    space
        The features of the model.
    probe
        Codes [n, d] that the model is asked about where its methods do not say what it returns.
    carried
        The columns of some rows that the space carries along.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        It is not a model that ifonly knows.

    Examples
    --------
    >>> space = Space.describe({"name": "income", "low": 0, "high": 9000})
    >>> from ifonly.models import as_model
    >>> rich = as_model(lambda frame: frame["income"] > 4000, classes=["no", "yes"])
    >>> adapt(rich, space, np.array([[5000.0]])).classes
    ('no', 'yes')
    """
    if isinstance(model, str | PathLike):
        model = load_model(Path(model))
    adapted = _adapted(model, space, probe, carried)
    return adapted.carrying(carried) if isinstance(adapted, TableModel) else adapted


def _adapted(model: Any, space: Space, probe: np.ndarray, carried: Carried | None) -> Model:
    if isinstance(model, Function):
        return model.adapt(space, probe)
    if isinstance(model, Model):
        return model
    if isinstance(model, onnx.Graph):
        return onnx.adapt(model, space, probe)
    # Other libraries are recognised by name, so that none is imported to look.
    kind = f"{type(model).__module__.partition('.')[0]}.{type(model).__name__}"
    if kind == "xgboost.Booster":
        return xgboost.adapt(model, space)
    if kind == "lightgbm.Booster":
        return lightgbm.adapt(model, space)
    if kind.startswith("catboost."):
        return catboost.adapt(model, space)
    if kind.startswith("statsmodels."):
        return statsmodels.adapt(model, space)
    if kind == "autogluon.TabularPredictor":
        return autogluon.adapt(model, space)
    if torch.is_module(model):
        raise torch.undeclared(model)
    if hasattr(model, "predict"):
        return _estimator(model, space, probe, carried)
    raise ModelError(
        f"{type(model).__name__} is not a model that ifonly knows: it has no predict.",
        "Give a fitted estimator, or wrap a function: ifonly.as_model(f, classes=[...]).",
    )


def _estimator(model: Any, space: Space, probe: np.ndarray, carried: Carried | None) -> Model:
    table = framed(model, space, model.predict).carrying(carried)
    classes = tuple(np.asarray(getattr(model, "classes_", ())).tolist())
    if hasattr(model, "predict_proba"):
        if classes:
            steps, last = _split(model)
            return replace(
                table, classes=classes, ask=last.predict_proba, predict=last.predict, steps=steps
            )
        columns_given = np.shape(_tried(model.predict_proba, table, probe[:2]))
        c = columns_given[1] if len(columns_given) == 2 else 2
        return replace(table, classes=tuple(range(max(2, c))), ask=model.predict_proba)
    if classes and hasattr(model, "decision_function"):
        ask = partial(_squashed, model.decision_function)
        return replace(table, classes=classes, ask=ask, predict=model.predict, gives="margin")
    if not classes and not _is_regressor(model):
        predicted = np.asarray(_tried(model.predict, table, probe))
        if predicted.dtype.kind != "f":
            classes = tuple(np.unique(predicted).tolist())
    ask = partial(label_scores, model.predict, classes)
    return replace(table, classes=classes, ask=ask, gives="label")


def _tried(ask: Callable[[Any], Any], table: TableModel, probe: np.ndarray) -> Any:
    """What a method of a model returns for codes [n, d]."""
    table.meter.asked += len(probe)
    return run(ask, table.frame(probe))


def _split(model: Any) -> tuple[FirstSteps | None, Any]:
    """The first steps and the last of scikit-learn's own pipeline; another model stays whole."""
    kind = f"{type(model).__module__}.{type(model).__name__}"
    if kind != "sklearn.pipeline.Pipeline" or len(model) < 2:
        return None, model
    if {"predict", "predict_proba"} & vars(model).keys():  # methods of its own
        return None, model
    return FirstSteps(model[:-1].transform), model[-1]


def _is_regressor(model: Any) -> bool:
    from sklearn.base import is_regressor

    try:
        return bool(is_regressor(model))
    except (AttributeError, TypeError):  # not scikit-learn's: the probe tells
        return False


def _squashed(decision: Callable[[Any], Any], frame: Any) -> np.ndarray:
    """Decision values as scores in (0, 1) whose largest entry is the class."""
    values = np.asarray(decision(frame), dtype=np.float64)
    if values.ndim == 1:
        return 0.5 * (1 + np.tanh(values / 2))
    shares = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
