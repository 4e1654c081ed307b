"""The Adult pipelines that most people have: a forest and gradient-boosted trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from xgboost import XGBClassifier

import ifonly

NAMES = ("forest", "xgboost")


@dataclass(frozen=True)
class Fitted:
    """A pipeline fitted on the Adult training part, and rows of the test part."""

    name: str
    pipeline: Pipeline
    train: pd.DataFrame
    outcome: pd.Series[Any]
    rows: pd.DataFrame
    continuous: tuple[str, ...]
    categorical: tuple[str, ...]
    space: ifonly.Space


def fitted(name: str, rows: int) -> Fitted:
    """The 'forest' of 100 trees or 'xgboost', behind one-hot and scaling, on one thread."""
    data = ifonly.datasets.load("adult")
    train, test = data.split()
    last = (
        RandomForestClassifier(100, random_state=0, n_jobs=1)
        if name == "forest"
        else XGBClassifier(n_jobs=1, random_state=0)
    )
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), list(data.categorical)),
        (StandardScaler(), list(data.continuous)),
    )
    pipeline = make_pipeline(encode, last).fit(train.features, train.outcome)
    asked = test.features.sample(rows, random_state=0)
    space = ifonly.Space.infer(train.features, categorical=data.categorical)
    return Fitted(
        name,
        pipeline,
        train.features,
        train.outcome,
        asked,
        data.continuous,
        data.categorical,
        space,
    )
