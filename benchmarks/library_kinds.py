"""Models of further libraries, in files, and as functions; see model_kinds."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import category_encoders
import joblib
import lightgbm
import numpy as np
import onnxruntime
import pandas as pd
import skops.io
import statsmodels.formula.api as smf
import torch
from catboost import CatBoostClassifier
from imblearn.ensemble import BalancedRandomForestClassifier
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline as resampled
from skl2onnx import to_onnx
from sklearn import ensemble, preprocessing
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from xgboost import XGBClassifier

import ifonly
from cases import NUMBERS, TEXT, Case, Kind, behind, case, encoder, logistic
from data_tables import Table
from ifonly.models.files.load import load_model


def native(estimator: Callable[[list[str]], Any]) -> Kind:
    """An estimator that takes columns of categories itself."""

    def make(one: Table) -> Case | None:
        names = TEXT(one.train)
        if not names:
            return None
        kinds = {name: pd.CategoricalDtype(sorted(one.train[name].unique())) for name in names}
        table = Table(one.train.astype(kinds), one.outcome, one.rows.astype(kinds))
        return case(estimator(names).fit(table.train, table.outcome), table)

    return make


def odd_names(one: Table) -> Case:
    """LightGBM, trained on names without signs; the user's table has spaces and JSON characters."""
    data, rows = pd.get_dummies(one.train), pd.get_dummies(one.rows)
    rows = rows.reindex(columns=data.columns, fill_value=False)
    names = [f'{name}: ["a", {{b}}] %' for name in data]
    cleaned = [re.sub("[^A-Za-z0-9_]+", "", name) for name in names]
    model = lightgbm.LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1, random_state=0)
    model.fit(data.set_axis(cleaned, axis=1), one.outcome)

    def predict(frame: pd.DataFrame) -> Any:
        return model.predict(frame.set_axis(cleaned, axis=1))

    return Case(model, predict, data.set_axis(names, axis=1), rows.set_axis(names, axis=1))


def module(one: Table) -> Case:
    """A torch module, trained behind a transform of the user's."""
    encode = encoder().fit(one.train)
    x = torch.tensor(encode.transform(one.train), dtype=torch.float32)
    y = torch.tensor(one.outcome, dtype=torch.long)
    torch.manual_seed(0)
    network = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)
    )
    step = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(150):
        step.zero_grad()
        torch.nn.functional.cross_entropy(network(x), y).backward()
        step.step()

    def predict(frame: Any) -> Any:
        with torch.no_grad():
            return network(torch.tensor(encode.transform(frame), dtype=torch.float32)).argmax(1)

    model = ifonly.as_model(network, inputs=encode, gives="logits")
    return Case(model, predict, one.train, one.rows)


def saved(ending: str) -> Kind:
    """A pipeline that was saved in a file, and opened by ifonly."""

    def make(one: Table) -> Case:
        model = make_pipeline(encoder(), _regression()).fit(one.train, one.outcome)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"model.{ending}"
            (skops.io if ending == "skops" else joblib).dump(model, path)
            opened = load_model(path, trust_pickle=ending == "joblib")
        return Case(opened, model.predict, one.train, one.rows)

    return make


def exchanged(one: Table) -> Case | None:
    """A pipeline of numbers as an ONNX file, which alone decides."""
    numbers = NUMBERS(one.train)
    if len(numbers) < 2:
        return None
    data, rows = (part[numbers].astype("float32") for part in (one.train, one.rows))
    model = make_pipeline(preprocessing.StandardScaler(), _regression()).fit(data, one.outcome)
    written = to_onnx(model, data[:1].to_numpy(), options={"zipmap": False}).SerializeToString()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(written)
        opened = load_model(path)
    session = onnxruntime.InferenceSession(written, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def predict(frame: pd.DataFrame) -> Any:
        return session.run(None, {name: frame.to_numpy("float32")})[0]

    return Case(opened, predict, data, rows)


def function(gives: str) -> Kind:
    """A function of a frame, which gives probabilities or labels, or asks a service."""

    def make(one: Table) -> Case:
        known = logistic(one)
        if gives == "labels":
            ask = ifonly.as_model(known.predict, classes=[0, 1], gives="labels")
        else:
            most = 200 if gives == "requests" else None
            ask = ifonly.as_model(known.model.predict_proba, classes=[0, 1], batch_rows=most)
        return Case(ask, known.predict, one.train, one.rows)

    return make


def results(one: Table) -> Case | None:
    """The results of a formula of statsmodels, over columns of numbers that are not alike."""
    names = [name for name in NUMBERS(one.train) if one.train[name].nunique() > 2]
    if len(names) not in range(2, 9):
        return None
    data = one.train[names]
    fitted = smf.logit(f"outcome ~ {' + '.join(names)}", data.assign(outcome=one.outcome)).fit(
        disp=0
    )

    def predict(frame: Any) -> Any:
        return (np.asarray(fitted.predict(frame)) > 0.5).astype(int)

    usable = fitted.mle_retvals["converged"] and 0.02 < predict(data).mean() < 0.98
    return Case(fitted, predict, data, one.rows[names]) if usable else None


def _forest() -> Any:
    return ensemble.RandomForestClassifier(20, max_depth=8, random_state=0)


def _regression() -> Any:
    return LogisticRegression(max_iter=2000)


LIBRARIES: dict[str, Kind] = {
    "XGBoost behind one-hot": behind(lambda: XGBClassifier(n_estimators=20, n_jobs=1)),
    "XGBoost, own categories": native(
        lambda _: XGBClassifier(n_estimators=20, n_jobs=1, enable_categorical=True)
    ),
    "LightGBM, own categories": native(
        lambda _: lightgbm.LGBMClassifier(n_estimators=20, n_jobs=1, verbose=-1)
    ),
    "CatBoost, own categories": native(
        lambda names: CatBoostClassifier(
            iterations=20, cat_features=names, verbose=False, allow_writing_files=False
        )
    ),
    "LightGBM, JSON characters in names": odd_names,
    "torch module with inputs": module,
    "ONNX file": exchanged,
    "skops file": saved("skops"),
    "joblib file": saved("joblib"),
    "function": function("probabilities"),
    "function, labels only": function("labels"),
    "function, 200 rows per request": function("requests"),
    "imbalanced-learn pipeline": lambda one: case(
        resampled(encoder(), RandomOverSampler(random_state=0), _regression()).fit(
            one.train, one.outcome
        ),
        one,
    ),
    "imbalanced-learn forest": behind(
        lambda: BalancedRandomForestClassifier(15, max_depth=8, random_state=0)
    ),
    "category_encoders": lambda one: case(
        make_pipeline(category_encoders.CatBoostEncoder(cols=TEXT(one.train)), _forest()).fit(
            one.train, one.outcome
        ),
        one,
    ),
    "statsmodels logit": results,
}
