"""Anybody's answers, measured in the same way: judged by the model, with ifonly's distance.

Shares are over all rows asked and all k places, so that a gap counts as a missing answer. Distance,
det K, pairwise distance and objective are over the points that were given, valid or not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from ifonly.metrics import evaluate
from ifonly.space import Metric, Space

Predict = Callable[[pd.DataFrame], np.ndarray]
SHOWN = ("full", "valid", "unique", "objective", "distance", "det", "pairwise", "changed")


@dataclass(frozen=True)
class Given:
    """Somebody's answers, with what the figures of `answers` ask of ifonly's."""

    space: Space
    x: np.ndarray
    points: np.ndarray
    filled: np.ndarray

    @property
    def k(self) -> int:
        return self.filled.shape[1]

    @property
    def extra(self) -> np.ndarray:
        return np.zeros_like(self.filled)

    def __len__(self) -> int:
        return len(self.x)

    def changed(self) -> np.ndarray:
        return np.asarray(self.points != self.x[:, None])

    def distance(self) -> np.ndarray:
        return np.asarray(Metric.of(self.space).distance(self.points, self.x[:, None]))


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


def spare(answers: ifonly.Answers | Given, predict: Predict) -> tuple[float, float, float]:
    """What answers could do without, by the model's own decisions.

    The share of answers, of those not marked as extra, with a change that can be reverted alone;
    and of their changed numbers, the shares that can come half of the way, or one step of their
    grid, nearer to the row's own. A column that takes few values has these as its grid.
    """
    space, kept = answers.space, answers.filled & ~answers.extra
    points, x = answers.points[kept], np.repeat(answers.x, kept.sum(axis=1), axis=0)
    if not len(points):
        return 0.0, 0.0, 0.0
    wanted = np.asarray(predict(space.rows(points)))
    needless, numbers, halved, closer = np.zeros(len(points), dtype=bool), 0, 0, 0

    def works(values: np.ndarray, rows: np.ndarray, j: int) -> np.ndarray:
        """bool [rows] whether points with other values of a feature are as wanted."""
        trial = points[rows].copy()
        trial[:, j] = values
        return np.asarray(predict(space.rows(trial))) == wanted[rows]

    for j in range(len(space)):
        rows = np.flatnonzero((points != x)[:, j] & ~np.isnan(points - x)[:, j])
        if not len(rows):
            continue
        own, value = x[rows, j], points[rows, j]
        needless[rows] |= works(own, rows, j)
        if space.continuous[j]:
            decimals, step = int(space.decimals[j]), 10.0 ** -space.decimals[j]
            half = np.round((own + value) / 2, decimals)
            near = np.round(value - np.sign(value - own) * step, decimals)
            known = np.array(space.features[j].discrete)
            if len(known):
                near, half = _nearer_known(known, own, value)
            numbers += len(rows)
            moved = (np.abs(half - own) < np.abs(value - own)) & (half != own)
            halved += int((works(half, rows, j) & moved).sum())
            moved = (np.abs(near - own) < np.abs(value - own)) & (near != own)
            closer += int((works(near, rows, j) & moved).sum())
    return float(needless.mean()), halved / max(1, numbers), closer / max(1, numbers)


def _nearer_known(
    known: np.ndarray, own: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The next known values toward the own ones, and those in the middle; else the own."""
    inside = (known - own[:, None]) * (value[:, None] - known) > 0
    found = [one[mask] for one, mask in zip(np.tile(known, (len(own), 1)), inside, strict=True)]
    pairs = zip(found, own, value, strict=True)
    near = [max(a) if len(a) and v > o else min(a) if len(a) else o for a, o, v in pairs]
    half = [a[len(a) // 2] if len(a) else o for a, o in zip(found, own, strict=True)]
    return np.array(near), np.array(half)
