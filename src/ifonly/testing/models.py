"""Small random models over a space, made from a seed, with every kind of output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ifonly.models import Model
from ifonly.models.adapters.dense import Dense
from ifonly.space import Space
from ifonly.testing.spaces import random_codes

MODEL_KINDS = ("linear", "three classes", "regression", "stumps", "labels")


@final
@dataclass(frozen=True, eq=False)
class Stumps:
    """A sum of steps of whole height: scores with many exact ties, flat almost everywhere."""

    feature: np.ndarray
    """[s] the feature that each step stands on."""
    cut: np.ndarray
    """[s] the code above which it counts."""
    height: np.ndarray
    """[s]"""
    centre: float
    hard: bool = False
    """Whether the scores are labels: 0 and 1."""
    classes: tuple[Any, ...] = ("no", "yes")

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, 2] of codes [n, d]."""
        total = self._total(codes) - self.centre
        over = (total > 0).astype(np.float64) if self.hard else 0.5 + total / (2 + 2 * abs(total))
        return np.stack([1 - over, over], axis=1)

    def decide(self, codes: np.ndarray) -> np.ndarray:
        """[n] whether the sum is over the centre."""
        return (self._total(codes) > self.centre).astype(np.intp)

    def _total(self, codes: np.ndarray) -> np.ndarray:
        return np.asarray((codes[:, self.feature] > self.cut) @ self.height)


def random_model(space: Space, kind: str, seed: int) -> Model:
    """A random model, centred so that more than one outcome occurs.

    Parameters
    ----------
    space
        The features of the model.
    kind
        One of `MODEL_KINDS`.
    seed
        The same seed gives the same model.

    Returns
    -------
    Model

    Examples
    --------
    >>> random_model(Space.describe({"name": "age", "low": 20, "high": 60}), "linear", 0).classes
    ('no', 'yes')
    """
    rng = np.random.default_rng(seed)
    codes = random_codes(space, 400, seed)
    if kind in ("stumps", "labels"):
        return _stumps(codes, rng, hard=kind == "labels")
    classes = {"linear": ("no", "yes"), "three classes": (1, 2, 3), "regression": ()}[kind]
    kernel = rng.normal(size=(space.offsets[-1], 3 if kind == "three classes" else 1))
    outputs = space.units(codes) @ kernel
    return Dense([(kernel, -np.median(outputs, axis=0))], space, classes)


def _stumps(codes: np.ndarray, rng: np.random.Generator, *, hard: bool) -> Stumps:
    d = codes.shape[1]
    feature = np.repeat(np.arange(d), 3)
    cut = rng.permuted(codes, axis=0)[:3].T.ravel()
    height = rng.integers(1, 4, 3 * d).astype(np.float64)
    sums = Stumps(feature, cut, height, 0.0)._total(codes)
    # Between two sums, so that no point stands on the edge and both classes occur.
    return Stumps(feature, cut, height, float(np.floor((sums.min() + sums.max()) / 2)) + 0.5, hard)
