"""Anybody's answers, measured in the same way: judged by the model, with ifonly's distance.

Shares are over all rows asked and all k places, so that a gap counts as a missing answer. Distance,
det K, pairwise distance and objective are over the points that were given, valid or not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from ifonly.metrics import evaluate

Predict = Callable[[pd.DataFrame], np.ndarray]
SHOWN = ("full", "valid", "unique", "objective", "distance", "det", "pairwise", "changed")


def measured(
    answers: pd.DataFrame, rows: pd.DataFrame, space: ifonly.Space, k: int, predict: Predict
) -> dict[str, float]:
    """The means over rows of a frame of answers with a column `query`.

    full: rows with k valid answers that differ; valid: answers with the other outcome, of k;
    unique: valid and no repeat, of k.
    """
    names = list(space.names)
    valid = np.zeros(len(answers), dtype=bool)
    if len(answers):
        before = np.asarray(predict(rows[names]))[answers["query"].to_numpy()]
        valid = np.asarray(predict(answers[names])) != before
    table = evaluate(answers, rows, space, k=k, valid=valid)
    return {
        "full": float((table["valid_unique"] > 1 - 0.5 / k).mean()),
        "valid": float(valid.sum() / (k * len(rows))),
        "unique": float(table["valid_unique"].mean()),
        **{name: float(table[name].mean()) for name in ("objective", "distance", "det")},
        "pairwise": float(table["pairwise_distance"].mean()),
        "changed": float(table["changed"].mean()),
    }


def ours(answers: ifonly.Answers, rows: pd.DataFrame, predict: Predict) -> dict[str, float]:
    """The same of ifonly's answers, judged again from their frame."""
    return measured(pd.DataFrame(answers.frame()), rows, answers.space, answers.k, predict)


def line(figures: dict[str, float], names: tuple[str, ...] = SHOWN) -> list[Any]:
    """The figures in the order of a table's columns."""
    return [figures[name] for name in names]
