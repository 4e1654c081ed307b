"""From whatever a user calls a model to ifonly's `Model`.

What a model can do is read off its methods. `as_model` wraps a function, for which nothing can be
read off and its user says what it gives.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ifonly.errors import ModelError, OptionError
from ifonly.models.adapters import catboost, lightgbm, onnx, torch, xgboost
from ifonly.models.adapters.pair import PairModel
from ifonly.models.adapters.table import FirstSteps, TableModel, label_index, run, wanted_columns
from ifonly.models.files.load import load_model
from ifonly.models.pace import Meter, Pace
from ifonly.models.protocol import Model
from ifonly.space import Space
from ifonly.space.carry import Carried


@dataclass(frozen=True)
class Function:
    """A function of a frame, and what it gives: the result of `as_model`."""

    function: Callable[[Any], Any]
    classes: tuple[Any, ...] = ()
    gives: str | None = None
    gradient: Callable[..., Any] | None = None
    batch_rows: int | None = None

    def adapt(self, space: Space, probe: np.ndarray) -> Model:
        """The function as a model over a space."""
        if _is_torch(self.function):
            return torch.adapt(self.function, space, probe, classes=self.classes, gives=self.gives)
        if self.gradient is not None:
            return PairModel(space, self.classes, self.function, self.gradient)
        meter = Meter(Pace(self.batch_rows))
        if self.gives == "labels":
            ask = partial(_one_hot, self.function, self.classes)
            return TableModel(space, self.classes, ask, gives="label", meter=meter)
        return TableModel(space, self.classes, self.function, meter=meter)


def as_model(
    function: Callable[[Any], Any],
    *,
    classes: Sequence[Any] | None = None,
    task: str | None = None,
    gives: str | None = None,
    gradient: Callable[..., Any] | None = None,
    batch_rows: int | None = None,
) -> Function:
    """A function of a DataFrame as a model.

    Parameters
    ----------
    function
        A function of a frame that returns probabilities, [n, c] or [n] for the second of two
        classes; with `gives='labels'`, one label per row; with `task='regression'`, one number
        per row. A torch module is asked with units. With `gradient`, a function of units that
        returns logits.
    classes
        The classes, in the order of the probabilities; none for a regression.
    task
        'regression', or None for a classifier.
    gives
        What the function returns: 'probabilities' (the default) or 'labels'; for a torch
        module, 'probabilities' or 'logits'.
    gradient
        A function of units that returns the gradient of the logits (see
        `models.adapters.pair`).
    batch_rows
        The most rows of one call of the function, for a web service: a request that is lost on the
        way is made again.

    Returns
    -------
    Function
        A model that `ifonly.explain` takes.

    Raises
    ------
    OptionError
        The arguments do not fit together; the message says why.

    Examples
    --------
    >>> rich = as_model(lambda frame: frame["income"] > 4000, classes=["no", "yes"])
    >>> rich.classes
    ('no', 'yes')
    """
    if not callable(function):
        raise OptionError(f"as_model expects a function, not {function!r}.")
    if (classes is None) == (task != "regression"):
        raise OptionError(
            f"as_model got classes={classes!r} and task={task!r}.",
            "Say as_model(f, classes=['no', 'yes']) or as_model(f, task='regression').",
        )
    known = ("probabilities", "logits") if _is_torch(function) else ("probabilities", "labels")
    if gives not in (None, *known):
        raise OptionError(f"as_model got gives={gives!r}.", f"It may be {' or '.join(known)}.")
    if classes is not None and len(set(classes)) < 2:
        raise OptionError(f"A classifier needs two classes, not {list(classes)}.")
    if batch_rows is not None:
        given: Any = batch_rows
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            raise OptionError(f"batch_rows is {given!r}.", "It is a whole number of 1 or more.")
        if gradient is not None or _is_torch(function):
            raise OptionError(
                f"batch_rows={batch_rows} has no effect: the function is not asked with frames.",
                "Leave it out.",
            )
    return Function(function, tuple(classes or ()), gives, gradient, batch_rows)


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
    # The boosting libraries are recognised by name, so that none is imported to look.
    kind = f"{type(model).__module__.partition('.')[0]}.{type(model).__name__}"
    if kind == "xgboost.Booster":
        return xgboost.adapt(model, space)
    if kind == "lightgbm.Booster":
        return lightgbm.adapt(model, space)
    if kind.startswith("catboost."):
        return catboost.adapt(model, space)
    if _is_torch(model):
        return torch.adapt(model, space, probe)
    if hasattr(model, "predict"):
        return _estimator(model, space, probe, carried)
    raise ModelError(
        f"{type(model).__name__} is not a model that ifonly knows: it has no predict.",
        "Give a fitted estimator, or wrap a function: ifonly.as_model(f, classes=[...]).",
    )


def _estimator(model: Any, space: Space, probe: np.ndarray, carried: Carried | None) -> Model:
    columns = wanted_columns(getattr(model, "feature_names_in_", ()), space)
    count = getattr(model, "n_features_in_", None)
    # An estimator fitted on an array complains about column names that it never saw.
    bare = not columns and count in (len(space), len(space) + len(space.carry))
    if bare and space.carry and count == len(space):
        columns = space.names
    table = TableModel(space, (), model.predict, columns=columns, bare=bare).carrying(carried)
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
    ask = partial(_one_hot, model.predict, classes)
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


def _is_torch(model: Any) -> bool:
    """Whether a model is a torch module; torch is loaded already if it is one."""
    loaded = sys.modules.get("torch")
    return loaded is not None and isinstance(model, loaded.nn.Module)


def _is_regressor(model: Any) -> bool:
    from sklearn.base import is_regressor

    try:
        return bool(is_regressor(model))
    except (AttributeError, TypeError):  # not scikit-learn's: the probe tells
        return False


def _one_hot(predict: Callable[[Any], Any], classes: tuple[Any, ...], frame: Any) -> Any:
    """Labels as scores of 0 and 1; a regressor's numbers as they are."""
    output = predict(frame)
    if not classes:
        return output
    return np.eye(len(classes))[label_index(output, len(frame), classes)]


def _squashed(decision: Callable[[Any], Any], frame: Any) -> np.ndarray:
    """Decision values as scores in (0, 1) whose largest entry is the class."""
    values = np.asarray(decision(frame), dtype=np.float64)
    if values.ndim == 1:
        return 0.5 * (1 + np.tanh(values / 2))
    shares = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
