"""Wide tables and many levels: time, memory and full rows by the number of features.

`python wide_tables.py KIND FEATURES ROWS` prints a line of JSON, in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from xgboost import XGBClassifier

import ifonly
from scaling import _forget_peak, _peak

K = 4
KINDS = ("xgboost", "forest", "logistic")
FEATURES = (30, 60, 125, 250, 500)
LEVELS = 1000


def wide(kind: str, features: int, rows: int = 10) -> dict[str, Any]:
    """Figures of one table, measured in a process of its own."""
    ran = subprocess.run(
        [sys.executable, Path(__file__), kind, str(features), str(rows)],
        capture_output=True,
        text=True,
        check=True,
    )
    figures: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return figures


def growth(runs: list[dict[str, Any]]) -> float:
    """How much faster than the features the time of a row grows; at most 1 is wanted."""
    first, last = runs[0], runs[-1]
    return float((last["row"] / first["row"]) / (last["features"] / first["features"]))


def numbers(features: int, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of numbers, a fifth of them informative and as many redundant."""
    x, y = make_classification(
        rows, features, n_informative=features // 5, n_redundant=features // 5, random_state=1
    )
    return pd.DataFrame(x.round(3), columns=[f"f{i}" for i in range(features)]), y


def levels(rows: int, columns: int = 5, count: int = LEVELS) -> tuple[pd.DataFrame, np.ndarray]:
    """Categories of many levels: 5,000 one-hot columns behind a pipeline."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, count, (rows, columns))
    frame = pd.DataFrame(codes, columns=[f"c{i}" for i in range(columns)])
    worth = rng.normal(size=(columns, count))
    y = worth[np.arange(columns), codes].sum(axis=1) > 0.5
    return frame.map(lambda code: f"level {code}"), y.astype(int)


def fitted(kind: str, features: int) -> tuple[Any, pd.DataFrame, pd.DataFrame]:
    """A model, its training rows and others; `kind` may also be 'digits' or 'levels'."""
    if kind == "digits":
        x, y = load_digits(return_X_y=True, as_frame=True)
        return (
            RandomForestClassifier(100, random_state=0).fit(x[:1300], y[:1300]),
            x[:1300],
            x[1300:],
        )
    if kind == "levels":
        x, y = levels(9000)
        encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), list(x)))
        model = make_pipeline(encode, LogisticRegression(max_iter=500))
        return model.fit(x[:8000], y[:8000]), x[:8000], x[8000:]
    x, y = numbers(features, 2000)
    model = {
        "xgboost": XGBClassifier(n_estimators=100, n_jobs=1, random_state=0),
        "forest": RandomForestClassifier(100, random_state=0, n_jobs=1),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
    }[kind]
    return model.fit(x[:1500], y[:1500]), x[:1500], x[1500:]


def measured(kind: str, features: int, rows: int) -> dict[str, Any]:
    """Seconds to prepare, of a single row and of a row of a batch; memory; what came back."""
    model, train, others = fitted(kind, features)
    start = time.perf_counter()
    explainer = ifonly.Explainer(model, data=train)
    prepared = time.perf_counter() - start
    target = "other" if kind == "digits" else 1
    asked = others if kind == "digits" else others[model.predict(others) == 0]
    asked = asked[: rows + 1]
    explainer.explain(asked[:1], k=K, target=target)
    start = time.perf_counter()
    explainer.explain(asked[:1], k=K, target=target)
    single = time.perf_counter() - start
    _forget_peak()
    start = time.perf_counter()
    answers = explainer.explain(asked[1:], k=K, target=target)
    batch = time.perf_counter() - start
    return {
        "kind": kind,
        "features": train.shape[1],
        "prepared": prepared,
        "single": single,
        "row": batch / max(1, len(asked) - 1),
        "memory": _peak(),
        "full": float(answers.filled.all(axis=1).mean()),
        "changed": float(answers.changed().sum(axis=-1)[answers.filled].mean()),
        "extra": float(answers.extra.mean()),
        "sentence": max(len(one) for row in answers.sentences() for one in row),
        "model_rows": answers.record["model_rows"] / max(1, len(asked) - 1),
    }


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
