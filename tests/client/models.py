"""Models of several kinds, and their data."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "customer": [f"c{i}" for i in range(80)],
        "age": RNG.integers(18, 70, 80),
        "pay": np.where(RNG.random(80) < 0.1, np.nan, RNG.normal(3000, 800, 80).round(1)),
        "member": RNG.random(80) < 0.5,
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, 80), "D"),
        "grade": RNG.choice(["low", "mid", "high"], 80),
    }
)
"""Whole numbers, decimals with gaps, a flag, dates, an order; and carried identifiers."""


def granted(frame: pd.DataFrame) -> np.ndarray:
    """The probability that a row is granted."""
    days = (frame["since"] - pd.Timestamp("2021-01-01")).dt.days
    grade = frame["grade"].map({"low": -1, "mid": 0, "high": 1})
    pay = (frame["pay"].fillna(3000) - 3000) / 800
    score = (frame["age"] - 44) / 15 + pay + grade - days / 300 + frame["member"]
    return np.asarray(1 / (1 + np.exp(-score.astype(float))))
