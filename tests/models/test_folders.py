"""Models saved as folders, and files that must be converted."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly
from ifonly.errors import FileError
from ifonly.models.files.load import load_model

from .untrusted import Command

RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {"age": RNG.integers(20, 70, 120) * 1.0, "job": RNG.choice(["clerk", "cook"], 120)}
)
OLD = (DATA["age"] > 45).astype(int)
MLMODEL = """flavors:
  python_function:
    loader_module: mlflow.sklearn
    model_path: {name}
    predict_fn: predict
  {flavor}:
    code: null
    {key}: {name}
mlflow_version: 3.17.2
utc_time_created: '2026-11-16 09:24:07.255014'
"""
"""What MLflow writes beside a model, shortened."""


def fitted() -> Any:
    """A pipeline as people have them: selectors by dtype, imputers, a choice of columns."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    text = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include=np.number)), (text, ["job"])
    )
    return make_pipeline(columns, SelectKBest(k=2), LogisticRegression()).fit(DATA, OLD)


def folder(place: Path, name: str, flavor: str = "sklearn", key: str = "pickled_model") -> Path:
    """A folder as MLflow writes it, without the model's own file."""
    place.mkdir()
    (place / "MLmodel").write_text(MLMODEL.format(name=name, flavor=flavor, key=key))
    return place


def test_a_pipeline_with_imputers_and_selectors_is_a_skops_file_without_trust(
    tmp_path: Path,
) -> None:
    model = fitted()
    skops.io.dump(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert np.array_equal(loaded.predict_proba(DATA), model.predict_proba(DATA))


def test_a_folder_of_mlflow_is_opened_by_the_file_that_it_names(
    refused: Any, tmp_path: Path
) -> None:
    model = fitted()
    pickled = folder(tmp_path / "pickled", "model.pkl")
    (pickled / "model.pkl").write_bytes(pickle.dumps(model))
    refused(FileError, "model.pkl", hint="--trust-pickle", ask=lambda: load_model(pickled))
    loaded = load_model(pickled, trust_pickle=True)
    assert np.array_equal(loaded.predict(DATA), model.predict(DATA))
    safe = folder(tmp_path / "safe", "model.skops")
    skops.io.dump(model, safe / "model.skops")
    answers = ifonly.explain(safe, DATA[:2], data=DATA, k=1)
    assert (model.predict(answers.frame()[list(DATA)]) == answers.wanted).all()
    booster = folder(tmp_path / "booster", "model.lgb", "lightgbm", "data")
    numbers = DATA[["age"]]
    trained = lightgbm.train(
        {"objective": "binary", "verbose": -1}, lightgbm.Dataset(numbers, OLD), 3
    )
    trained.save_model(booster / "model.lgb")
    assert np.array_equal(load_model(booster).predict(numbers), trained.predict(numbers))


def test_a_folder_of_mlflow_names_no_file_outside(refused: Any, tmp_path: Path) -> None:
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(Command(tmp_path / "ran")))
    place = folder(tmp_path / "model", "../model.pkl")
    ask = lambda: load_model(place, trust_pickle=True)  # noqa: E731
    refused(FileError, "outside", hint="Copy", ask=ask)
    assert not (tmp_path / "ran").exists()
    (place / "MLmodel").write_text("flavors: [")
    refused(FileError, "MLmodel", hint="again", ask=ask)


def test_what_only_mlflow_or_autogluon_opens_needs_trust(refused: Any, tmp_path: Path) -> None:
    own = folder(tmp_path / "own", "python_model.pkl", "python", "path")
    refused(FileError, "own", hint=r"mlflow\.pyfunc\.load_model", ask=lambda: load_model(own))
    place = tmp_path / "gluon"
    place.mkdir()
    (place / "predictor.pkl").write_bytes(pickle.dumps(Command(tmp_path / "ran")))
    refused(FileError, "gluon", hint="TabularPredictor", ask=lambda: load_model(place))
    assert not (tmp_path / "ran").exists()
    ask = lambda: load_model(tmp_path)  # noqa: E731
    refused(FileError, "folder", hint="MLmodel", ask=ask)


@pytest.mark.parametrize(
    ("ending", "hint"),
    [("pmml", r"sklearn-pmml-model.*\.onnx"), ("pth", r"load_state_dict"), ("keras", r"\.onnx")],
)
def test_a_file_of_another_format_names_the_conversion(
    refused: Any, tmp_path: Path, ending: str, hint: str
) -> None:
    path = tmp_path / f"model.{ending}"
    path.write_text("<PMML/>")
    refused(FileError, path.name, hint=hint, ask=lambda: load_model(path))
