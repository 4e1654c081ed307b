"""Every kind of model that people have, on data with categories, given as it is and as a file."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly

ROWS = 12


def answered(model: Any, data: pd.DataFrame, decide: Callable[[Any], Any], **options: Any) -> None:
    """Every row has all its answers, and what decides for the user says so too."""
    rows = data[:ROWS]
    answers = ifonly.explain(model, rows, data=data, k=3, **options)
    assert set(answers.status) <= {ifonly.Status.FOUND, ifonly.Status.ALREADY}
    frame = answers.frame()
    assert not frame.duplicated(["query", *data.columns]).any()
    decided = np.asarray(decide(frame[list(data.columns)])).ravel()
    wanted = np.array([answers.wanted[q] for q in frame["query"]])
    assert (decided == wanted).all()


def test_xgboost(adult: Any, categories: pd.DataFrame, tmp_path: Path) -> None:
    import xgboost

    _, outcome, _ = adult
    model = xgboost.XGBClassifier(n_estimators=20, enable_categorical=True, n_jobs=1)
    model.fit(categories, outcome)
    answered(model, categories, model.predict)
    booster = model.get_booster()
    answered(booster, categories, model.predict)
    for ending in ("ubj", "json"):
        booster.save_model(tmp_path / f"model.{ending}")
        answered(str(tmp_path / f"model.{ending}"), categories, model.predict)


def test_xgboost_with_three_classes(adult: Any, categories: pd.DataFrame) -> None:
    import xgboost

    thirds = pd.cut(categories["hours_per_week"], [0, 39, 40, 99], labels=False)
    data = categories.drop(columns="hours_per_week")
    model = xgboost.XGBClassifier(n_estimators=10, enable_categorical=True, n_jobs=1)
    model.fit(data, thirds)
    answered(model, data, model.predict, target=2)
    answered(model.get_booster(), data, model.predict, target=0)


def test_lightgbm(adult: Any, categories: pd.DataFrame, tmp_path: Path) -> None:
    import lightgbm

    _, outcome, _ = adult
    model = lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1)
    model.fit(categories, outcome)
    answered(model, categories, model.predict)
    answered(model.booster_, categories, model.predict)
    model.booster_.save_model(tmp_path / "model.txt")
    answered(tmp_path / "model.txt", categories, model.predict)


def test_catboost(adult: Any, tmp_path: Path) -> None:
    import catboost

    features, outcome, names = adult
    model = catboost.CatBoostClassifier(
        iterations=20, verbose=0, cat_features=names, allow_writing_files=False, thread_count=1
    )
    model.fit(features, np.where(outcome == 1, "rich", "poor"))
    answered(model, features, model.predict)
    model.save_model(str(tmp_path / "model.cbm"))
    answered(tmp_path / "model.cbm", features, model.predict)


def test_histogram_boosting_and_a_range(adult: Any, categories: pd.DataFrame) -> None:
    _, outcome, _ = adult
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=20)
    answered(model.fit(categories, outcome), categories, model.predict)
    data = categories.drop(columns="hours_per_week")
    numbers = HistGradientBoostingRegressor(categorical_features="from_dtype", max_iter=20)
    numbers.fit(data, categories["hours_per_week"])
    answers = ifonly.explain(numbers, data[:ROWS], data=data, k=2, target=(42, 46))
    predicted = numbers.predict(answers.frame()[list(data.columns)])
    assert ((predicted >= 42) & (predicted <= 46)).all()
    assert all(status.answered for status in answers.status)


@pytest.mark.parametrize("zipmap", [True, False])
def test_onnx_with_an_input_a_column(adult: Any, tmp_path: Path, zipmap: bool) -> None:
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    features, outcome, names = adult
    numbers = [name for name in features.columns if name not in names]
    encode = make_column_transformer((OneHotEncoder(), names), (StandardScaler(), numbers))
    model = make_pipeline(encode, LogisticRegression(max_iter=500)).fit(features, outcome)
    kinds = {name: StringTensorType if name in names else FloatTensorType for name in features}
    graph = convert_sklearn(
        model,
        initial_types=[(name, kind([None, 1])) for name, kind in kinds.items()],
        options={"zipmap": zipmap},
    )
    (tmp_path / "model.onnx").write_bytes(graph.SerializeToString())
    answered(tmp_path / "model.onnx", features, model.predict)


def test_a_torch_module_and_its_export(adult: Any, tmp_path: Path) -> None:
    import torch

    features, _, _ = adult
    space = ifonly.Space.infer(features)
    torch.manual_seed(3)
    width = space.offsets[-1]
    module = torch.nn.Sequential(
        torch.nn.Linear(width, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1), torch.nn.Sigmoid()
    ).eval()

    def decide(frame: pd.DataFrame) -> np.ndarray:
        units = torch.tensor(space.units(space.codes(frame)), dtype=torch.float32)
        return (module(units).detach().numpy()[:, 0] > 0.5).astype(int)

    answered(ifonly.as_model(module, inputs="units"), features, decide)
    batch = torch.export.Dim("batch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own exporter warns of itself
        program = torch.export.export(
            module, (torch.zeros(4, width),), dynamic_shapes=({0: batch},)
        )
        torch.export.save(program, tmp_path / "model.pt2")
        loaded = ifonly.as_model(
            torch.export.load(tmp_path / "model.pt2").module(),
            classes=[0, 1],
            gives="probabilities",
            inputs="units",
        )
        answered(loaded, features, decide)


def test_a_module_whose_output_says_nothing_must_be_told() -> None:
    import torch

    class Squashed(torch.nn.Module):
        def forward(self, units: Any) -> Any:
            return torch.sigmoid(units.sum(dim=1))

    data = pd.DataFrame({"age": [20, 30, 60], "job": ["a", "b", "a"]})
    with pytest.raises(ifonly.IfonlyError, match="last layer does not say"):
        ifonly.explain(ifonly.as_model(Squashed(), inputs="units"), data, data=data)
