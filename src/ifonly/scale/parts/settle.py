"""Scores that do not depend on how rows are cut into shards.

A product of matrices gives a row other last digits in a batch of another size, and nothing else of
an answer depends on the batch. So the scores that are kept are asked for once more, always in
batches of one size, filled up where there are fewer points.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ifonly.answers import Answers
from ifonly.errors import PredictionError
from ifonly.models import Model
from ifonly.solve.statuses import wanted_score
from ifonly.space.table.carry import tagged

BATCH = 1024


def settled(answers: Answers) -> Answers:
    """Fresh answers with the scores that their points have in batches of one size.

    Where each model row counts (a budget) or takes long, they keep the scores that they have.
    """
    source = answers.asked_further()
    if source.setting.slow or answers.record["budget"] is not None or not len(answers):
        return answers
    every = np.concatenate([answers.x[:, None], answers.points], axis=1)
    known = ~np.isnan(np.column_stack([answers.row_score, answers.score]))
    codes = tagged(every, source.batch.places)[known]
    try:
        found = in_batches(source.setting.model, codes)
    except PredictionError:  # of a model that fails now and then
        return answers
    scores = np.full((*known.shape, found.shape[1]), np.nan)
    scores[known] = found
    each = wanted_score(scores, source.batch.goal)
    return replace(answers, row_score=each[:, 0], score=np.where(known, each, np.nan)[:, 1:])


def in_batches(model: Model, codes: np.ndarray) -> np.ndarray:
    """[n, c] the scores of codes [n, d], asked for in batches of one size."""
    parts = [np.empty((0, max(1, len(model.classes))))]
    for start in range(0, len(codes), BATCH):
        some = codes[start : start + BATCH]
        filled = np.concatenate([some, np.repeat(some[:1], BATCH - len(some), axis=0)])
        parts.append(np.asarray(model.scores(filled), dtype=np.float64)[: len(some)])
    return np.concatenate(parts)
