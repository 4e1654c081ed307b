"""Adult as FACTS prepares it, every column a category, and a model that both sides can be given."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

NAMES = (
    *("age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation"),
    *("relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week"),
    *("native_country", "income"),
)
KEPT = (
    *("age", "workclass", "education_num", "marital_status", "occupation", "relationship"),
    *("race", "sex", "hours_per_week"),
)
FIXED = ("age", "race", "sex")
"""What nobody is advised to change."""
HOURS = ("PartTime", "MidTime", "FullTime", "OverTime", "BrainDrain")


@dataclass(frozen=True)
class Added:
    """A logistic regression over levels, as a sum of weights: 1 where it is 0 or more."""

    weights: dict[str, dict[str, float]]
    start: float

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        """[n] 0 or 1."""
        total = np.full(len(rows), self.start)
        for name, weights in self.weights.items():
            total += rows[name].astype(str).map(weights).astype(float).to_numpy()
        return (total >= 0).astype(int)


def binned() -> pd.DataFrame:
    """The rows without missing values, as the paper on FACTS bins them; `income` is 0 or 1."""
    path = Path(os.environ["IFONLY_DATA"]) / "adult_raw.data.gz"
    rows = pd.read_csv(path, names=NAMES, skipinitialspace=True, na_values="?").dropna()
    rows["relationship"] = rows["relationship"].replace(["Husband", "Wife"], "Married")
    hours = pd.cut(rows["hours_per_week"], [0.9, 25, 39, 40, 55, 100], labels=list(HOURS))
    age = pd.qcut(rows["age"], 5)
    rows = rows.assign(hours_per_week=hours.astype(str), age=age.astype(str))
    rows["income"] = (rows["income"] == ">50K").astype(int)
    rows["education_num"] = rows["education_num"].astype(str)
    return rows[[*KEPT, "income"]].reset_index(drop=True)


def fitted(rows: pd.DataFrame) -> Added:
    """The model of rows with their income."""
    encode = OneHotEncoder(sparse_output=False)
    units = encode.fit_transform(rows[list(KEPT)])
    model = LogisticRegression(max_iter=1000).fit(units, rows["income"])
    flat = iter(model.coef_[0].tolist())
    weights: dict[str, dict[str, float]] = {}
    for name, levels in zip(KEPT, encode.categories_, strict=True):
        weights[name] = {str(level): next(flat) for level in levels}
    return Added(weights, float(model.intercept_[0]))


def split() -> tuple[pd.DataFrame, pd.DataFrame, Added]:
    """Training rows, seven of ten, the others, and the model fitted to the first."""
    rows: Any = binned().sample(frac=1, random_state=0).reset_index(drop=True)
    edge = int(0.7 * len(rows))
    train, test = rows[:edge], rows[edge:].reset_index(drop=True)
    return train, test, fitted(train)
