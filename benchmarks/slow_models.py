"""A slow model: how many of its rows an explained row costs, and what the answers are worth.

The Adult XGBoost pipeline behind a plain function that takes 20 ms for each row. The default
method chooses the surrogate by itself; the same function without the pause is what the default
engine answers for.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from answered import SHOWN, line, ours
from ifonly.search import Engine
from pipelines import Fitted, fitted
from record import Record

PAUSE = 0.02
"""Seconds for each row."""
BATCH, ALONE, K = 50, 20, 4
MOST_BATCH, MOST_ALONE, MOST_PREPARED = 80, 150, 500
WORSE = 0.05
"""By how much of the default's objective the surrogate's may be higher."""


@dataclass
class Paused:
    """The probabilities of a pipeline, so many seconds for each row; it counts them."""

    pipeline: Any
    pause: float
    rows: int = 0

    def __call__(self, frame: pd.DataFrame) -> np.ndarray:
        """[n, 2]"""
        self.rows += len(frame)
        time.sleep(self.pause * len(frame))
        return np.asarray(self.pipeline.predict_proba(frame))


def slow_models(record: Record, case: Fitted | None = None, pause: float = PAUSE) -> None:
    """The surrogate and the default engine on the same rows, and single rows."""
    case = fitted("xgboost", 5 if record.quick else BATCH) if case is None else case
    slow, plain = Paused(case.pipeline, pause), Paused(case.pipeline, 0.0)
    explainer = _prepared(case, slow, "auto")
    prepared, slow.rows, began = slow.rows, 0, time.perf_counter()
    answers = explainer.explain(case.rows, k=K)
    seconds = time.perf_counter() - began
    each = slow.rows / len(case.rows)
    quick = _prepared(case, plain, explainer.method)
    alone = []
    for row in range(min(ALONE, len(case.rows))):
        plain.rows = 0
        quick.explain(case.rows[row : row + 1], k=K)
        alone.append(plain.rows)
    default = _prepared(case, plain, Engine())
    plain.rows = 0
    engine = default.explain(case.rows, k=K)
    mine, theirs = (ours(one, case.rows, case.pipeline.predict) for one in (answers, engine))
    record.table(
        f"A model of {pause * 1000:.0f} ms per row: Adult XGBoost, {len(case.rows)} rows, k = {K}",
        ("method", "model rows per row", "prepared rows", *SHOWN, "extra", "seconds"),
        [
            ["surrogate", each, prepared, *line(mine), int(answers.extra.sum()), seconds],
            [
                "default",
                plain.rows / len(case.rows),
                "",
                *line(theirs),
                int(engine.extra.sum()),
                "",
            ],
        ],
    )
    check = partial(_check, record)
    record.check(
        "A probe chooses the surrogate", answers.record["slow"], str(answers.record["slow"])
    )
    check("model rows per explained row, in a batch", each, MOST_BATCH)
    check("model rows of a single row", max(alone), MOST_ALONE)
    check("model rows to prepare", prepared, MOST_PREPARED)
    whole = mine["full"] == 1 and mine["valid"] == 1
    record.check("Every row full and valid", whole, f"{mine['full']:.3f}, {mine['valid']:.3f}")
    limit = theirs["objective"] + WORSE * abs(theirs["objective"])
    figures = f"{mine['objective']:.4f}, the default's {theirs['objective']:.4f}"
    record.check("Objective within 5 % of the default's", mine["objective"] <= limit, figures)


def _prepared(case: Fitted, model: Paused, method: Any) -> ifonly.Explainer:
    """An explainer of a function."""
    asked = ifonly.as_model(model, classes=[0, 1])
    return ifonly.Explainer(asked, data=case.train, space=case.space, method=method)


def _check(record: Record, what: str, figure: float, most: float) -> None:
    """A figure that may be so much at the most."""
    record.check(f"At most {most} {what}", figure <= most, f"{figure:.1f}")


if __name__ == "__main__":
    slow_models(Record("slow_models"))
