"""The boosting libraries' own forms: Boosters, rounds that stopped early, frames of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ifonly import Space
from ifonly.models import adapt
from ifonly.models.reading import Trees, check_reading, read
from ifonly.testing import random_codes


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    """Numbers with gaps, and text."""
    rng, n = np.random.default_rng(3), 300
    frame = pd.DataFrame(
        {
            "job": rng.choice(["Sales", "Tech", "Law", "none"], n),
            "age": rng.integers(18, 90, n).astype(float),
            "income": np.round(rng.lognormal(8, 0.5, n), 2),
            "grade": rng.choice(["low", "mid"], n),
        }
    )
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    return frame


@pytest.fixture(scope="module")
def outcome(data: pd.DataFrame) -> np.ndarray:
    number = data["age"].fillna(40) / 20 + np.log(data["income"]) + 2 * (data["job"] == "Tech")
    return np.digitize(number, np.quantile(number, [0.3, 0.7]))


def agree(model: Any, data: Any, categorical: tuple[str, ...] = ()) -> Trees:
    """The reading of a model, which says on thousands of points what the model says."""
    space = Space.infer(data, categorical=categorical)
    codes = space.codes(data)
    adapted = adapt(model, space, codes[:5])
    reading = read(model, adapted, space, codes)
    assert isinstance(reading, Trees)
    points = np.concatenate([codes, random_codes(space, 2000, 0)])
    assert np.abs(reading.scores(points) - adapted.scores(points)).max() < 1e-5
    check_reading(reading, adapted, space, codes)
    return reading


def as_categories(data: pd.DataFrame) -> pd.DataFrame:
    return data.astype({"job": "category", "grade": "category"})


def test_a_booster_of_xgboost_and_its_file(
    data: pd.DataFrame, outcome: np.ndarray, tmp_path: Path
) -> None:
    import xgboost

    matrix = xgboost.DMatrix(as_categories(data), outcome, enable_categorical=True)
    options = {"objective": "multi:softmax", "num_class": 3, "nthread": 1, "max_cat_to_onehot": 1}
    booster = xgboost.train(options, matrix, 6)
    agree(booster, as_categories(data))
    agree(booster, data)  # with text, as a CSV file has it
    booster.save_model(tmp_path / "model.ubj")
    agree(xgboost.Booster(model_file=tmp_path / "model.ubj"), data)
    numbers = data[["income", "age"]]
    matrix = xgboost.DMatrix(numbers, outcome > 0)
    agree(xgboost.train({"objective": "binary:logistic", "nthread": 1}, matrix, 6), numbers)


def test_a_booster_of_lightgbm_and_its_file(
    data: pd.DataFrame, outcome: np.ndarray, tmp_path: Path
) -> None:
    import lightgbm

    options = {"objective": "multiclass", "num_class": 3, "verbose": -1, "num_threads": 1}
    small = {"min_data_per_group": 5, "cat_smooth": 1, "min_data_in_leaf": 4}
    training = lightgbm.Dataset(as_categories(data), outcome)
    booster = lightgbm.train({**options, **small}, training, 6)
    agree(booster, as_categories(data))
    agree(booster, data)
    booster.save_model(tmp_path / "model.txt")
    agree(lightgbm.Booster(model_file=tmp_path / "model.txt"), data)


def test_rounds_after_the_best_are_left_out(data: pd.DataFrame, outcome: np.ndarray) -> None:
    import lightgbm
    import xgboost

    numbers = data[["age", "income"]]
    noise = np.random.default_rng(0).integers(0, 3, len(outcome))
    labels = np.where(np.random.default_rng(1).random(len(outcome)) < 0.5, outcome, noise)
    train, held = (numbers[:200], labels[:200]), (numbers[200:], labels[200:])
    stopped = xgboost.XGBClassifier(n_estimators=60, n_jobs=1, early_stopping_rounds=4)
    stopped.fit(*train, eval_set=[held], verbose=False)
    assert len(agree(stopped, numbers).trees) == 3 * (stopped.best_iteration + 1)
    light = lightgbm.LGBMClassifier(n_estimators=60, n_jobs=1, verbose=-1)
    light.fit(
        *train,
        eval_X=held[0],
        eval_y=held[1],
        callbacks=[lightgbm.early_stopping(4, verbose=False)],
    )
    assert len(agree(light, numbers).trees) == 3 * light.best_iteration_


def test_a_forest_of_xgboost(data: pd.DataFrame, outcome: np.ndarray) -> None:
    import xgboost

    model = xgboost.XGBRFClassifier(n_estimators=5, n_jobs=1, enable_categorical=True)
    model.fit(as_categories(data), outcome)
    assert len(agree(model, as_categories(data)).trees) == 15


def test_categories_in_another_order_than_the_trainings(
    data: pd.DataFrame, outcome: np.ndarray
) -> None:
    import lightgbm
    import xgboost

    turned = as_categories(data)
    turned["job"] = turned["job"].cat.reorder_categories(["none", "Tech", "Law", "Sales"])
    light = lightgbm.LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1, cat_smooth=1)
    heavy = xgboost.XGBClassifier(n_estimators=5, n_jobs=1, enable_categorical=True)
    for model in (light, heavy):
        agree(model.fit(as_categories(data), outcome), turned)


def test_columns_in_another_order_than_the_trainings(
    data: pd.DataFrame, outcome: np.ndarray
) -> None:
    known = data.assign(age=data["age"].fillna(40))
    columns = make_column_transformer(
        (StandardScaler(), ["income", "age"]), (OneHotEncoder(), ["grade", "job"])
    )
    forest = RandomForestClassifier(5, max_depth=5, random_state=0)
    model = make_pipeline(columns.set_output(transform="default"), forest).fit(known, outcome)
    agree(model, known[["age", "grade", "income", "job"]])
    bare = RandomForestClassifier(5, max_depth=5, random_state=0)
    agree(bare.fit(known[["income", "age"]], outcome), known[["age", "income"]])
    agree(bare.fit(known[["age", "income"]].to_numpy(), outcome), known[["age", "income"]])


def test_frames_between_the_steps_and_polars_before_them(
    data: pd.DataFrame, outcome: np.ndarray
) -> None:
    import lightgbm
    import polars

    known = data.assign(age=data["age"].fillna(40))
    columns = make_column_transformer(
        (StandardScaler(), ["income", "age"]), (OneHotEncoder(sparse_output=False), ["job"])
    )
    light = lightgbm.LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1)
    model = make_pipeline(columns, light).set_output(transform="pandas").fit(known, outcome)
    agree(model, known)
    forest = RandomForestClassifier(5, max_depth=5, random_state=0)
    table = polars.from_pandas(known)
    agree(make_pipeline(columns, forest).fit(table, outcome), table)
