"""Fitted models of every kind that can be read, over one table of every kind of feature."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
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
from sklearn.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ifonly import Space
from ifonly.models import Model, adapt
from ifonly.models.reading import Reading, read

NUMBERS = ["age", "income", "height"]
CODED = "plan"


def table(seed: int, *, gaps: bool = False) -> pd.DataFrame:
    """Whole numbers, cents, full and single precision; text, ordered, coded and yes-or-no."""
    rng, n = np.random.default_rng(seed), 160
    frame = pd.DataFrame(
        {
            "job": rng.choice(["Sales", "Tech", "déjà vu", "none, yet"], n),
            "age": rng.integers(18, 90, n),
            "income": np.round(rng.lognormal(8, 0.5, n), 2),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "top"], n), ["low", "mid", "top"], ordered=True
            ),
            "height": rng.normal(0, 9, n),
            CODED: rng.choice([1, 2, 10], n),
            "married": rng.random(n) < 0.5,
        }
    )
    if seed % 2:
        frame["rate"] = np.round(rng.uniform(-1, 1, n), 1).astype(np.float32)
    if gaps:
        frame = frame.astype({"age": float, "job": "category"})
        for name in ("age", "height", "job", "grade"):
            frame.loc[rng.random(n) < 0.2, name] = None
    return frame


def outcome(frame: pd.DataFrame, task: str) -> np.ndarray:
    """Something that every feature plays a part in: two classes, three, or a number."""
    number = (
        frame["age"].fillna(50) / 20
        + np.log(frame["income"])
        + (frame["height"].fillna(3) / 9) * np.where(frame["married"], 1, -1)
        + (frame["job"] == "Tech")
        + (frame["grade"] == "mid")
        + (frame[CODED] == 2)
    ).to_numpy()
    if task == "number":
        return np.asarray(number * 100)
    edges = np.quantile(number, [0.4] if task == "two" else [0.3, 0.6])
    return np.asarray(np.digitize(number, edges))


def numbers(seed: int, estimator: Any) -> tuple[Any, pd.DataFrame]:
    """The estimator alone, on the columns that are numbers."""
    frame = table(seed)
    return estimator, frame.drop(columns=["job", "grade"])


def encoded(seed: int, estimator: Any) -> tuple[Any, pd.DataFrame]:
    """At the end of a pipeline of a scaler and encoders, dense or sparse."""
    frame = table(seed)
    scaler = (StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler())[seed % 4]
    categories = OneHotEncoder(drop=(None, "first", "if_binary")[seed % 3])
    if seed % 5 == 3:
        categories = OrdinalEncoder()
    columns = make_column_transformer(
        (scaler, [name for name in frame if name in (*NUMBERS, "rate")]),
        (categories, ["job", "grade", CODED]),
        remainder="passthrough",
        sparse_threshold=0,
    )
    return make_pipeline(columns, estimator), frame


def imputed(seed: int, estimator: Any) -> tuple[Any, pd.DataFrame]:
    """At the end of a pipeline that fills missing numbers in; a missing category is one more."""
    frame = table(seed, gaps=True)
    fill = make_pipeline(SimpleImputer(add_indicator=seed % 2 == 0), StandardScaler())
    columns = make_column_transformer(
        (fill, NUMBERS), (OneHotEncoder(), ["job", "grade", CODED, "married"])
    )
    return make_pipeline(columns, estimator), frame


def native(seed: int, estimator: Any) -> tuple[Any, pd.DataFrame]:
    """Alone, on a frame with categories and gaps that the library takes as they are."""
    return estimator, table(seed, gaps=True).drop(columns=["married"])


def lightgbm(**options: Any) -> Callable[[str], Any]:
    def make(task: str) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        kind = LGBMRegressor if task == "number" else LGBMClassifier
        quick: dict[str, Any] = {
            "n_estimators": 8,
            "verbose": -1,
            "n_jobs": 1,
            "min_data_per_group": 5,
        }
        return kind(**quick, min_child_samples=4, cat_smooth=1, **options)

    return make


def xgboost(**options: Any) -> Callable[[str], Any]:
    def make(task: str) -> Any:
        from xgboost import XGBClassifier, XGBRegressor

        kind = XGBRegressor if task == "number" else XGBClassifier
        return kind(n_estimators=8, n_jobs=1, max_depth=4, enable_categorical=True, **options)

    return make


def either(classifier: Any, regressor: Any) -> Callable[[str], Any]:
    return lambda task: clone(regressor if task == "number" else classifier)


SGD = SGDClassifier(random_state=0)
FOREST = either(
    RandomForestClassifier(6, max_depth=6, random_state=0),
    RandomForestRegressor(6, max_depth=6, random_state=0),
)
HISTOGRAM = either(
    HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=5),
    HistGradientBoostingRegressor(max_iter=6, min_samples_leaf=5),
)
NETWORK = either(
    MLPClassifier((7, 5), max_iter=30, random_state=0),
    MLPRegressor(hidden_layer_sizes=(7, 4, 3), max_iter=30, random_state=0),
)
LINEAR = either(LogisticRegression(max_iter=200), LinearRegression())
SCALED = TransformedTargetRegressor(Ridge(), transformer=StandardScaler())
Place = Callable[[int, Any], tuple[Any, pd.DataFrame]]
Source = tuple[Callable[[str], Any], Place, tuple[str, ...]]
LAYERED: dict[str, Source] = {
    "linear": (LINEAR, encoded, ("two", "three", "number")),
    "linear alone": (LINEAR, numbers, ("two", "three", "number")),
    "linear imputed": (LINEAR, imputed, ("two", "three")),
    "margins": (either(LinearSVC(), Lasso()), encoded, ("two", "three", "number")),
    "machine": (either(SVC(kernel="linear"), SVR(kernel="linear")), encoded, ("two", "number")),
    "ridge": (either(RidgeClassifier(), SCALED), encoded, ("two", "three", "number")),
    "hinge": (either(SGD, Ridge()), encoded, ("two", "three")),
    "odds": (either(clone(SGD).set_params(loss="log_loss"), Ridge()), encoded, ("two", "three")),
    "network": (NETWORK, encoded, ("two", "three", "number")),
    "identity": (lambda _: MLPClassifier(activation="identity", max_iter=9), encoded, ("three",)),
    "network imputed": (NETWORK, imputed, ("two",)),
    "searched": (
        lambda _: GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
        encoded,
        ("two",),
    ),
}
GROWN: dict[str, Source] = {
    "tree": (
        either(DecisionTreeClassifier(max_depth=6), DecisionTreeRegressor(max_depth=6)),
        encoded,
        ("two", "three", "number"),
    ),
    "forest": (FOREST, encoded, ("two", "three", "number")),
    "forest alone": (FOREST, numbers, ("two", "number")),
    "forest imputed": (FOREST, imputed, ("two",)),
    "extra trees": (
        either(
            ExtraTreesClassifier(6, max_depth=6, random_state=0),
            ExtraTreesRegressor(6, max_depth=6, random_state=0),
        ),
        encoded,
        ("three", "number"),
    ),
    "boosting": (
        either(GradientBoostingClassifier(n_estimators=8), GradientBoostingRegressor()),
        encoded,
        ("two", "three", "number"),
    ),
    "exponential": (
        lambda _: GradientBoostingClassifier(n_estimators=8, loss="exponential"), numbers, ("two",)
    ),
    "histogram": (HISTOGRAM, encoded, ("two", "three", "number")),
    "histogram with categories": (HISTOGRAM, native, ("two", "three", "number")),
    "xgboost": (xgboost(), encoded, ("two", "three", "number")),
    "xgboost with categories": (xgboost(), native, ("two", "number")),
    "xgboost with sets": (xgboost(max_cat_to_onehot=1), native, ("two", "three")),
    "lightgbm": (lightgbm(), encoded, ("two", "three", "number")),
    "lightgbm with categories": (lightgbm(), native, ("two", "three", "number")),
    "lightgbm forest": (
        lightgbm(boosting_type="rf", bagging_freq=1, bagging_fraction=0.7), numbers, ("two",)
    ),
}  # fmt: skip
SOURCES = {**LAYERED, **GROWN}
CASES = [(name, task) for name, (_, _, tasks) in SOURCES.items() for task in tasks]
BY_TURNS = [
    (name, tasks[turn % len(tasks)]) for turn, (name, (_, _, tasks)) in enumerate(SOURCES.items())
]


@dataclass(frozen=True)
class Example:
    """A reading, the model over its space, the space, the codes of the data, the fitted model."""

    reading: Reading
    adapted: Model
    space: Space
    codes: np.ndarray
    model: Any


@cache
def read_example(name: str, task: str, seed: int) -> Example:
    make, place, _ = SOURCES[name]
    model, frame = place(seed, make(task))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a network that has not converged is a network
        model.fit(frame, outcome(table(seed, gaps=place in (imputed, native)), task))
    space = Space.infer(frame, categorical=[CODED] if CODED in frame else [])
    codes = space.codes(frame)
    adapted = adapt(model, space, codes[:5])
    reading = read(model, adapted, space, np.asarray(space.round(codes)))
    return Example(reading, adapted, space, codes, model)


@pytest.fixture(scope="session")
def example() -> Callable[[str, str, int], Example]:
    """A source of SOURCES, by its name, its task and a seed, fitted and read."""
    return read_example


@pytest.fixture(params=CASES, ids=" ".join, scope="session")
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The name and the task of every source in turn."""
    name, task = request.param
    return name, task


@pytest.fixture(scope="session")
def cases() -> list[tuple[str, str]]:
    """The name and the task of every source."""
    return CASES


@pytest.fixture(params=BY_TURNS, ids=" ".join, scope="session")
def any_example(request: Any) -> Example:
    """Every source in turn, with one of its tasks."""
    return read_example(*request.param, seed=len(" ".join(request.param)))


@pytest.fixture(params=[one for one in BY_TURNS if one[0] in GROWN], ids=" ".join, scope="session")
def tree_example(request: Any) -> Example:
    """Every source of trees in turn, with one of its tasks."""
    return read_example(*request.param, seed=len(" ".join(request.param)))
