"""Small tables with few values, and models of every kind that can be read, fitted on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
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

from ifonly import Continuous, Space
from ifonly.models.dense import Dense

TASKS = ("two", "three", "number")
ROWS = 60


@dataclass(frozen=True)
class Fitted:
    """A model, the space it is asked over, and the user's own way to ask it."""

    model: Any
    space: Space
    predict: Callable[[np.ndarray], np.ndarray]
    """From codes [n, d] to classes, or numbers."""
    share: Callable[[np.ndarray], np.ndarray] | None = None
    """From codes [n, d] to the probability of the second of two classes."""


def random_table(rng: np.random.Generator, *, most: int = 6) -> pd.DataFrame:
    """Three features or more, with few values each, about a third of which have gaps."""
    names = [f"f{i}" for i in range(int(rng.integers(3, most + 1)))]
    makers = (_whole, _decimals, _single, _text, _ordered, _yes)
    return pd.DataFrame({name: makers[rng.integers(len(makers))](rng) for name in names})


def random_small_space(frame: pd.DataFrame, rng: np.random.Generator) -> Space:
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


def fitted(kind: str, task: str, rng: np.random.Generator) -> Fitted:
    """A model of a kind for a task, on a table of its own."""
    frame = random_table(rng, most=5 if kind in SLOW else 6)
    space = random_small_space(frame, rng)
    if kind in ("dense", "torch"):
        return _network(kind, task, space, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a network that has not converged is a network
        model = KINDS[kind](task, frame, int(rng.integers(1000)))
        model.fit(frame, _outcome(space, frame, task, rng))

    def predict(codes: np.ndarray) -> np.ndarray:
        return np.asarray(model.predict(space.rows(codes)))

    def share(codes: np.ndarray) -> np.ndarray:
        return np.asarray(model.predict_proba(space.rows(codes)), dtype=np.float64)[:, 1]

    return Fitted(model, space, predict, share if hasattr(model, "predict_proba") else None)


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
        return 10 * number
    shares = [rng.uniform(0.3, 0.7)] if task == "two" else [0.35, 0.7]
    labels = np.digitize(number, np.quantile(number, shares))
    labels[: len(shares) + 1] = np.arange(len(shares) + 1)  # each class occurs
    return labels if rng.random() < 0.5 else np.array(["no", "yes", "more"])[labels]


def _network(kind: str, task: str, space: Space, rng: np.random.Generator) -> Fitted:
    """Layers of random weights; those of torch are in single precision, or double."""
    hidden = [int(rng.integers(2, 6)) for _ in range(int(rng.integers(4)))]
    last = {"two": int(rng.integers(1, 3)), "three": 3, "number": 1}[task]
    sizes = [space.offsets[-1], *hidden, last]
    layers = [(rng.normal(size=(a, b)) * 2, rng.normal(size=b)) for a, b in zip(sizes, sizes[1:])]
    classes = {"two": ("no", "yes"), "three": ("a", "b", "c"), "number": ()}[task]
    if kind == "dense":
        model: Any = Dense(layers, space, classes)
        return _scored(model, model, space, classes)
    import torch

    parts: list[Any] = []
    for kernel, bias in layers:
        linear = torch.nn.Linear(*kernel.shape)
        linear.load_state_dict({"weight": torch.tensor(kernel.T), "bias": torch.tensor(bias)})
        parts += [linear, torch.nn.ReLU()]
    module = torch.nn.Sequential(*parts[:-1])
    if rng.random() < 0.3:
        module = module.double()
    from ifonly import as_model

    options: dict[str, Any] = (
        {"classes": list(classes), "gives": "logits"} if classes else {"task": "regression"}
    )
    model = as_model(module, **options)
    return _scored(model, model.adapt(space, np.zeros((1, len(space)))), space, classes)


def _scored(model: Any, adapted: Any, space: Space, classes: Any) -> Fitted:
    """A model that is asked for scores."""

    def predict(codes: np.ndarray) -> np.ndarray:
        scores = np.asarray(adapted.scores(codes))
        if not classes:
            return scores[:, 0]
        # A tie is no decision for any class.
        best = scores.max(axis=1, keepdims=True)
        clear = (scores == best).sum(axis=1) == 1
        labels = np.array(classes, dtype=object)[scores.argmax(axis=1)]
        return np.where(clear, labels, "neither")

    def share(codes: np.ndarray) -> np.ndarray:
        return np.asarray(adapted.scores(codes), dtype=np.float64)[:, 1]

    return Fitted(model, space, predict, share if len(classes) == 2 else None)


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


def _alone(classifier: Any, regressor: Any) -> Callable[..., Any]:
    """On the frame as it is: with categories and gaps."""

    def make(task: str, frame: pd.DataFrame, seed: int) -> Any:
        return _seeded((regressor if task == "number" else classifier)(), seed)

    return make


def _seeded(estimator: Any, seed: int) -> Any:
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return estimator


def _xgboost(name: str) -> Callable[[], Any]:
    def make() -> Any:
        import xgboost

        return getattr(xgboost, name)(
            n_estimators=6, max_depth=3, n_jobs=1, enable_categorical=True
        )

    return make


def _lightgbm(name: str) -> Callable[[], Any]:
    def make() -> Any:
        import lightgbm

        quick = {"n_estimators": 6, "num_leaves": 6, "verbose": -1, "n_jobs": 1}
        return getattr(lightgbm, name)(
            **quick, min_child_samples=3, min_data_per_group=3, cat_smooth=1, min_data_in_bin=1
        )

    return make


class _Labelled:
    """A classifier of XGBoost, whose labels must be numbers, with any labels."""


KINDS: dict[str, Callable[..., Any]] = {
    "linear": _piped(LogisticRegression(max_iter=200), LinearRegression()),
    "machine": _piped(LinearSVC(), Ridge()),
    "plane": _piped(SVC(kernel="linear"), Ridge()),
    "odds": _piped(SGDClassifier(loss="log_loss", max_iter=50, tol=None), LinearRegression()),
    "network": _piped(MLPClassifier((4,), max_iter=60), MLPRegressor((4,), max_iter=60)),
    "two layers": _piped(MLPClassifier((4, 3), max_iter=60), MLPRegressor((4, 3), max_iter=60)),
    "three layers": _piped(
        MLPClassifier((4, 3, 3), max_iter=60), MLPRegressor((4, 3, 3), max_iter=60)
    ),
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
    "xgboost": _alone(_xgboost("XGBClassifier"), _xgboost("XGBRegressor")),
    "lightgbm": _alone(_lightgbm("LGBMClassifier"), _lightgbm("LGBMRegressor")),
    "dense": lambda *_: None,
    "torch": lambda *_: None,
}
SLOW = ("two layers", "three layers", "dense", "torch")
LAYERED = (
    "linear",
    "machine",
    "plane",
    "odds",
    "network",
    "two layers",
    "three layers",
    "dense",
    "torch",
)
GROWN = tuple(kind for kind in KINDS if kind not in LAYERED)
