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


def judged(
    answers: pd.DataFrame, rows: pd.DataFrame, space: ifonly.Space, k: int, predict: Predict
) -> pd.DataFrame:
    """One line per row asked, of a frame of answers with a column `query`.

    full: k valid answers that differ; valid: answers with the other outcome, of k; unique: valid
    and no repeat, of k.
    """
    names = list(space.names)
    valid = np.zeros(len(answers), dtype=bool)
    if len(answers):
        before = np.asarray(predict(rows[names]))[answers["query"].to_numpy()]
        valid = np.asarray(predict(answers[names])) != before
    table = evaluate(answers, rows, space, k=k, valid=valid)
    table["full"] = table["valid_unique"] > 1 - 0.5 / k
    table["valid"] = np.bincount(answers["query"][valid], minlength=len(rows)) / k
    return table.rename(columns={"valid_unique": "unique", "pairwise_distance": "pairwise"})


def measured(
    answers: pd.DataFrame, rows: pd.DataFrame, space: ifonly.Space, k: int, predict: Predict
) -> dict[str, float]:
    """The means over all rows."""
    return means(judged(answers, rows, space, k, predict))


def ours(answers: ifonly.Answers, rows: pd.DataFrame, predict: Predict) -> dict[str, float]:
    """The same of ifonly's answers, judged again from their frame."""
    return measured(pd.DataFrame(answers.frame()), rows, answers.space, answers.k, predict)


def means(table: pd.DataFrame) -> dict[str, float]:
    """The mean of each figure over the lines."""
    return {name: float(table[name].mean()) for name in SHOWN}


def line(figures: dict[str, float], names: tuple[str, ...] = SHOWN) -> list[Any]:
    """The figures in the order of a table's columns."""
    return [figures[name] for name in names]
