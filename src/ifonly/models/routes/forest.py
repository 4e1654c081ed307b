"""A forest asked tree by tree, without the threads that it starts for each call."""

from __future__ import annotations

from typing import Any

import numpy as np


def has_trees(estimator: Any) -> bool:
    """Whether an estimator is one of scikit-learn's forests that classify."""
    return all(hasattr(estimator, name) for name in ("estimators_", "n_outputs_", "classes_"))


def by_trees(estimator: Any, matrix: Any) -> np.ndarray:
    """[n, c] a forest's probabilities, added up in the order of its trees.

    A forest takes an absent entry for a zero, and a matrix without such is faster.
    """
    if not has_trees(estimator):
        raise TypeError("not a forest")
    single = matrix.astype(np.float32)
    total = np.zeros((single.shape[0], len(estimator.classes_)))
    for tree in estimator.estimators_:
        total += tree.tree_.predict(single)[:, : total.shape[1]]
    return total / len(estimator.estimators_)
