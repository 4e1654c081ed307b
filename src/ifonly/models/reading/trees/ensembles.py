"""The trees of a fitted model, by the library that grew them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ifonly.models.reading.chain import Chain, take_apart
from ifonly.models.reading.trees.grown import Ensemble
from ifonly.models.reading.trees.lightgbm import read_lightgbm
from ifonly.models.reading.trees.sklearn import read_boosting, read_forest, read_histogram
from ifonly.models.reading.trees.xgboost import read_xgboost
from ifonly.space import Space

SKLEARN: dict[str, Callable[[Any], Ensemble]] = {
    "sklearn.BaseForest": read_forest,
    "sklearn.BaseDecisionTree": read_forest,
    "sklearn.BaseGradientBoosting": read_boosting,
    "sklearn.BaseHistGradientBoosting": read_histogram,
}
BOOSTERS: dict[str, Callable[..., Ensemble]] = {
    "xgboost.XGBModel": read_xgboost,
    "xgboost.Booster": read_xgboost,
    "lightgbm.LGBMModel": read_lightgbm,
    "lightgbm.Booster": read_lightgbm,
}


def ensemble_of(chain: Chain, space: Space, *, sparse: bool = False) -> Ensemble | None:
    """The trees of an estimator over its columns; None where its kind has none that can be read.

    `sparse` says that it is given sparse matrices, in which some libraries see zeros as gaps.
    """
    reader, booster = chain.entry(SKLEARN), chain.entry(BOOSTERS)
    if booster is not None:
        return booster(chain.estimator, space, sparse=sparse)
    return None if reader is None else reader(chain.estimator)


def opened(model: Any, space: Space) -> Chain:
    """A model taken apart, with its trees; where that fails, the model as it is."""
    try:
        chain = take_apart(model)
        return replace(chain, ensemble=ensemble_of(chain, space))
    except Exception:  # a booster of another kind than trees, or of a release not known here
        return Chain((), model)


def thresholds_of(chain: Chain) -> Mapping[int, np.ndarray]:
    """The sorted thresholds of an opened model's trees by its own columns; empty without trees."""
    if chain.entry({"catboost.CatBoost": True}):
        borders = chain.estimator.get_borders()
        return {int(j): np.asarray(cuts, np.float64) for j, cuts in borders.items() if len(cuts)}
    ensemble = chain.ensemble
    # scikit-learn's histograms put categories first: without any, its columns are the frame's.
    if ensemble is None or getattr(chain.estimator, "is_categorical_", None) is not None:
        return {}
    column = np.concatenate([tree.column[tree.ordered] for tree in ensemble.trees])
    threshold = np.concatenate([tree.threshold[tree.ordered] for tree in ensemble.trees])
    return {int(j): np.unique(threshold[column == j]) for j in np.unique(column)}
