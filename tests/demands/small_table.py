"""A small table of loans, and questions about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly import Answers, Refits

RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        "income": RNG.integers(0, 60, 150),
        "debt": RNG.integers(0, 20, 150),
        "job": RNG.choice(["a", "b", "c"], 150),
    }
)
NUMBERS = DATA[["income", "debt"]]
OUTCOME = np.where(NUMBERS["income"] - NUMBERS["debt"] + RNG.normal(0, 8, 150) > 19, "yes", "no")
REFITS = Refits(LogisticRegression(), NUMBERS, OUTCOME, n=5)


def asked(model: Any, q: int = 4) -> pd.DataFrame:
    return pd.DataFrame(NUMBERS[model.predict(NUMBERS) == "no"][:q])


def explained(model: Any, **options: Any) -> Answers:
    return ifonly.explain(model, asked(model), data=NUMBERS, **{"target": "yes", "k": 2, **options})


def points(answers: Answers) -> pd.DataFrame:
    return pd.DataFrame(answers.frame()[["income", "debt"]])
