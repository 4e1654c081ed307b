"""A feature that is said to be ignored can have any value: the scores stay."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.models import Model, adapt
from ifonly.models.reading.ignored import ignored_features
from ifonly.models.reading.points import spread
from ifonly.models.reading.trees.ensembles import opened


def found_ignored(model: Any, adapted: Model, space: Any, codes: np.ndarray) -> np.ndarray:
    return ignored_features(model, opened(model, space), adapted, space, codes)


NUMBERS, TEXTS = ["age", "zip", "income", "price"], ["job", "city"]
SEEDS = range(6)


def table(seed: int) -> pd.DataFrame:
    """The columns in any order: of these, age, income and job decide."""
    rng, n = np.random.default_rng(seed), 150
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "zip": rng.integers(0, 50, n),
            "income": rng.lognormal(8, 0.5, n).round(2),
            "price": rng.normal(0, 3, n).round(1),
            "job": rng.choice(list("abc"), n),
            "city": rng.choice(["x", "y", "z"], n),
        }
    )
    return frame[list(rng.permutation(frame.columns))]


def outcome(frame: pd.DataFrame) -> np.ndarray:
    number = frame["age"] / 20 + np.log(frame["income"]) + (frame["job"] == "a")
    return np.asarray(number > number.median()).astype(int)


def behind(*steps: Any, drop: tuple[str, ...] = ()) -> Pipeline:
    """A pipeline whose first step drops some columns, scales the others and encodes text."""
    columns = make_column_transformer(
        (StandardScaler(), [name for name in NUMBERS if name not in drop]),
        (OneHotEncoder(), [name for name in TEXTS if name not in drop]),
    )
    return make_pipeline(columns, *steps)


def nested(estimator: Any) -> Any:
    """Pipelines in a column transformer, columns by their kind, and a selection after it."""
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(r"age|income|zip")),
        (OrdinalEncoder(), ["city", "job"]),
        ("drop", ["price"]),
    )
    return make_pipeline(make_pipeline(columns, SelectKBest(k=3)), estimator)


def numbers(estimator: Any) -> Any:
    return make_pipeline(make_column_transformer(("passthrough", NUMBERS)), estimator)


def xgboost() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1)


def lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=3, max_depth=2, verbose=-1, n_jobs=1)


READ: dict[str, Callable[[], Any]] = {
    "dropped": lambda: behind(LogisticRegression(), drop=("zip", "city")),
    "lasso": lambda: behind(Lasso(0.05)),
    "sparse weights": lambda: behind(LogisticRegression(C=0.05, solver="liblinear", penalty="l1")),
    "tree": lambda: behind(DecisionTreeClassifier(max_depth=2)),
    "forest": lambda: behind(RandomForestClassifier(3, max_depth=2), drop=("price",)),
    "boosting": lambda: behind(GradientBoostingRegressor(n_estimators=3, max_depth=1)),
    "histogram": lambda: behind(HistGradientBoostingClassifier(max_iter=2, max_depth=2)),
    "xgboost": lambda: behind(xgboost()),
    "lightgbm": lambda: behind(lightgbm()),
    "searched": lambda: behind(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2]}, cv=2)),
    "nested": lambda: nested(DecisionTreeClassifier(max_depth=2)),
    "network": lambda: behind(MLPClassifier((4,), max_iter=20), drop=("price",)),
}


def prepared(model: Any, seed: int) -> tuple[Model, Any, np.ndarray, np.ndarray]:
    """The fitted model over its space, the space, the codes, and what is said to be ignored."""
    frame = table(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(frame, outcome(frame))
    space = ifonly.Space.infer(frame)
    codes = space.codes(frame)
    adapted = adapt(model, space, codes[:5])
    return adapted, space, codes, found_ignored(model, adapted, space, codes)


def check_ignored(adapted: Model, space: Any, codes: np.ndarray, ignored: np.ndarray) -> None:
    rows = np.concatenate([codes, spread(space, 200, seed=8)])
    others = np.where(ignored, spread(space, len(rows), seed=9), rows)
    np.testing.assert_allclose(adapted.scores(rows), adapted.scores(others), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", READ)
def test_what_is_ignored_never_changes_the_scores(kind: str) -> None:
    count = 0
    for seed in SEEDS:
        adapted, space, codes, ignored = prepared(READ[kind](), seed)
        check_ignored(adapted, space, codes, ignored)
        assert not ignored.all()
        count += ignored.sum()
    assert count >= len(SEEDS), "next to nothing was found"


def test_readable_models_of_every_kind_claim_nothing_that_is_wrong(any_example: Any) -> None:
    _, adapted, space, codes, model = vars(any_example).values()
    check_ignored(adapted, space, codes, found_ignored(model, adapted, space, codes))


def test_a_network_without_weights_for_a_feature_ignores_it() -> None:
    torch = pytest.importorskip("torch")
    space = ifonly.Space.infer(table(0))
    module = torch.nn.Sequential(
        torch.nn.Linear(space.offsets[-1], 5), torch.nn.ReLU(), torch.nn.Linear(5, 2)
    ).eval()
    silent = [space.index("zip"), space.index("city")]
    with torch.no_grad():
        module[2].bias += torch.tensor([5.0, -5.0])  # logits, as their range says
        for j in silent:
            module[0].weight[:, space.offsets[j] : space.offsets[j + 1]] = 0
    codes = space.codes(table(0))
    model = ifonly.as_model(module, inputs="units")
    adapted = adapt(model, space, codes[:5])
    ignored = found_ignored(model, adapted, space, codes)
    assert np.flatnonzero(ignored).tolist() == sorted(silent)
    check_ignored(adapted, space, codes, ignored)


def test_a_perceptron_without_weights_for_a_column_ignores_its_feature() -> None:
    for activation in ("relu", "tanh", "identity"):
        model = behind(MLPClassifier((4,), max_iter=5, activation=activation))
        frame = table(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(frame, outcome(frame))
        model[-1].coefs_[0][NUMBERS.index("zip")] = 0
        space = ifonly.Space.infer(frame)
        codes = space.codes(frame)
        adapted = adapt(model, space, codes[:5])
        ignored = found_ignored(model, adapted, space, codes)
        assert [space.names[j] for j in np.flatnonzero(ignored)] == ["zip"]
        check_ignored(adapted, space, codes, ignored)


class Mixing(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A step of the user's own: what it reads is not known."""

    def fit(self, X: Any, y: Any = None) -> Mixing:
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X)


class Late(DecisionTreeClassifier):  # type: ignore[misc]
    """A tree whose scores also depend on a column that it does not split, for one value of it."""

    def predict_proba(self, X: Any, check_input: bool = True) -> np.ndarray:
        share = np.where(np.asarray(X)[:, 1] == 49.0, 0.25, super().predict_proba(X)[:, 1])
        return np.stack([1 - share, share], axis=1)


@pytest.mark.parametrize(
    "model",
    [
        behind(Mixing(), DecisionTreeClassifier(max_depth=1)),
        behind(Normalizer(), DecisionTreeClassifier(max_depth=1)),
        numbers(Late(max_depth=1)),
        behind(SVC(kernel="linear")),
        behind(GradientBoostingRegressor(n_estimators=1, max_depth=1, init=Lasso(1e-3))),
    ],
    ids=["own step", "normalizer", "own tree", "machine", "boosted regression"],
)
def test_nothing_is_claimed_of_what_may_read_more(model: Any) -> None:
    assert not prepared(model, 0)[3].any()


def test_nothing_is_claimed_of_a_function() -> None:
    data = table(0)
    rich = ifonly.as_model(lambda frame: frame["income"] > 3000, classes=["no", "yes"])
    assert ifonly.explain(rich, data[:2], data=data, k=2).ignored == ()


def test_a_method_that_was_put_in_place_of_the_models_own_refutes_the_proof() -> None:
    model = DecisionTreeClassifier(max_depth=1)
    frame = table(0)[NUMBERS]
    model.fit(frame, outcome(table(0)))
    own = model.predict_proba
    model.predict_proba = lambda X: np.where((X[["zip"]] > 25).to_numpy(), own(X), own(X)[:, ::-1])
    space = ifonly.Space.infer(frame)
    codes = space.codes(frame)
    assert not found_ignored(model, adapt(model, space, codes[:5]), space, codes).any()
