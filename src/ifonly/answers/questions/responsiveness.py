"""How much a row's outcome depends on each feature alone: the share of its values that give it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.answers.views import Shown, shown_features
from ifonly.models import Counted
from ifonly.solve.source import MOST_ASKED
from ifonly.space import Space

MOST_VALUES = 1000
"""The most values of a number that are tried; of more, so many that are evenly spread."""


def responsiveness(answers: AnswerData) -> dict[str, Any]:
    """The columns of a table with one line per row and feature.

    Every value of every feature is tried by itself, in as few model calls as hold them.
    """
    source = answers.asked_further()
    shown = shown_features(replace(answers.space, labels={}))
    known = source.setting.readable
    data = None if known is None or not known.given else answers.space.round(known.data)
    values = [values_of(answers.space, one, data, MOST_VALUES) for one in shown]
    ends = np.cumsum([0, *map(len, values)])
    count = np.zeros((len(answers), len(shown)), dtype=np.intp)
    share = np.full(count.shape, np.nan)
    model = Counted(source.setting.model, source.setting.model)
    for rows in source.batch.chunks(max(1, MOST_ASKED // ends[-1])):
        problem = source.batch.pose(source.setting, model, rows)
        points = np.repeat(problem.x[:, None], ends[-1], axis=1)
        for one, new, start, end in zip(shown, values, ends, ends[1:], strict=False):
            points[:, start:end, one.columns] = new
        tried = problem.lawful(points) & problem.changed(points).any(axis=-1)
        met = problem.accepts(points, tried)
        sums = (np.add.reduceat(flags, ends[:-1], axis=1, dtype=int) for flags in (tried, met))
        count[rows], reached = sums
        share[rows] = np.where(count[rows] > 0, reached / np.maximum(count[rows], 1), np.nan)
    return {
        "query": np.repeat(np.arange(len(answers)), len(shown)),
        "feature": [one.name for one in shown] * len(answers),
        "values": count.ravel(),
        "share": share.ravel(),
    }


def values_of(space: Space, one: Shown, data: np.ndarray | None, most: int) -> np.ndarray:
    """[n, columns] the values of a feature: every level, or the numbers that data [n, d] have.

    Of more than `most` numbers, so many are taken, evenly spread and with both ends.
    """
    j = one.columns[0]
    if one.group is not None:
        return np.eye(len(one.columns) + one.group.optional, len(one.columns))
    values = space.values(j, most)
    if space.continuous[j] and data is not None:
        known = np.unique(data[~np.isnan(data[:, j]), j])
        places = np.linspace(0, len(known) - 1, min(len(known), most)).astype(np.intp)
        values = known[places] if len(known) else values
    return np.append(values, np.nan)[: len(values) + space.features[j].erasable, None]
