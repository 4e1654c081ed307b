"""How a model's scores and decisions follow from its margins.

Margins are what a reading adds up and what a solver can bound; scores are what the model says.

    logit     [n, 1] the log odds of the second of two classes; positive decides for it
    softmax   [n, c] a logit a class, the largest decides
    odds      [n, c] a logit for each class against the rest, their probabilities made to sum to 1
    shares    [n, c] the probabilities themselves
    number    [n, 1] what a regression predicts
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def scores_of(link: str, margins: np.ndarray) -> np.ndarray:
    """[n, c] the scores of margins [n, 1] or [n, c]."""
    return LINKS[link](margins)


def decisions_of(link: str, margins: np.ndarray) -> np.ndarray | None:
    """[n] the class index that margins decide for; None for a regression."""
    if link == "number":
        return None
    if link == "logit":
        return np.asarray(margins[:, 0] > 0, dtype=np.intp)
    return np.asarray(margins.argmax(axis=1))


def leads_of(link: str, margins: np.ndarray) -> np.ndarray:
    """[n] how far the decision is from being another; infinite for a regression."""
    if link == "number":
        return np.full(len(margins), np.inf)
    if link == "logit":
        return np.asarray(np.abs(margins[:, 0]))
    ordered = np.sort(margins, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


def _sigmoid(margins: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (1 + np.tanh(margins / 2)))


def _logit(margins: np.ndarray) -> np.ndarray:
    second = _sigmoid(margins)
    return np.concatenate([1.0 - second, second], axis=1)


def _softmax(margins: np.ndarray) -> np.ndarray:
    odds = np.exp(margins - margins.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _odds(margins: np.ndarray) -> np.ndarray:
    each = _sigmoid(margins)
    return np.asarray(each / np.maximum(each.sum(axis=1, keepdims=True), np.finfo(float).tiny))


def _same(margins: np.ndarray) -> np.ndarray:
    return margins


LINKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "logit": _logit,
    "softmax": _softmax,
    "odds": _odds,
    "shares": _same,
    "number": _same,
}
