"""XGBoost's trees, from the text that it saves: single precision, and 'less than'.

Categories that a node lists go right. The sums are XGBoost's own, in single precision, so a
reading, which adds in double, differs from them by their rounding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import ModelError
from ifonly.models.adapters.table import with_categories
from ifonly.models.reading.inputs import numbers
from ifonly.models.reading.trees.grown import Ensemble, Grown, below_single
from ifonly.space import Space

LINKS = {
    "binary:logistic": "logit",
    "multi:softprob": "softmax",
    "multi:softmax": "softmax",
    "reg:squarederror": "number",
    "reg:absoluteerror": "number",
    "reg:pseudohubererror": "number",
    "reg:quantileerror": "number",
}


def read_xgboost(estimator: Any, space: Space, *, sparse: bool) -> Ensemble:
    """The trees of an XGBModel or a Booster; `sparse` says that it is given sparse matrices."""
    wrapped = hasattr(estimator, "get_booster")
    booster = estimator.get_booster() if wrapped else estimator
    learner = json.loads(booster.save_raw("json"))["learner"]
    refusal = _refusal(learner, getattr(estimator, "missing", np.nan))
    boosted = learner["gradient_booster"]
    model = boosted.get("gbtree", boosted)["model"]
    if "trees" not in model and refusal is not None:
        raise refusal
    c = max(1, int(learner["learner_model_param"]["num_class"]))
    trees = tuple(
        _grown(tree, np.eye(c)[place])
        for tree, place in zip(model["trees"], model["tree_info"], strict=True)
    )
    used = _used(estimator, model) if wrapped else len(trees)
    return Ensemble(
        trees,
        below_single,
        LINKS.get(learner["objective"]["name"], ""),
        _relative(used),
        partial(_see, None if wrapped else space, _categories(model)),
        partial(estimator.predict, output_margin=True)
        if wrapped
        else partial(_sums, booster, space),
        listed_left=False,
        zero_is_missing=sparse or getattr(estimator, "missing", np.nan) == 0,
        used=used,
        single=True,
        refusal=refusal,
    )


def _refusal(learner: Mapping[str, Any], gap: float | None) -> ModelError | None:
    """Why the scores of a model do not follow from its trees, where they do not."""
    objective = learner["objective"]["name"]
    boosted = learner["gradient_booster"]
    if boosted["name"] != "gbtree":
        return ModelError(
            f"XGBoost's booster {boosted['name']!r} is not a sum of trees.", "Fit booster='gbtree'."
        )
    if objective not in LINKS:
        return ModelError(
            f"XGBoost's objective {objective!r} is not one whose scores follow from its sums.",
            f"Supported: {', '.join(LINKS)}. Use method='auto', which works for any model.",
        )
    trees = boosted["model"]["trees"]
    if any(int(tree["tree_param"]["size_leaf_vector"]) > 1 for tree in trees):
        return ModelError(
            "XGBoost's trees with a vector in each leaf are not read.",
            "Fit multi_strategy='one_output_per_tree'.",
        )
    if gap not in (0, None) and not np.isnan(gap):
        return ModelError(
            f"The model treats {gap:g} as missing.", "Fit it with missing=float('nan')."
        )
    return None


def _relative(trees: int) -> float:
    """How far single precision takes a sum: its roundings, one per tree, do not all go one way."""
    return float(2 * np.finfo(np.float32).eps * np.sqrt(max(16, trees)))


def _used(estimator: Any, model: Mapping[str, Any]) -> int:
    """How many trees the scikit-learn interface uses: those up to the best round."""
    try:
        best = int(estimator.best_iteration)
    except AttributeError:
        return len(model["trees"])
    return int(model["iteration_indptr"][best + 1])


def _grown(tree: Mapping[str, Any], place: np.ndarray) -> Grown:
    left = np.array(tree["left_children"], dtype=np.intp)
    condition = np.array(tree["split_conditions"], dtype=np.float32).astype(np.float64)
    categories = np.array(tree.get("categories", ()), dtype=np.float64)
    listed = {
        int(node): categories[start : start + size]
        for node, start, size in zip(
            tree.get("categories_nodes", ()),
            tree.get("categories_segments", ()),
            tree.get("categories_sizes", ()),
            strict=True,
        )
    }
    return Grown.of(
        left,
        np.array(tree["right_children"], dtype=np.intp),
        leaf=left < 0,
        column=np.array(tree["split_indices"]),
        # As XGBoost prints them: nine digits tell all numbers of single precision apart.
        threshold=np.char.mod("%.9g", condition).astype(np.float64),
        missing=np.array(tree["default_left"]),
        value=condition[:, None] * place,
        listed=listed,
    )


def _categories(model: Mapping[str, Any]) -> list[list[Any] | None]:
    """The categories of each column that the model was trained with, where it remembers them."""
    return [_names(one) for one in model.get("cats", {}).get("enc", ())]


def _names(column: Mapping[str, Any]) -> list[Any] | None:
    values = column["values"]
    if "offsets" not in column:
        return list(values) or None
    text = bytes(value & 0xFF for value in values)
    ends = column["offsets"]
    names = [text[a:b].decode("utf-8", errors="replace") for a, b in pairwise(ends)]
    return names or None


def _see(space: Space | None, categories: list[list[Any] | None], seen: Any) -> np.ndarray:
    """The columns, a category as its place among those of the training.

    Where the model has no such names (before 3.1, or because XGBoost cuts names that are not ASCII
    at the wrong bytes), it takes the places that the frame itself has.
    """
    frame = seen if space is None else with_categories(space, seen)
    if not isinstance(frame, pd.DataFrame):
        return numbers(frame)
    own = [list(getattr(dtype, "categories", ())) for dtype in frame.dtypes]
    known = categories or [None] * len(own)
    return numbers(
        frame,
        [
            names if names and set(here) <= set(names) else None
            for names, here in zip(known, own, strict=True)
        ],
    )


def _sums(booster: Any, space: Space, seen: Any) -> Any:
    import xgboost

    matrix = xgboost.DMatrix(with_categories(space, seen), enable_categorical=True)
    return booster.predict(matrix, output_margin=True)
