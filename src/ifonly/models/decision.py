"""Where a model's own `predict` draws the line between its scores.

`predict` need not be the largest of `predict_proba`: thresholds are fixed or tuned, support vector
machines decide by one number and calibrate another. A search that walks to the wrong line finds
nothing, or goes too far. So the line is looked for where a model is prepared: in the attribute of
scikit-learn's threshold classifiers, and otherwise by comparing scores with decisions. It serves
the search alone; the judge asks `predict`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.protocol import Model

MIXED = 256
"""Rows mixed from two of the data, one on either side of the line, that are asked in a round."""
ROUNDS = 8
"""How often the line is closed in on, where it is not where scores are equal."""
TOLERATED = 0.01
"""The share of decisions that may contradict a line; beyond it, labels are searched."""


@dataclass(frozen=True)
class Decision:
    """How decisions follow from scores, as far as is known."""

    threshold: float | None = None
    """The score from which on the second of two classes is decided for; None: the largest wins."""
    found: bool = False
    """The threshold was found by asking, so that decisions near it are not certain."""
    labels: bool = False
    """Decisions follow no line between scores, so that only they can be searched by."""


@dataclass(frozen=True)
class Labels:
    """A model with its decisions for scores: 1 for the class that it decides for, 0 for others."""

    model: Model

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.model.classes

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c]"""
        return np.asarray(np.eye(len(self.classes))[self.model.decide(codes)])

    def decide(self, codes: np.ndarray) -> Any:
        """[n] the model's own decisions."""
        return self.model.decide(codes)


def unwrapped(model: Any) -> tuple[Any, float | None]:
    """The model inside one of scikit-learn's threshold classifiers, and the threshold.

    Any other model comes back as it is, without a threshold; so does a wrapper of another score
    than the probability of the second class.
    """
    last = model[-1] if hasattr(model, "steps") else model
    if not any(base.__name__ == "BaseThresholdClassifier" for base in type(last).__mro__):
        return model, None
    inner = getattr(last, "estimator_", None)
    by_probability = last.response_method in ("auto", "predict_proba")
    if not by_probability or not hasattr(inner, "predict_proba"):
        return model, None
    threshold = getattr(last, "best_threshold_", getattr(last, "threshold", "auto"))
    if last is not model:
        from sklearn.pipeline import Pipeline

        inner = Pipeline([*model.steps[:-1], (model.steps[-1][0], inner)])
    return inner, 0.5 if threshold == "auto" else float(threshold)


def without_samplers(model: Any) -> Any:
    """A pipeline of imbalanced-learn as one of scikit-learn; any other model as it is.

    Steps that resample rows do so in training alone, and the others predict as before.
    """
    steps = getattr(model, "steps", None)
    if not type(model).__module__.startswith("imblearn.") or not isinstance(steps, list):
        return model
    from sklearn.pipeline import Pipeline

    return Pipeline([(name, step) for name, step in steps if not hasattr(step, "fit_resample")])


def decision_of(
    model: Model, codes: np.ndarray, scores: np.ndarray, guess: float | None = None
) -> Decision:
    """How a model decides, by its decisions about codes [n, d] with scores [n, c].

    `guess` is a threshold to look at first. Rows mixed from those on either side of the line are
    asked as well, so that it is seen where no row of the data lies near it.
    """
    decided = model.decide(codes) if len(codes) and len(model.classes) > 1 else None
    if decided is None:
        return Decision(guess)
    known = _Known(codes, scores, np.asarray(decided))
    rng = np.random.default_rng(0)
    for _ in range(ROUNDS):
        known = known.with_mixed(model, rng)
        if guess is not None and known.contradicting(guess) == 0:
            return Decision(guess)
        if known.contradicting(None) == 0:
            return Decision()
        if len(model.classes) > 2:
            break
    line = known.line() if len(model.classes) == 2 else None
    if known.contradicting(line) > TOLERATED * len(known.codes):
        return Decision(labels=True)
    return Decision(line, found=known.contradicting(line) > 0 or line is not None)


def by_scores(scores: np.ndarray, threshold: float | None) -> np.ndarray:
    """[n] the class index that scores [n, c] decide for; equal ones decide for the first."""
    if threshold is None:
        return np.asarray(scores.argmax(axis=1))
    return np.asarray(scores[:, 1] >= threshold, dtype=np.intp)


@dataclass(frozen=True)
class _Known:
    """Codes [n, d] with the scores [n, c] and the decisions [n] of a model."""

    codes: np.ndarray
    scores: np.ndarray
    decided: np.ndarray

    def contradicting(self, threshold: float | None) -> int:
        """How many decisions are not those of a threshold."""
        return int((by_scores(self.scores, threshold) != self.decided).sum())

    def with_mixed(self, model: Model, rng: np.random.Generator) -> _Known:
        """What is known, with rows mixed from the nearest to the line on its two sides."""
        second = self.scores[:, -1]
        last = len(model.classes) - 1
        below = np.flatnonzero(self.decided != last)
        above = np.flatnonzero(self.decided == last)
        if not len(below) or not len(above):
            return self
        below = below[np.argsort(-second[below], kind="stable")[:32]]
        above = above[np.argsort(second[above], kind="stable")[:32]]
        mixed = np.where(
            rng.random((MIXED, self.codes.shape[1])) < 0.5,
            self.codes[rng.choice(below, MIXED)],
            self.codes[rng.choice(above, MIXED)],
        )
        try:
            scores, decided = np.array(model.scores(mixed)), np.asarray(model.decide(mixed))
        except ModelError:  # it rejects rows that nobody is like
            return self
        return _Known(
            np.concatenate([self.codes, mixed]),
            np.concatenate([self.scores, scores]),
            np.concatenate([self.decided, decided]),
        )

    def line(self) -> float | None:
        """The threshold that the fewest decisions contradict, with as few decimals as can be."""
        order = np.argsort(self.scores[:, 1], kind="stable")
        score, second = self.scores[order, 1], self.decided[order] == 1
        starts = np.append(np.flatnonzero(np.diff(score, prepend=-np.inf) > 0), len(score))
        before = np.concatenate([[0], np.cumsum(second)])[starts]
        after = (len(score) - starts) - (second.sum() - before)
        at = starts[int((before + after).argmin())]
        low = float(score[at - 1]) if at else -np.inf
        line = _shortest(low, float(score[at] if at < len(score) else np.nextafter(low, np.inf)))
        return line if self.contradicting(line) < self.contradicting(None) else None


def _shortest(low: float, high: float) -> float:
    """The number with the fewest decimals above `low` and up to `high`.

    >>> _shortest(0.2913, 0.3127), _shortest(0.5, 0.50047)
    (0.3, 0.5004)
    """
    for digits in range(16):
        candidate = float(np.round(np.floor(high * 10.0**digits) / 10.0**digits, digits))
        if low < candidate <= high:
            return candidate
    return high
