"""LightGBM's trees, from its own dump: double precision, and 'at most'.

Categories that a node lists go left, and a missing category goes right. An ordered category is a
number to it. The constant of a model is part of its first tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import ModelError
from ifonly.models.adapters.columns import with_categories
from ifonly.models.reading.inputs import numbers
from ifonly.models.reading.trees.grown import Ensemble, Grown, at_most
from ifonly.space import Space

RELATIVE = 1e-12
ZERO = float(np.float32(1e-35))
"""Up to here a number of a dense matrix is zero to LightGBM; it cuts beside zero at just that."""
LINKS = {
    "binary": "logit",
    "cross_entropy": "logit",
    "multiclass": "softmax",
    "regression": "number",
    "regression_l1": "number",
    "huber": "number",
    "fair": "number",
    "quantile": "number",
    "mape": "number",
}


def read_lightgbm(estimator: Any, space: Space, *, sparse: bool) -> Ensemble:
    """The trees of an LGBMModel or a Booster; `sparse` says that it is given sparse matrices."""
    wrapped = hasattr(estimator, "booster_")
    booster = estimator.booster_ if wrapped else estimator
    dump = booster.dump_model()
    link, factor = _link(str(dump.get("objective", "")))
    c = int(dump["num_tree_per_iteration"])
    trees = dump["tree_info"]
    if dump.get("average_output"):
        factor /= len(trees) / c
    return Ensemble(
        tuple(
            _grown(tree["tree_structure"], factor * np.eye(c)[i % c])
            for i, tree in enumerate(trees)
        ),
        at_most if sparse else _at_most,
        link,
        RELATIVE,
        partial(_see, None if wrapped else space, booster.pandas_categorical),
    )


def _at_most(values: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    return at_most(np.where(np.abs(values) <= ZERO, 0.0, values), thresholds)


def _link(objective: str) -> tuple[str, float]:
    """The link of an objective such as 'binary sigmoid:1', and what its sums are multiplied by."""
    name, *options = objective.split(" ")
    if name not in LINKS or "sqrt" in options:
        raise ModelError(
            f"LightGBM's objective {objective!r} is none whose scores can be read off its sums.",
            f"Read are: {', '.join(LINKS)}. Use method='auto', which works for any model.",
        )
    steep = [option.partition(":")[2] for option in options if option.startswith("sigmoid:")]
    return LINKS[name], float(steep[0]) if steep else 1.0


def _grown(root: Mapping[str, Any], place: np.ndarray) -> Grown:
    nodes: list[Mapping[str, Any]] = [root]
    left, right = [], []
    for node in nodes:  # grows while it is gone through
        if "left_child" in node:
            nodes += [node["left_child"], node["right_child"]]
        left.append(len(nodes) - 2)
        right.append(len(nodes) - 1)
    leaf = np.array(["left_child" not in node for node in nodes])
    if any("leaf_coeff" in node for node in nodes):
        raise ModelError(
            "LightGBM's trees with a linear model in each leaf are not read.",
            "Fit linear_tree=False.",
        )
    return Grown.of(
        np.array(left),
        np.array(right),
        leaf=leaf,
        column=np.array([node.get("split_feature", 0) for node in nodes]),
        threshold=np.array([_threshold(node) for node in nodes]),
        missing=np.array([_missing(node) for node in nodes]),
        value=np.array([node.get("leaf_value", 0.0) for node in nodes])[:, None] * place,
        listed={
            i: np.array([float(value) for value in node["threshold"].split("||")])
            for i, node in enumerate(nodes)
            if node.get("decision_type") == "=="
        },
    )


def _threshold(node: Mapping[str, Any]) -> float:
    return float(node["threshold"]) if node.get("decision_type") == "<=" else np.nan


def _missing(node: Mapping[str, Any]) -> bool:
    """Whether a missing value goes left: by default, or as the zero that it is taken for."""
    if node.get("decision_type") != "<=":
        return False
    if node["missing_type"] == "Zero":
        raise ModelError(
            "The model takes zero for a missing value.", "Fit it with zero_as_missing=False."
        )
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return bool(node["threshold"] >= 0)


def _see(space: Space | None, known: Sequence[Sequence[Any]] | None, seen: Any) -> np.ndarray:
    frame = seen if space is None else with_categories(space, seen)
    if not isinstance(frame, pd.DataFrame):
        return numbers(frame)
    lists = iter(known or ())
    return numbers(
        frame,
        [
            next(lists, None) if isinstance(dtype, pd.CategoricalDtype) else None
            for dtype in frame.dtypes
        ],
    )
