"""Saved models on the command line: boosters, and files whose types the user trusts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

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
def test_a_saved_booster_explains_rows_of_a_csv_file(
    table: Any, save: Any, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, features, outcome = table
    path = save(folder, features, outcome)
    monkeypatch.chdir(folder)
    words = ["explain", "rows.csv", "--data", "train.csv", "--outcome", "income"]
    words += ["--model", path.name, "-k", "2", "--format", "json"]
    done = (fresh if save is saved_xgboost else run)(*words)
    assert done.code == 0, done.err
    answers = ifonly.Answers.from_json(json.dumps(json.loads(done.out)))
    assert answers.filled.all()


def fresh(*words: str) -> Any:
    """How a command ends in a process of its own, where no library is imported yet."""
    command = [sys.executable, "-m", "ifonly", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr)


@pytest.mark.parametrize("command", ["explain", "evaluate"])
def test_a_type_is_trusted_by_the_option_that_the_error_names(
    run: Any, folder: Path, command: str
) -> None:
    train = pd.read_csv(folder / "loan.csv")
    model = KNeighborsClassifier(n_jobs=1).fit(train[["income", "debt"]], train["loan"])
    skops.io.dump(model, folder / "near.skops")
    train[["income", "debt", "loan"]].to_csv("few.csv", index=False)
    train[["income", "debt"]][:2].to_csv("asked.csv", index=False)
    train[["income", "debt"]][2:4].assign(query=[0, 1]).to_csv("theirs.csv", index=False)
    asked = ["asked.csv"] if command == "explain" else ["theirs.csv", "--rows", "asked.csv"]
    words = [command, *asked, "--data", "few.csv", "--outcome", "loan", "--model", "near.skops"]
    refused = run(*words)
    assert refused.code == 2
    allowed = re.findall(r"--trust [\w.]+", refused.err)
    assert len(allowed) == len(skops.io.get_untrusted_types(file=folder / "near.skops"))
    assert run(*words, *" ".join(allowed).split()).code == 0


def test_the_input_of_a_torch_module_is_stated(run: Any, folder: Path) -> None:
    import torch

    train = pd.read_csv(folder / "loan.csv")
    numbers = train[["income", "debt"]]
    scaler = StandardScaler().fit(numbers)
    line = LogisticRegression().fit(scaler.transform(numbers), train["loan"])
    module = torch.nn.Linear(2, 1)
    weights = {"weight": torch.tensor(line.coef_), "bias": torch.tensor(line.intercept_)}
    module.load_state_dict(weights)
    joblib.dump(module, folder / "module.joblib")
    skops.io.dump(scaler, folder / "scaler.skops")
    numbers.to_csv(folder / "numbers.csv", index=False)
    numbers[:2].to_csv(folder / "two.csv", index=False)
    words = ["explain", "two.csv", "--data", "numbers.csv", "--model", "module.joblib"]
    words += ["--trust-pickle", "--format", "json", "-k", "2"]
    refused = run(*words)
    assert refused.code == 2
    assert "--inputs" in refused.err
    said = run(*words, "--inputs", "scaler.skops")
    assert said.code == 0
    answers = ifonly.Answers.from_json(said.out)
    decided = line.predict(scaler.transform(answers.frame()[["income", "debt"]]))
    wanted = np.array(answers.wanted)[answers.frame()["query"]]
    assert (decided == line.classes_[wanted]).all()
    odd = run(*words[:5], "loan.skops", "--inputs", "units", "--outcome", "loan")
    assert odd.code == 2
