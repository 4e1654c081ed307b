"""LightGBM's trees, from its own dump: double precision, and 'at most'.

Categories that a node lists go left, and a missing category goes right. An ordered category is a
number to it. The constant of a model is part of its first tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ifonly.errors import ModelError
from ifonly.models.adapters.table import with_categories
from ifonly.models.reading.inputs import numbers
from ifonly.models.reading.trees.grown import Ensemble, Grown, at_most
from ifonly.space import Space

Node: TypeAlias = Mapping[str, Any]
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
    objective = str(dump.get("objective", ""))
    link, factor = _link(objective)
    c = int(dump["num_tree_per_iteration"])
    trees = [_nodes(tree["tree_structure"]) for tree in dump["tree_info"]]
    if dump.get("average_output"):
        factor /= len(trees) / c
    return Ensemble(
        tuple(_grown(nodes, factor * np.eye(c)[i % c]) for i, nodes in enumerate(trees)),
        at_most if sparse else _at_most,
        link,
        RELATIVE,
        partial(_see, None if wrapped else space, booster.pandas_categorical),
        refusal=_refusal(objective, link, chain.from_iterable(trees)),
    )


def _at_most(values: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    return at_most(np.where(np.abs(values) <= ZERO, 0.0, values), thresholds)


def _link(objective: str) -> tuple[str, float]:
    """The link of an objective such as 'binary sigmoid:1', and what its sums are multiplied by."""
    name, *options = objective.split(" ")
    steep = [option.partition(":")[2] for option in options if option.startswith("sigmoid:")]
    link = "" if "sqrt" in options else LINKS.get(name, "")
    return link, float(steep[0]) if steep else 1.0


def _refusal(objective: str, link: str, nodes: Iterable[Node]) -> ModelError | None:
    """Why the scores of a model do not follow from its nodes, where they do not."""
    if not link:
        return ModelError(
            f"LightGBM's objective {objective!r} is not one whose scores follow from its sums.",
            f"Supported: {', '.join(LINKS)}. Use method='auto', which works for any model.",
        )
    for node in nodes:
        if "leaf_coeff" in node:
            return ModelError(
                "LightGBM's trees with a linear model in each leaf are not read.",
                "Fit linear_tree=False.",
            )
        if node.get("decision_type") == "<=" and node["missing_type"] == "Zero":
            return ModelError(
                "The model treats zero as missing.", "Fit it with zero_as_missing=False."
            )
    return None


def _nodes(root: Node) -> list[Node]:
    """The nodes of a tree, level by level: the children of a node stand side by side."""
    nodes = [root]
    for node in nodes:  # grows while it is gone through
        if "left_child" in node:
            nodes += [node["left_child"], node["right_child"]]
    return nodes


def _grown(nodes: list[Node], place: np.ndarray) -> Grown:
    leaf = np.array(["left_child" not in node for node in nodes])
    right = 2 * np.cumsum(~leaf)
    return Grown.of(
        right - 1,
        right,
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


def _threshold(node: Node) -> float:
    return float(node["threshold"]) if node.get("decision_type") == "<=" else np.nan


def _missing(node: Node) -> bool:
    """Whether a missing value goes left: by default, or as the zero that it is taken for."""
    if node.get("decision_type") != "<=":
        return False
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
