"""How much each change of an answer contributes to its score: Shapley values over the changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.answers.views import shown_features
from ifonly.metrics.shapley import EXACT, game
from ifonly.solve.source import MOST_ASKED


def contributions(answers: AnswerData, answer: int | None) -> dict[str, Any]:
    """The columns of a table with one line per change of all answers, or of one of each row.

    The model is asked once about the answers with as many changes. Columns that are one category
    are one change. Where causes are known, changes are actions, and what follows from a part of
    them is what the model is asked about.
    """
    source = answers.asked_further()
    shown = shown_features(replace(answers.space, labels={}))
    columns = np.zeros((len(shown), len(answers.space)), dtype=np.float32)  # what is one change
    for line, one in zip(columns, shown, strict=True):
        line[one.columns] = 1
    acted, wanted = answers.acted_features(), answers.filled.copy()
    if answer is not None:
        wanted[:, np.arange(answers.k) != answer] = False
    changed = (acted & wanted[:, :, None]).astype(np.float32) @ columns.T > 0  # [q, k, shown]
    value = np.full(changed.shape, np.nan)
    for count in np.unique(changed.sum(axis=-1)[wanted]):
        coalitions, weights = game(int(count))
        rows, places = np.nonzero(wanted & (changed.sum(axis=-1) == count))
        size = max(1, MOST_ASKED // len(coalitions))
        for start in range(0, len(rows), size):
            q, a = rows[start : start + size], places[start : start + size]
            players = columns[np.nonzero(changed[q, a])[1]].reshape(len(q), count, -1)
            made = (coalitions.astype(np.float32) @ players > 0) & acted[q, a][:, None]  # [p, s, d]
            points = np.where(made, answers.points[q, a][:, None], answers.x[q][:, None])
            shares = (source.scores(points, q)[:, None] * weights).sum(axis=-1)  # [p, changes]
            asked = np.zeros_like(changed)
            asked[q, a] = changed[q, a]
            value[asked] = shares.ravel()
    query, place, feature = np.nonzero(changed)
    lines = list(zip(query, place, (shown[f] for f in feature), strict=True))
    return {
        "query": query,
        "answer": place,
        "feature": [one.name for _, _, one in lines],
        "before": [one.value(answers.x[q]) for q, _, one in lines],
        "after": [one.value(answers.points[q, a]) for q, a, one in lines],
        "contribution": value[changed],
        "exact": changed.sum(axis=-1)[query, place] <= EXACT,
    }
