"""Saved boosters on the command line, with CSV files that know no categories."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ifonly


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame, pd.Series]:
    """A folder with train.csv and rows.csv, and the features with categories and the outcome."""
    data = ifonly.datasets.load("adult")
    folder = tmp_path_factory.mktemp("adult")
    data.frame[:2000].to_csv(folder / "train.csv", index=False)
    data.features[:3].to_csv(folder / "rows.csv", index=False)
    features = data.features[:2000].astype(dict.fromkeys(data.categorical, "category"))
    return folder, features, data.outcome[:2000]


def saved_xgboost(folder: Path, features: Any, outcome: Any) -> Path:
    import xgboost

    model = xgboost.XGBClassifier(n_estimators=10, enable_categorical=True, n_jobs=1)
    model.fit(features, outcome).get_booster().save_model(folder / "model.ubj")
    return folder / "model.ubj"


def saved_lightgbm(folder: Path, features: Any, outcome: Any) -> Path:
    import lightgbm

    model = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1, n_jobs=1).fit(features, outcome)
    model.booster_.save_model(folder / "model.txt")
    return folder / "model.txt"


def saved_catboost(folder: Path, features: Any, outcome: Any) -> Path:
    import catboost

    text = features.astype(dict.fromkeys(features.select_dtypes("category"), "str"))
    model = catboost.CatBoostClassifier(iterations=10, verbose=0, allow_writing_files=False)
    model.fit(text, outcome, cat_features=list(features.select_dtypes("category")))
    model.save_model(str(folder / "model.cbm"))
    return folder / "model.cbm"


@pytest.mark.parametrize("save", [saved_xgboost, saved_lightgbm, saved_catboost])
def test_a_saved_booster_explains_rows_of_a_csv_file(table: Any, save: Any) -> None:
    folder, features, outcome = table
    path = save(folder, features, outcome)
    command = [sys.executable, "-m", "ifonly", "explain", "rows.csv", "--data", "train.csv"]
    command += ["--outcome", "income", "--model", path.name, "-k", "2", "--format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = ifonly.Answers.from_json(json.dumps(json.loads(done.stdout)))
    assert answers.filled.all()
