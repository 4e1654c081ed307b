"""Small tables with few values, and models of every kind that can be read, fitted on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from ifonly import Continuous, Space, as_model
from ifonly.models import Dense

ROWS = 60
LABELS = np.array(["no", "yes", "more"])


@dataclass(frozen=True)
class Fitted:
    """A model, the space it is asked over, and the user's own way to ask it."""

    model: Any
    space: Space
    classes: tuple[Any, ...]
    predict: Callable[[np.ndarray], np.ndarray]
    """From codes [n, d] to classes, or numbers."""
    share: Callable[[np.ndarray], np.ndarray] | None = None
    """From codes [n, d] to the probability of the second of two classes."""


def fitted(kind: str, task: str, rng: np.random.Generator) -> Fitted:
    """A model of a kind for 'two' classes, 'three', or a 'number', on a table of its own."""
    frame = random_table(rng)
    space = random_space(frame, rng)
    if kind in ("dense", "torch"):
        return _network(kind, task, space, rng)
    outcome = _outcome(space, frame, task, rng)
    if task != "number" and kind != "xgboost" and rng.random() < 0.5:
        outcome = LABELS[outcome]
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # a network that has not converged is a network
        model = KINDS[kind](task, frame, int(rng.integers(1000))).fit(frame, outcome)

    def predict(codes: np.ndarray) -> np.ndarray:
        return np.asarray(model.predict(space.rows(codes)))

    def share(codes: np.ndarray) -> np.ndarray:
        return np.asarray(model.predict_proba(space.rows(codes)), dtype=np.float64)[:, 1]

    classes = tuple(np.asarray(getattr(model, "classes_", ())).tolist())
    tells = task == "two" and hasattr(model, "predict_proba")
    return Fitted(model, space, classes, predict, share if tells else None)


def random_table(rng: np.random.Generator) -> pd.DataFrame:
    """Four features to six, with few values each, about a third of which have gaps."""
    names = [f"f{i}" for i in range(int(rng.integers(4, 7)))]
    return pd.DataFrame({name: COLUMNS[rng.integers(len(COLUMNS))](rng) for name in names})


def random_space(frame: pd.DataFrame, rng: np.random.Generator) -> Space:
    """The space of a table; what is missing may be filled in, or go missing, at random."""
    features = []
    for feature in Space.infer(frame).features:
        if feature.missing:
            fill, erase = (bool(rng.random() < 0.6) for _ in range(2))
            feature = replace(feature, fillable=fill, erasable=erase)
        if isinstance(feature, Continuous):
            feature = replace(feature, mad=float(np.round(rng.uniform(0.3, 3), 2)))
        features.append(feature)
    return Space(tuple(features))


def _whole(rng: np.random.Generator) -> Any:
    first = int(rng.integers(-3, 20))
    values = rng.integers(first, first + int(rng.integers(1, 5)), ROWS, endpoint=True)
    return values if rng.random() < 0.7 else _gaps(values.astype(float), rng, np.nan).astype(float)


def _decimals(rng: np.random.Generator) -> Any:
    power = 10 ** int(rng.integers(1, 3))
    values = rng.integers(-2, int(rng.integers(1, 4)), ROWS, endpoint=True) / power
    return values if rng.random() < 0.7 else _gaps(values, rng, np.nan).astype(float)


def _single(rng: np.random.Generator) -> Any:
    return (rng.integers(0, 4, ROWS) / 10).astype(np.float32)


def _text(rng: np.random.Generator) -> Any:
    values = rng.choice(list("pqrs")[: int(rng.integers(1, 5))], ROWS).astype(object)
    return pd.Categorical(values if rng.random() < 0.7 else _gaps(values, rng, None))


def _ordered(rng: np.random.Generator) -> Any:
    levels = ["low", "mid", "top"]
    values = rng.choice(levels, ROWS).astype(object)
    return pd.Categorical(values if rng.random() < 0.7 else _gaps(values, rng, None), levels, True)


def _yes(rng: np.random.Generator) -> Any:
    return rng.random(ROWS) < 0.5


COLUMNS = (_whole, _decimals, _single, _text, _ordered, _yes)


def _gaps(values: np.ndarray, rng: np.random.Generator, gap: Any) -> np.ndarray:
    gapped = values.astype(object)
    gapped[rng.random(len(values)) < 0.2] = gap
    return gapped


def _outcome(space: Space, frame: Any, task: str, rng: np.random.Generator) -> np.ndarray:
    """Something that the features play a part in, alone and in pairs, with noise."""
    units = space.units(space.codes(frame))
    number = units @ rng.normal(size=units.shape[1]) + rng.normal(0, 0.2, len(units))
    number += 2 * units[:, 0] * units[:, -1]
    if task == "number":
        return np.asarray(10 * number)
    shares = [rng.uniform(0.3, 0.7)] if task == "two" else [0.35, 0.7]
    labels = np.digitize(number, np.quantile(number, shares))
    labels[: len(shares) + 1] = np.arange(len(shares) + 1)  # each class occurs
    return np.asarray(labels)


def _network(kind: str, task: str, space: Space, rng: np.random.Generator) -> Fitted:
    """Layers of random weights; those of torch are in single precision, or double."""
    hidden = [int(rng.integers(2, 6)) for _ in range(int(rng.integers(4)))]
    last = {"two": int(rng.integers(1, 3)), "three": 3, "number": 1}[task]
    sizes = [space.offsets[-1], *hidden, last]
    layers = [(rng.normal(size=pair) * 2, rng.normal(size=pair[1])) for pair in pairwise(sizes)]
    classes = {"two": ("no", "yes"), "three": ("a", "b", "c"), "number": ()}[task]
    if kind == "dense":
        model: Any = Dense(layers, space, classes)
        return scored(model, model, space, classes)
    module = sequential(layers, double=bool(rng.random() < 0.3))
    options: Any = {"classes": classes, "gives": "logits"} if classes else {"task": "regression"}
    model = as_model(module, inputs="units", **options)
    return scored(model, model.adapt(space, np.zeros((1, len(space)))), space, classes)


def sequential(layers: Any, *, double: bool) -> Any:
    """The layers as a module of torch."""
    import torch

    parts: list[Any] = []
    for kernel, bias in layers:
        linear = torch.nn.Linear(*kernel.shape)
        linear.load_state_dict({"weight": torch.tensor(kernel.T), "bias": torch.tensor(bias)})
        parts += [linear, torch.nn.ReLU()]
    module = torch.nn.Sequential(*parts[:-1])
    return module.double() if double else module


def scored(model: Any, adapted: Any, space: Space, classes: Any) -> Fitted:
    """A model that is asked for scores; a tie is no decision for any class."""

    def predict(codes: np.ndarray) -> np.ndarray:
        scores = np.asarray(adapted.scores(codes))
        if not classes:
            return scores[:, 0]
        clear = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 1
        return np.where(clear, np.array(classes, dtype=object)[scores.argmax(axis=1)], "neither")

    def share(codes: np.ndarray) -> np.ndarray:
        return np.asarray(adapted.scores(codes), dtype=np.float64)[:, 1]

    return Fitted(model, space, tuple(classes), predict, share if len(classes) == 2 else None)


def _piped(classifier: Any, regressor: Any) -> Callable[..., Any]:
    """Behind imputers, a scaler and an encoder."""

    def make(task: str, frame: pd.DataFrame, seed: int) -> Any:
        numbers = [name for name in frame if frame[name].dtype.kind in "iuf"]
        others = [name for name in frame if name not in numbers]
        fill = make_pipeline(SimpleImputer(add_indicator=seed % 2 == 0), StandardScaler())
        columns = make_column_transformer(
            (fill, numbers), (OneHotEncoder(), others), sparse_threshold=0
        )
        return make_pipeline(columns, _seeded(regressor if task == "number" else classifier, seed))

    return make


def _alone(classifier: Callable[[], Any], regressor: Callable[[], Any]) -> Callable[..., Any]:
    """On the frame as it is: with categories and gaps."""
    return lambda task, _, seed: _seeded((regressor if task == "number" else classifier)(), seed)


def _perceptron(*sizes: int) -> Callable[..., Any]:
    options: dict[str, Any] = {"hidden_layer_sizes": sizes, "max_iter": 60}
    return _piped(MLPClassifier(**options), MLPRegressor(**options))


def _seeded(estimator: Any, seed: int) -> Any:
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return estimator


def _xgboost(name: str) -> Any:
    import xgboost

    return getattr(xgboost, name)(n_estimators=6, max_depth=3, n_jobs=1, enable_categorical=True)


def _lightgbm(name: str) -> Any:
    import lightgbm

    few = {"min_child_samples": 3, "min_data_per_group": 3, "cat_smooth": 1, "min_data_in_bin": 1}
    return getattr(lightgbm, name)(n_estimators=6, num_leaves=6, verbose=-1, n_jobs=1, **few)


KINDS: dict[str, Callable[..., Any]] = {
    "linear": _piped(LogisticRegression(max_iter=200), LinearRegression()),
    "machine": _piped(LinearSVC(), Ridge()),
    "plane": _piped(SVC(kernel="linear"), Ridge()),
    "odds": _piped(SGDClassifier(loss="log_loss", max_iter=50, tol=None), LinearRegression()),
    "network": _perceptron(4),
    "two layers": _perceptron(4, 3),
    "three layers": _perceptron(4, 3, 3),
    "dense": lambda *_: None,
    "torch": lambda *_: None,
    "tree": _piped(DecisionTreeClassifier(max_depth=4), DecisionTreeRegressor(max_depth=4)),
    "forest": _piped(RandomForestClassifier(6, max_depth=4), RandomForestRegressor(6, max_depth=4)),
    "extra trees": _piped(
        ExtraTreesClassifier(5, max_depth=4), ExtraTreesRegressor(5, max_depth=4)
    ),
    "boosting": _piped(
        GradientBoostingClassifier(n_estimators=6), GradientBoostingRegressor(n_estimators=6)
    ),
    "histogram": _alone(
        lambda: HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3),
        lambda: HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3),
    ),
    "xgboost": _alone(lambda: _xgboost("XGBClassifier"), lambda: _xgboost("XGBRegressor")),
    "lightgbm": _alone(lambda: _lightgbm("LGBMClassifier"), lambda: _lightgbm("LGBMRegressor")),
}
GROWN = ("tree", "forest", "extra trees", "boosting", "histogram", "xgboost", "lightgbm")
CASES = [
    (kind, task)
    for kind in KINDS
    for task in ("two", "three", "number")
    if not (kind == "plane" and task == "three") and not (kind == "odds" and task == "number")
]
"""Every kind with every task; a machine of three classes decides by votes, which are not read."""
