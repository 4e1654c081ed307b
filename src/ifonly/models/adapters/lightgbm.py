"""LightGBM's own Booster, which takes a frame but knows neither labels nor its kind of task."""

from __future__ import annotations

from functools import partial
from typing import Any

from ifonly.errors import ModelError
from ifonly.models.adapters.names import wanted_columns
from ifonly.models.adapters.table import TableModel, with_categories
from ifonly.models.protocol import Model
from ifonly.space import Space

_REGRESSION = ("regression", "huber", "fair", "poisson", "quantile", "mape", "gamma", "tweedie")


def adapt(booster: Any, space: Space) -> Model:
    """A Booster as a model over a space."""
    dump = booster.dump_model(num_iteration=1)
    objective = str(dump.get("objective", "")).split(" ")[0]
    if objective in ("binary", "cross_entropy"):
        classes: tuple[int, ...] = (0, 1)
    elif objective.startswith("multiclass"):
        classes = tuple(range(int(dump["num_class"])))
    elif objective.startswith(_REGRESSION):
        classes = ()
    else:
        raise ModelError(
            f"A Booster with the objective {objective!r} gives no probabilities.",
            "Train with 'binary' or 'multiclass', or wrap a function: ifonly.as_model.",
        )
    columns = wanted_columns(booster.feature_name(), space)
    return TableModel(space, classes, partial(_predict, booster, space), columns=columns)


def _predict(booster: Any, space: Space, frame: Any) -> Any:
    return booster.predict(with_categories(space, frame))


def load(path: Any) -> Any:
    """The Booster in a .txt file."""
    import lightgbm

    return lightgbm.Booster(model_file=path)
