"""Gradient, split points and solver derive from one reading of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge, TweedieRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import ifonly
from ifonly.errors import ModelError
from ifonly.models.differentiable import differentiable
from ifonly.models.reading import read
from ifonly.testing import random_codes


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    jobs = np.array(list("abcd"))[rng.integers(0, 4, 300)]
    income = rng.uniform(0, 900, 300).round(1)
    return pd.DataFrame({"income": income, "age": rng.integers(18, 80, 300), "job": jobs})


def piped(model: Any) -> Any:
    encoder = make_column_transformer(
        (OneHotEncoder(), ["job"]), (StandardScaler(), ["income", "age"]), sparse_threshold=1
    )
    return make_pipeline(encoder, model)


def searched(model: Any) -> Any:
    return GridSearchCV(model, {}, cv=2)


NETWORKS = {
    "logistic": lambda: piped(LogisticRegression()),
    "best of a search": lambda: searched(piped(LogisticRegression())),
    "pipeline in a pipeline": lambda: piped(make_pipeline(searched(LogisticRegression()))),
    "identity network": lambda: piped(MLPClassifier((4,), "identity", solver="lbfgs", alpha=1.0)),
    "sparse plane": lambda: piped(SVC(kernel="linear")),
    "discriminant": lambda: make_pipeline(
        make_column_transformer((StandardScaler(), ["income", "age"])), LinearDiscriminantAnalysis()
    ),
    "scaled target": lambda: TransformedTargetRegressor(
        piped(Ridge()), transformer=StandardScaler()
    ),
    "straight link": lambda: piped(TweedieRegressor(power=0)),
}


@pytest.mark.parametrize("kind", NETWORKS)
def test_the_gradient_is_that_of_the_layers_which_a_solver_reads(
    kind: str, data: pd.DataFrame
) -> None:
    outcome = data["income"] + 5 * data["age"] + 300 * (data["job"] == "b")
    number = kind in ("scaled target", "straight link")
    model = NETWORKS[kind]().fit(data, outcome if number else outcome > outcome.median())
    space = ifonly.Space.infer(data)
    codes = space.codes(data)
    adapted = ifonly.models.adapt(model, space, codes)
    points = random_codes(space, 200, seed=1)
    logits = differentiable(model, adapted, space, codes).logits(space.units(points))
    margins = read(model, adapted, space, codes).margins(points)
    np.testing.assert_allclose(logits[:, -1:], margins, rtol=1e-9, atol=1e-9)


def test_a_module_that_ends_in_probabilities_has_the_gradient_of_its_logits(
    data: pd.DataFrame,
) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    space = ifonly.Space.infer(data)
    body = [torch.nn.Linear(space.offsets[-1], 6), torch.nn.ReLU(), torch.nn.Linear(6, 2)]
    module = torch.nn.Sequential(*body, torch.nn.LogSoftmax(dim=1))
    codes = space.codes(data)
    model = ifonly.as_model(module, inputs="units")
    adapted = ifonly.models.adapt(model, space, codes)
    units, weights = space.units(codes), np.tile([-1.0, 1.0], (len(codes), 1))
    given = differentiable(model, adapted, space, codes).logits_gradient(units, weights)[1]
    wanted = adapted.logits_gradient(units, weights)[1]  # by torch, through the whole module
    np.testing.assert_allclose(given, wanted, atol=1e-5)


def stops_of(model: Any, data: pd.DataFrame) -> dict[int, np.ndarray]:
    return dict(ifonly.Explainer(model, data=data).setting.grid.stops)


def test_the_best_of_a_search_has_the_split_points_of_the_model_itself(data: pd.DataFrame) -> None:
    numbers = data[["income", "age"]]
    search = searched(RandomForestClassifier(5, random_state=0)).fit(numbers, numbers["age"] > 40)
    found, wanted = stops_of(search, numbers), stops_of(search.best_estimator_, numbers)
    assert found.keys() == wanted.keys() == {0, 1}
    for j, stops in wanted.items():
        np.testing.assert_array_equal(found[j], stops)


@pytest.mark.parametrize("kind", ["xgboost", "lightgbm"])
def test_trees_that_a_solver_cannot_use_have_split_points_all_the_same(
    kind: str, data: pd.DataFrame
) -> None:
    library = pytest.importorskip(kind)
    numbers = data[["income", "age"]]
    regressor, name = {
        "xgboost": ("XGBRegressor", "count:poisson"),
        "lightgbm": ("LGBMRegressor", "poisson"),
    }[kind]
    model = getattr(library, regressor)(n_estimators=5, objective=name, n_jobs=1)
    model.set_params(**({"verbose": -1} if kind == "lightgbm" else {}))
    model.fit(numbers, numbers["age"])
    assert len(stops_of(model, numbers)[1]) > 4
    with pytest.raises(ModelError, match="objective"):
        ifonly.Explainer(model, data=numbers, method="exact")


def test_a_model_of_another_kind_has_neither(data: pd.DataFrame) -> None:
    numbers = data[["income", "age"]]
    model = SVC(kernel="rbf").fit(numbers, numbers["age"] > 40)
    assert stops_of(model, numbers) == {}
    with pytest.raises(ModelError, match="SVC has no gradient"):
        ifonly.Explainer(model, data=numbers, method="gradient")
    with pytest.raises(ModelError, match="not linear"):
        ifonly.Explainer(model, data=numbers, method="exact")
