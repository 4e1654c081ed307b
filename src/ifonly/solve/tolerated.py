"""The demand of a tolerance: what it asks of a setting, and how sure it is of each answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ifonly.demands.tolerance import Tolerant, read_tolerance
from ifonly.errors import OptionError
from ifonly.problem.goal import Goal
from ifonly.solve.prepare import Setting
from ifonly.solve.short.solver import read_once


def with_tolerance(setting: Setting, stated: Any, threshold: float | None) -> Setting:
    """The setting with the demand that `tolerance=` states."""
    fields = read_tolerance(stated, setting.space)
    if not fields:
        return setting
    if getattr(setting.model, "carried", None) is not None:
        raise OptionError(
            "tolerance cannot be asked of a model that takes columns which are carried along.",
            "Fit it without them, or leave `tolerance` out.",
        )
    reading = setting.reading or read_once(setting)[0]
    if reading is not None and threshold is not None and reading.link == "odds":
        reading = None  # no sum says where such a threshold is
    demand = Tolerant(setting.space, setting.model, reading, **fields)
    return replace(setting, demands=(*setting.demands, demand))


def tolerated(
    setting: Setting, goal: Goal, x: np.ndarray, points: np.ndarray, filled: np.ndarray
) -> np.ndarray | None:
    """[q, k] 1 where a tolerance is proved, else the share of its points that have the outcome.

    The share is a lower bound with a confidence of 95 %. NaN where there is no answer; None where
    no tolerance is demanded.
    """
    demand = next((one for one in setting.demands if isinstance(one, Tolerant)), None)
    if demand is None:
        return None
    sure, (rows, places) = np.full(filled.shape, np.nan), np.nonzero(filled)
    if len(rows):
        sure[filled] = demand.certainty(goal.take(rows), x[rows], points[rows, places])
    return sure
