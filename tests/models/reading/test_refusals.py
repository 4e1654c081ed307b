"""What cannot be read exactly is refused by name, with what can be done instead."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    SGDClassifier,
)
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
)
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ifonly import Space, as_model
from ifonly.errors import ModelError
from ifonly.models import adapt
from ifonly.models.reading import read

AUTO = "method='auto'"


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"age": rng.integers(0, 60, 200), "income": rng.uniform(1, 9, 200).round(2)}
    )


def boosted(**options: Any) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=3, n_jobs=1, **options)


def light(**options: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1, **options)


def cubic() -> Any:
    return TransformedTargetRegressor(
        Ridge(), func=np.cbrt, inverse_func=lambda value: value**3, check_inverse=False
    )


def started() -> Any:
    return GradientBoostingRegressor(n_estimators=3, init=LinearRegression())


TWO, THREE = 2, 3
REFUSED: dict[str, tuple[Any, int, str, str]] = {
    "no known kind": (AdaBoostClassifier, TWO, "AdaBoostClassifier", "XGBoost's and LightGBM's"),
    "another link": (PoissonRegressor, 0, "PoissonRegressor", AUTO),
    "a kernel": (SVC, TWO, "SVC(kernel='rbf')", "kernel='linear'"),
    "votes of pairs": (lambda: SVC(kernel="linear"), THREE, "3 classes", "LinearSVC"),
    "other probabilities": (
        lambda: SGDClassifier(loss="modified_huber"), TWO, "SGDClassifier(loss='modified_h", AUTO
    ),
    "probabilities apart": (
        lambda: SVC(kernel="linear", probability=True), TWO, "SVC(probability=True)", AUTO
    ),
    "a curve": (lambda: MLPClassifier((3,), "tanh", max_iter=5), TWO, "'tanh'", "'relu'"),
    "an exponential": (
        lambda: MLPRegressor(loss="poisson", max_iter=5), 0, "'exp'", "squared_error"
    ),
    "a mixture": (
        lambda: make_pipeline(PolynomialFeatures(interaction_only=True), DecisionTreeClassifier()),
        TWO, "mixes features: 'age'", AUTO,
    ),
    "a product": (
        lambda: make_pipeline(PolynomialFeatures(interaction_only=True), LogisticRegression()),
        TWO, "mixes features", AUTO,
    ),
    "a logarithm": (
        lambda: make_pipeline(FunctionTransformer(np.log1p), LogisticRegression()),
        TWO, "does not encode 'age' linearly", AUTO,
    ),
    "bins": (
        lambda: make_pipeline(
            KBinsDiscretizer(5, quantile_method="averaged_inverted_cdf"), DecisionTreeClassifier()
        ),
        TWO, "'age' into columns that are not monotone", "keep the order",
    ),
    "a curved target": (cubic, 0, "does not scale the target linearly", AUTO),
    "a start that varies": (started, 0, "a part that varies", AUTO),
    "exponential trees": (
        lambda: HistGradientBoostingRegressor(loss="poisson", max_iter=2), 0, "'poisson'", AUTO
    ),
    "dart": (lambda: boosted(booster="dart"), TWO, "'dart'", "gbtree"),
    "linear boosting": (
        lambda: boosted(booster="gblinear", updater="coord_descent"), TWO, "'gblinear'", "gbtree"
    ),
    "hinge": (lambda: boosted(objective="binary:hinge"), TWO, "'binary:hinge'", "binary:logistic"),
    "vectors": (
        lambda: boosted(multi_strategy="multi_output_tree"), THREE, "vector", "one_output_per_tree"
    ),
    "a number for a gap": (lambda: boosted(missing=7), TWO, "treats 7", "nan"),
    "one against all": (
        lambda: light(objective="multiclassova"), THREE, "'multiclassova", "multiclass"
    ),
    "linear leaves": (lambda: light(linear_tree=True), TWO, "linear model in each", "linear_tree"),
    "zero for a gap": (lambda: light(zero_as_missing=True), TWO, "zero", "zero_as_missing=False"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_by_name(what: str, data: pd.DataFrame, refused: Any) -> None:
    make, classes, told, hint = REFUSED[what]
    number = data["age"] + data["income"]
    outcome = number if classes == 0 else pd.qcut(number, classes, labels=False)
    model = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some have not converged
        model.fit(data, outcome)
    space = Space.infer(data)
    codes = space.codes(data)
    adapted = adapt(model, space, codes[:5])
    refused(ModelError, told, hint=hint, ask=lambda: read(model, adapted, space, codes))


def test_a_function_and_a_model_of_the_users_own_are_refused(
    data: pd.DataFrame, refused: Any
) -> None:
    class Own:
        classes = ("no", "yes")

        def scores(self, codes: np.ndarray) -> np.ndarray:
            return np.tile([0.3, 0.7], (len(codes), 1))

        def decide(self, codes: np.ndarray) -> None:
            return None

    space = Space.infer(data)
    codes = space.codes(data)
    function = as_model(lambda frame: frame["age"] > 9, classes=["no", "yes"])
    for model, kind in ((Own(), "Own"), (function, "Function")):
        adapted = adapt(model, space, codes)
        refused(
            ModelError,
            kind,
            hint=AUTO,
            ask=lambda model=model, adapted=adapted: read(model, adapted, space, codes),
        )


def test_zeros_that_xgboost_takes_for_gaps_are_refused(data: pd.DataFrame, refused: Any) -> None:
    rng = np.random.default_rng(0)
    wide = data.assign(job=rng.choice(list("abcdefghijkl"), len(data)))
    columns = make_column_transformer(
        (MinMaxScaler(), ["age", "income"]), (OneHotEncoder(), ["job"]), sparse_threshold=1
    )
    model = make_pipeline(columns, boosted()).fit(wide, data["age"] + 3 * data["income"] > 40)
    space = Space.infer(wide)
    codes = space.codes(wide)
    adapted = adapt(model, space, codes[:5])
    hint = "sparse_threshold=0"
    refused(ModelError, "= 0", hint=hint, ask=lambda: read(model, adapted, space, codes))


def test_numbers_that_the_model_takes_for_categories_are_refused(
    data: pd.DataFrame, refused: Any
) -> None:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_estimators=3, verbose=-1, n_jobs=1, min_data_per_group=2, cat_smooth=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data, data["age"] % 2, categorical_feature=["age"])
    space = Space.infer(data)
    codes = space.codes(data)
    adapted = adapt(model, space, codes[:5])
    hint = r"categorical=\['age'\]"
    refused(ModelError, "'age'", hint=hint, ask=lambda: read(model, adapted, space, codes))
