"""Whether what a model says of its training rows makes sense.

A model that gets another input than it was trained on seldom fails: it says the same of every row.
And a function may return what is no probability. Neither is an error; both are worth a warning.
"""

from __future__ import annotations

from warnings import warn

import numpy as np

from ifonly.errors import ModelWarning, PredictionError
from ifonly.models.decision import Decision, by_scores
from ifonly.models.protocol import Model

FEWEST = 10
"""The rows that must be alike before that is worth mentioning."""
SAME_INPUT = (
    "If it was trained on other columns, units or scales than those of `data`, give the whole "
    "pipeline, or ifonly.as_model(f, inputs=transform)."
)


def heard(model: Model, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The training rows [n, d] that a model gives finite scores for, and these scores [n, c].

    It is warned of the others; a model that has none fails.
    """
    try:
        return codes, np.asarray(model.scores(codes))
    except PredictionError as error:
        if error.scores is None or len(error.scores) != len(codes):
            raise
        known = np.isfinite(error.scores).all(axis=1)
        if not known.any():
            raise
        lost = f"{int((~known).sum())} of {len(codes)} training rows"
        warn(f"The model gives no finite score for {lost}; they are left out.", ModelWarning, 2)
        return codes[known], np.asarray(model.scores(codes[known]))


def check_sense(model: Model, scores: np.ndarray, decision: Decision, *, shares: bool) -> None:
    """Warn of scores [n, c] of training rows that make no sense.

    `shares` says that they should be probabilities.
    """
    n = len(scores)
    if n == 0:
        return
    low, high = _range(scores)
    if model.classes and shares and (low < -1e-6 or high > 1 + 1e-6):
        what = f"The model's scores for {n} training rows go from {low:.4g} to {high:.4g}"
        percent = low >= 0 and high <= 100
        hint = (
            "which look like percentages. Divide them by 100."
            if percent
            else "and probabilities lie in [0, 1]. If they are logits or votes, return their "
            "probabilities, or labels: ifonly.as_model(f, classes=[...], gives='labels')."
        )
        warn(f"{what}, {hint}", ModelWarning, 2)
    elif n >= FEWEST and (scores == scores[0]).all():
        says = f"The model gives the same score to all {n} training rows."
        warn(f"{says} {SAME_INPUT}", ModelWarning, 2)
    elif n >= FEWEST and len(model.classes) > 1:
        decided = by_scores(scores, decision.threshold)
        if (decided == decided[0]).all():
            says = f"The model predicts {model.classes[decided[0]]!r} for all {n} training rows."
            warn(f"{says} {SAME_INPUT}", ModelWarning, 2)


def _range(scores: np.ndarray) -> tuple[float, float]:
    """The ends of scores [n, c]; of two that add up to 1, those of the second."""
    if scores.shape[1] == 2 and np.allclose(scores.sum(axis=1), 1):
        scores = scores[:, 1:]
    return float(scores.min()), float(scores.max())
