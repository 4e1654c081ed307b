"""Answers do not depend on what the processor has: wide instructions round and sort otherwise.

The same model is asked in two processes, one of which uses NumPy's oldest instructions alone. A
model that multiplies matrices can itself say other scores on another processor, in the last digit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly

ASK = """
import sys, joblib, ifonly
model, data, rows = joblib.load(sys.argv[1])
for options in ({}, {"plausible": 0.2}, {"k": 10, "diversity": 0.9}):
    answers = ifonly.explain(model, rows, data=data, **options)
    print(answers.points.tobytes().hex(), answers.filled.tobytes().hex())
"""
USUAL = """
import numpy as np
from ifonly.plausible.neighbours import Neighbourhood
units = np.random.default_rng(0).integers(0, 3, (900, 6)) / 2.0
print(Neighbourhood.fit(units[:600]).share(units[600:]).tobytes().hex())
"""
MODELS: dict[str, Any] = {
    "boosting": HistGradientBoostingClassifier(max_iter=40, random_state=0),
    "forest": RandomForestClassifier(20, max_depth=6, random_state=0),
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
}


def dispatched() -> list[str]:
    """The instructions that NumPy chooses by the processor, as far as this one has them."""
    core: Any = np._core if hasattr(np, "_core") else np.core  # type: ignore[attr-defined]
    known = core._multiarray_umath
    return [one for one in known.__cpu_dispatch__ if known.__cpu_features__.get(one)]


@pytest.mark.skipif(np.__version__ < "2", reason="not so with NumPy 1")
@pytest.mark.skipif(not dispatched(), reason="this processor has no further instructions")
@pytest.mark.parametrize("name", MODELS)
def test_the_same_answers_with_the_oldest_instructions(name: str, tmp_path: Path) -> None:
    table = ifonly.datasets.load("german_credit")
    data, words = table.features, make_column_selector(dtype_exclude="number")
    coder = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    coded = make_column_transformer((coder, words), remainder="passthrough")
    model = make_pipeline(coded, clone(MODELS[name])).fit(data, table.outcome)
    rows = data[model.predict(data) != table.desired][:12]
    joblib.dump((model, data, rows), tmp_path / "asked")
    assert len({asked(ASK, tmp_path / "asked", **env) for env in ({}, oldest())}) == 1


@pytest.mark.skipif(not dispatched(), reason="this processor has no further instructions")
def test_of_rows_that_are_equally_far_the_same_are_neighbours() -> None:
    assert len({asked(USUAL, **env) for env in ({}, oldest())}) == 1


def oldest() -> dict[str, str]:
    """The environment of a process with the oldest instructions alone."""
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(dispatched())}


def asked(code: str, *arguments: Path, **env: str) -> str:
    """What a process prints, with more in its environment."""
    command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
    done = subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, check=True
    )
    return done.stdout
