"""A small model in a file, which prints when it can, and the same model in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ifonly.contract import Handler
from ifonly.serve.open import ModelFile

LOUD = """
import os
print("loading the model")

def loud(frame):
    print("asked about", len(frame), "rows")
    os.write(1, b"from compiled code\\n")
    return frame[["age", "income"]] / [10, 1000] + (frame[["job"]] == "nurse").to_numpy()
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The model's file, its module, its training rows and its rules."""
    folder = tmp_path_factory.mktemp("loud")
    (folder / "loud_model.py").write_text(LOUD)
    (folder / "rules.txt").write_text("age only increases\n")
    sys.path.insert(0, str(folder))
    from loud_model import loud  # type: ignore[import-not-found]

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, 80),
            "income": rng.integers(10, 60, 80) * 100,
            "job": rng.choice(["clerk", "nurse"], 80),
        }
    )
    granted = np.where(frame["income"] + 20 * frame["age"] > 4300, "granted", "refused")
    model = make_pipeline(FunctionTransformer(loud), LogisticRegression(C=100)).fit(frame, granted)
    joblib.dump(model, folder / "model.joblib")
    frame.assign(loan=granted).to_csv(folder / "train.csv", index=False)
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="session")
def handler(folder: Path) -> Handler:
    """The model as a server opens it."""
    rules = folder / "rules.txt"
    data = folder / "train.csv"
    return ModelFile(
        folder / "model.joblib", data, outcome="loan", rules=rules, trust_pickle=True
    ).load()
