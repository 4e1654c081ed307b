"""A small space whose every point can be asked about, and fitted models of each kind over it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor
from xgboost import XGBClassifier

from ifonly.problem.goal import Goal, resolve
from ifonly.solve.prepare import Setting, prepare, provided

KINDS = ("linear", "network", "forest", "xgboost", "three", "regression", "line")
RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        "years": RNG.integers(0, 7, 150),
        "job": RNG.choice(["a", "b", "c"], 150),
        "rate": np.where(RNG.random(150) < 0.15, np.nan, np.round(RNG.uniform(0, 1, 150), 1)),
    }
)
RATE = DATA["rate"].fillna(0.4)
VALUE = 0.5 * DATA["years"] + 2 * RATE + (DATA["job"] == "b") + RNG.normal(0, 0.5, 150)
VALUES = {
    "years": np.arange(7.0),
    "job": np.arange(3.0),
    "rate": np.append(np.round(np.linspace(0, 1, 41), 3), np.nan),
}
"""Every value of whole numbers and levels, and values beside the grid of the others."""


@dataclass(frozen=True)
class Fitted:
    """A model, all points of the space, and what the model says of each."""

    model: Any
    setting: Setting
    points: np.ndarray
    said: np.ndarray

    def goal(self, target: Any, rows: np.ndarray) -> Goal:
        """The goal of rows by the points' positions: their own outcome, 'other', or a range."""
        classes = self.setting.model.classes
        if not classes:
            return resolve(target, (), self.said[rows])
        decided = np.searchsorted(np.array(classes), self.said[rows])
        each = [classes[one] for one in decided] if target == "own" else target
        return resolve(each, classes, decided)

    def right(self, goal: Goal) -> np.ndarray:
        """bool [n, points]: which points have the outcome of each goal."""
        if not self.setting.model.classes:
            return (self.said >= goal.low[:, None]) & (self.said <= goal.high[:, None])
        same = (
            np.searchsorted(np.array(self.setting.model.classes), self.said)
            == (goal.wanted[:, None])
        )
        return same if goal.avoided is None else same != goal.avoided[:, None]


@cache
def fitted(kind: str) -> Fitted:
    """One of `KINDS`, fitted and read."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encoded = make_column_transformer((OneHotEncoder(), ["job"]), (numbers, ["years", "rate"]))
    bare = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    model, outcome = {
        "linear": (make_pipeline(encoded, LogisticRegression()), VALUE > 3),
        "network": (
            make_pipeline(
                encoded, MLPClassifier((8, 6), solver="lbfgs", max_iter=60, random_state=0)
            ),
            VALUE > 3,
        ),
        "forest": (
            make_pipeline(encoded, RandomForestClassifier(8)),
            VALUE > 3,
        ),
        "xgboost": (make_pipeline(bare, XGBClassifier(n_estimators=8, n_jobs=1)), VALUE > 3),
        "three": (make_pipeline(encoded, LogisticRegression()), pd.cut(VALUE, 3, labels=False)),
        "regression": (
            make_pipeline(encoded, DecisionTreeRegressor(max_depth=4, random_state=0)),
            VALUE,
        ),
        "line": (make_pipeline(encoded, LinearRegression()), VALUE),
    }[kind]
    regression = kind in ("regression", "line")
    if kind in ("network", "forest", "regression"):
        model.set_params(**{f"{model.steps[-1][0]}__random_state": 0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a network need not be fitted to the end
        model.fit(DATA, outcome if regression else outcome.astype(int))
    setting = provided(prepare(model, DATA, None), frozenset({"reading"}))
    points = np.array(list(product(*(VALUES[name] for name in setting.space.names))))
    return Fitted(model, setting, points, model.predict(setting.space.rows(points)))
