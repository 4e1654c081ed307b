"""Where a tree ensemble can change its mind: the split points of each feature.

Between two neighbouring split points nothing changes, so the values worth trying are the two beside
each. Splits are read off the fitted trees: in the columns that the model itself sees, which are the
features where it takes the frame, and are looked up in the tables of the direct route where it
stands at the end of a pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ifonly.models.adapters.table import TableModel
from ifonly.models.protocol import Model
from ifonly.models.routes.pipeline_table import Direct
from ifonly.space import Continuous, Space

Thresholds = Mapping[int, np.ndarray]
"""Sorted thresholds by input column."""


def read_stops(model: Any, route: Model, space: Space) -> dict[int, np.ndarray]:
    """For each continuous feature that a tree model splits, the codes beside its split points.

    Empty where the model is not of trees, or not of a kind whose trees can be read.
    """
    estimator = model[-1] if hasattr(model, "steps") else model
    try:
        found = _thresholds(estimator)
    except Exception:  # a booster of another kind than trees, or of a release not known here
        return {}
    if not found:
        return {}
    if isinstance(route, Direct):
        return _looked_up(found, route)
    if isinstance(route, TableModel) and not hasattr(model, "steps"):
        order = route.columns or space.names
        named = {space.index(order[column]): cuts for column, cuts in found.items()}
        beside = {j: _beside(cuts, space, j) for j, cuts in named.items() if space.continuous[j]}
        return {j: stops for j, stops in beside.items() if len(stops)}
    return {}


def _thresholds(estimator: Any) -> Thresholds:
    for name, reader in _READERS.items():
        if any(
            name == f"{base.__module__.partition('.')[0]}.{base.__name__}"
            for base in type(estimator).__mro__
        ):
            return reader(estimator)
    return {}


def _sklearn_trees(estimator: Any) -> Thresholds:
    """Forests, bagged trees, single trees and gradient boosting."""
    trees = np.ravel(getattr(estimator, "estimators_", [estimator]))
    feature = np.concatenate([tree.tree_.feature for tree in trees])
    threshold = np.concatenate([tree.tree_.threshold for tree in trees])
    return {int(j): np.unique(threshold[feature == j]) for j in np.unique(feature) if j >= 0}


def _hist_boosting(estimator: Any) -> Thresholds:
    nodes = np.concatenate([tree.nodes for group in estimator._predictors for tree in group])
    nodes = nodes[(nodes["is_leaf"] == 0) & (nodes["is_categorical"] == 0)]
    # The booster may put categories first; without them its columns are the frame's.
    if getattr(estimator, "is_categorical_", None) is not None:
        return {}
    columns = nodes["feature_idx"]
    return {int(j): np.unique(nodes["num_threshold"][columns == j]) for j in np.unique(columns)}


def _xgboost(estimator: Any) -> Thresholds:
    booster = estimator.get_booster() if hasattr(estimator, "get_booster") else estimator
    frame = booster.trees_to_dataframe()
    names = booster.feature_names or []
    found = {}
    for name, part in frame[frame["Split"].notna()].groupby("Feature"):
        column = names.index(name) if name in names else int(str(name).removeprefix("f"))
        found[column] = np.unique(part["Split"].to_numpy(dtype=np.float64))
    return found


def _lightgbm(estimator: Any) -> Thresholds:
    booster = getattr(estimator, "booster_", estimator)
    frame = booster.trees_to_dataframe()
    names = booster.feature_name()
    frame = frame[(frame["decision_type"] == "<=") & frame["threshold"].notna()]
    return {
        names.index(name): np.unique(part["threshold"].to_numpy(dtype=np.float64))
        for name, part in frame.groupby("split_feature")
    }


def _catboost(estimator: Any) -> Thresholds:
    borders = estimator.get_borders()
    return {int(j): np.asarray(cuts, dtype=np.float64) for j, cuts in borders.items() if len(cuts)}


_READERS: dict[str, Callable[[Any], Thresholds]] = {
    "sklearn.BaseForest": _sklearn_trees,
    "sklearn.BaseDecisionTree": _sklearn_trees,
    "sklearn.BaseGradientBoosting": _sklearn_trees,
    "sklearn.BaseHistGradientBoosting": _hist_boosting,
    "xgboost.XGBModel": _xgboost,
    "xgboost.Booster": _xgboost,
    "lightgbm.LGBMModel": _lightgbm,
    "lightgbm.Booster": _lightgbm,
    "catboost.CatBoost": _catboost,
}


def _looked_up(found: Thresholds, route: Direct) -> dict[int, np.ndarray]:
    """The codes on either side of each threshold, by the tables of the direct route."""
    stops = {}
    for j, columns in enumerate(route.columns):
        if not route.table.space.continuous[j] or len(columns) != 1:
            continue
        cuts = found.get(int(columns[0]), np.empty(0))
        seen = route.entries[j][:, 0].astype(np.float32)  # as trees see it
        if len(seen) < 2 or not (np.diff(seen) >= 0).all():
            continue
        after = np.searchsorted(seen, cuts.astype(np.float32), side="right")
        before = np.searchsorted(seen, cuts.astype(np.float32), side="left")
        places = np.concatenate([after - 1, after, before - 1, before])
        places = np.unique(places[(places >= 0) & (places < len(seen))])
        if len(places):  # no tree asks it, or none within its range
            stops[j] = route.values[j][places]
    return stops


def _beside(cuts: np.ndarray, space: Space, j: int) -> np.ndarray:
    """The codes on either side of thresholds in the feature's own numbers."""
    feature = space.features[j]
    assert isinstance(feature, Continuous)
    steps = np.floor(cuts / feature.step)
    values = np.concatenate([steps - 1, steps, steps + 1, steps + 2]) * feature.step
    values = np.round(values, feature.decimals)
    return np.unique(values[(values >= feature.low) & (values <= feature.high)])
