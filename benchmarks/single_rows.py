"""One row at a time, with another rule, weight and diversity each time, on a prepared Explainer."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import ifonly
from ifonly.models import Counted
from peers import ask, columns_of
from pipelines import Fitted, fitted
from published import published

K = 4
Clock = Callable[[], float]
FORMS = ("network", "xgboost", "forest", "logistic")
OUTSIDE = {"network": 6.0, "xgboost": 10.0, "forest": 15.0, "logistic": 10.0}
"""The most milliseconds of a row outside the user's own model."""
TOTAL = {"network": 8.0, "xgboost": 15.0, "forest": 30.0, "logistic": 12.0}
"""What a row should take in all."""
CALLS = 2
"""The most calls of the user's own model after preparation."""


@dataclass(frozen=True)
class Single:
    """Medians over rows that were asked one by one."""

    form: str
    rows: int
    outside: float
    """Milliseconds outside the user's own model; the routes to it count as outside."""
    route: float
    """The part of these that a faster route to the model takes."""
    total: float
    """Milliseconds in all, frame included."""
    calls: float
    """Calls of the user's own model."""
    full: float
    """The share of rows with all answers."""


def model_of(form: str, rows: int) -> tuple[Any, pd.DataFrame, pd.DataFrame]:
    """A model on Adult, its training rows, and rows to explain."""
    if form == "network":
        problem = published("adult")
        return problem.model, problem.train, problem.rows[:rows]
    fit = fit_of(form, rows)
    return fit.pipeline, fit.train, fit.rows


def fit_of(form: str, rows: int) -> Fitted:
    """A fitted pipeline: the forest of 100 trees, XGBoost, or a logistic regression."""
    if form != "logistic":
        return fitted(form, rows)
    fit = fitted("xgboost", rows)
    last = LogisticRegression(max_iter=500)
    return replace(
        fit, name=form, pipeline=make_pipeline(fit.pipeline[0], last).fit(fit.train, fit.outcome)
    )


def question(names: list[str], i: int) -> dict[str, Any]:
    """The i-th question: another rule, weight and diversity than the one before."""
    return {
        "rules": [f"{names[i % len(names)]} fixed"],
        "weights": {names[(i + 3) % len(names)]: 1.0 + i % 7},
        "diversity": 0.4 + 0.02 * (i % 20),
    }


def single(form: str, rows: int = 100, clock: Clock = time.perf_counter) -> Single:
    """What a single row takes; `clock` may be time.process_time on a busy machine."""
    model, train, asked = model_of(form, rows)
    explainer = ifonly.Explainer(model, data=train)
    for i in range(5):  # these warm what every later one finds ready
        explainer.explain(asked[i : i + 1], k=K, **question([*train], i)).frame()
    runs = []
    for i in range(len(asked)):
        with _watched(clock) as (own, route):
            start = clock()
            answers = explainer.explain(asked[i : i + 1], k=K, **question([*train], i + 5))
            answers.frame()
            total = clock() - start
        full = answers.filled.all() or answers.status[0] == "already"
        runs.append((total - sum(own), sum(route), total, len(own), full))
    outside, by_route, total, calls = np.median(runs, axis=0)[:4]
    ms = (1e3 * float(one) for one in (outside, by_route, total))
    return Single(form, len(runs), *ms, float(calls), float(np.mean([run[-1] for run in runs])))


@contextmanager
def _watched(clock: Clock) -> Iterator[tuple[list[float], list[float]]]:
    """The seconds of each call of the user's own model inside, and of each call of a route."""
    own: list[float] = []
    route: list[float] = []
    ask = Counted._asked

    def timed(self: Counted, *args: Any, search: bool = False, **options: Any) -> Any:
        start = clock()
        said = ask(self, *args, search=search, **options)
        if said is not None:
            (route if search and self.route is not self.model else own).append(clock() - start)
        return said

    Counted._asked = timed
    try:
        yield own, route
    finally:
        Counted._asked = ask


def dice_random(form: str, rows: int, seconds: float) -> float:
    """The median milliseconds of dice-ml's `random` on single rows of the same pipeline."""
    fit = fit_of(form, rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipeline.joblib"
        joblib.dump(fit.pipeline, path)
        task = {
            "train": columns_of(fit.train),
            "outcome": fit.outcome.tolist(),
            "continuous": fit.continuous,
            "categorical": fit.categorical,
            "rows": columns_of(fit.rows),
            "pipeline": str(path),
            "method": "random",
            "k": K,
            "seconds": seconds,
            "seed": 0,
        }
        peer = ask("dice", "dice_tabular", task)
    return 1e3 * float(np.median(peer["seconds"]))
