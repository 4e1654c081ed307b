"""The laws of a model."""

from __future__ import annotations

import numpy as np

from ifonly.models import Differentiable, Model
from ifonly.space import Space
from ifonly.testing.spaces import random_codes


def check_model(
    model: Model, space: Space, codes: np.ndarray | None = None, *, tolerance: float = 1e-6
) -> None:
    """Assert every law of a model over a space.

    Parameters
    ----------
    model
        The model to check.
    space
        The features of the model.
    codes
        [n, d] codes to ask about; random ones by default.
    tolerance
        The largest difference between scores that count as equal.

    Raises
    ------
    AssertionError
        A law is broken; the message says which.

    Examples
    --------
    >>> from ifonly.testing import random_model, random_space
    >>> check_model(random_model(random_space(0), "stumps", seed=0), random_space(0))
    """
    codes = random_codes(space, 40, seed=0) if codes is None else codes
    before = codes.copy()
    assert isinstance(model, Model), "a model has classes, scores and decide"
    c = _check_classes(model)
    scores = np.asarray(model.scores(codes))
    assert scores.shape == (len(codes), max(1, c)), (
        f"scores have the shape {scores.shape}, not {(len(codes), max(1, c))}"
    )
    assert np.isfinite(scores).all(), "a score is NaN or infinite"
    assert np.array_equal(scores, np.asarray(model.scores(codes))), (
        "the same codes got other scores the second time"
    )
    _check_decisions(model, codes, c)
    _check_rows_are_alone(model, codes, scores, tolerance)
    if isinstance(model, Differentiable):
        _check_gradient(model, np.asarray(space.units(codes)), scores)
    assert np.array_equal(codes, before, equal_nan=True), "the model changed the codes it was given"


def _check_classes(model: Model) -> int:
    assert isinstance(model.classes, tuple), f"classes are a {type(model.classes).__name__}"
    c = len(model.classes)
    assert c != 1, "a classifier has two classes or more, a regression none"
    assert len(set(model.classes)) == c, f"a class is listed twice: {model.classes}"
    return c


def _check_decisions(model: Model, codes: np.ndarray, c: int) -> None:
    decided = model.decide(codes)
    if decided is None:
        return
    decided = np.asarray(decided)
    assert c, "a regression decides nothing: decide gives None"
    assert decided.shape == (len(codes),), (
        f"decisions have the shape {decided.shape}, not {(len(codes),)}"
    )
    assert decided.dtype.kind in "iu", f"a decision is the index of a class, not {decided.dtype}"
    assert ((decided >= 0) & (decided < c)).all(), "a decision is the index of no class"


def _check_rows_are_alone(
    model: Model, codes: np.ndarray, scores: np.ndarray, tolerance: float
) -> None:
    decided = model.decide(codes)
    for i in range(min(len(codes), 12)):
        row = codes[i : i + 1]
        alone = np.asarray(model.scores(row))
        assert np.allclose(alone[0], scores[i], rtol=0, atol=tolerance), (
            f"row {i} has the scores {alone[0]} alone and {scores[i]} in a batch"
        )
        if decided is not None:
            assert np.asarray(model.decide(row))[0] == decided[i], (
                f"row {i} is decided otherwise alone than in a batch"
            )
    backwards = np.asarray(model.scores(codes[::-1]))[::-1]
    assert np.allclose(backwards, scores, rtol=0, atol=tolerance), (
        "rows get other scores in another order"
    )


def _check_gradient(model: Differentiable, units: np.ndarray, scores: np.ndarray) -> None:
    """Logits rank the classes as scores do, and their gradient is what differences give."""
    logits = np.asarray(model.logits(units))
    assert logits.shape == scores.shape, f"logits have the shape {logits.shape}, not {scores.shape}"
    clear = np.ptp(scores, axis=1) > 1e-6
    assert np.array_equal(logits.argmax(axis=1)[clear], scores.argmax(axis=1)[clear]), (
        "logits and scores do not have the same largest class"
    )
    weights = np.random.default_rng(0).normal(size=logits.shape)
    again, gradient = (np.asarray(part) for part in model.logits_gradient(units, weights))
    assert np.allclose(again, logits, atol=1e-6), "logits_gradient gives other logits than logits"
    assert gradient.shape == units.shape, (
        f"the gradient has the shape {gradient.shape}, not {units.shape}"
    )
    step = 1e-5
    agree = np.zeros(units.shape[1])
    for column in range(units.shape[1]):
        moved = step * (np.arange(units.shape[1]) == column)
        rise = np.asarray(model.logits(units + moved)) - np.asarray(model.logits(units - moved))
        slope = (rise * weights).sum(axis=1) / (2 * step)
        agree[column] = np.isclose(slope, gradient[:, column], rtol=1e-3, atol=1e-3).mean()
    # A kink of the network under a point makes the difference there mean nothing.
    assert agree.min() > 0.8, "the gradient is not the one that differences of logits give"
