"""scikit-learn's own trees: single ones, forests, and gradient boosting of both kinds."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.reading.inputs import numbers
from ifonly.models.reading.trees.grown import Ensemble, Grown, at_most, at_most_single

RELATIVE = 1e-12


def read_forest(estimator: Any) -> Ensemble:
    """A decision tree, or the mean of a forest's: class probabilities, or a number."""
    refusal = None
    if getattr(estimator, "n_outputs_", 1) != 1:
        refusal = ModelError(
            f"This {type(estimator).__name__} predicts {estimator.n_outputs_} outputs at once.",
            "Fit one model for each.",
        )
    members = list(getattr(estimator, "estimators_", [estimator]))
    trees = tuple(_grown(one.tree_, one.tree_.value[:, 0, :]) for one in members)
    link = "shares" if hasattr(estimator, "classes_") else "number"
    return Ensemble(
        trees, at_most_single, link, RELATIVE, numbers, share=len(members), refusal=refusal
    )


def read_boosting(estimator: Any) -> Ensemble:
    """GradientBoostingClassifier and -Regressor: regression trees, a column of them a class."""
    columns = estimator.estimators_.shape[1]
    # Exponential loss models half of the log odds.
    factor = 2.0 if getattr(estimator, "loss", "") == "exponential" else 1.0
    trees = tuple(
        _grown(
            one.tree_,
            factor * estimator.learning_rate * one.tree_.value[:, 0, :] * np.eye(columns)[place],
        )
        for stage in estimator.estimators_
        for place, one in enumerate(stage)
    )
    link, sums = _boosted(estimator, columns)
    return Ensemble(trees, at_most_single, link, RELATIVE, numbers, partial(_times, factor, sums))


def read_histogram(estimator: Any) -> Ensemble:
    """HistGradientBoosting, which puts categories first and compares in double precision."""
    refusal = None
    if getattr(estimator, "loss", "") in ("poisson", "gamma"):
        refusal = ModelError(
            f"{type(estimator).__name__}(loss={estimator.loss!r}) gives the exponential of a sum.",
            "Trees are read where their sum is the number itself. Use method='auto'.",
        )
    stages = estimator._predictors
    columns = len(stages[0]) if stages else 1
    trees = tuple(
        _histogram_tree(one, np.eye(columns)[place])
        for stage in stages
        for place, one in enumerate(stage)
    )
    link, sums = _boosted(estimator, columns)
    see = partial(_preprocessed, estimator)
    return Ensemble(trees, at_most, link, RELATIVE, see, sums, refusal=refusal)


def _grown(tree: Any, value: np.ndarray) -> Grown:
    return Grown.of(
        tree.children_left,
        tree.children_right,
        leaf=tree.children_left < 0,
        column=tree.feature,
        threshold=tree.threshold,
        missing=tree.missing_go_to_left,
        value=value,
    )


def _boosted(estimator: Any, columns: int) -> tuple[str, Any]:
    """The link of a boosted model, and what gives its sums."""
    if not hasattr(estimator, "classes_"):
        return "number", estimator.predict
    return ("logit" if columns == 1 else "softmax"), estimator.decision_function


def _times(factor: float, sums: Any, seen: Any) -> np.ndarray:
    return factor * np.asarray(sums(seen))


def _histogram_tree(predictor: Any, place: np.ndarray) -> Grown:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    listed = {
        int(node): _members(predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]])
        for node in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~leaf)
    }
    return Grown.of(
        nodes["left"].astype(np.intp),
        nodes["right"].astype(np.intp),
        leaf=leaf,
        column=nodes["feature_idx"],
        threshold=nodes["num_threshold"],
        missing=nodes["missing_go_to_left"],
        value=nodes["value"][:, None] * place,
        listed=listed,
    )


def _members(bitset: np.ndarray) -> np.ndarray:
    """The numbers whose bits are set in words of 32 bits."""
    bits = np.unpackbits(
        np.ascontiguousarray(bitset, dtype="<u4").view(np.uint8), bitorder="little"
    )
    return np.flatnonzero(bits).astype(np.float64)


def _preprocessed(estimator: Any, seen: Any) -> np.ndarray:
    """Its columns as the trees see them; a category that it never saw is a missing value."""
    return numbers(estimator._preprocess_X(seen, reset=False))
