"""Which features a model ignores: no value of theirs can change its scores.

Trees read the columns that some node asks, linear models and networks those with a weight that is
not zero. Which features these columns come from is known of scikit-learn's own steps; every other
step is taken to read all that it is given. The proof is in what was fitted: a few points that are
asked as well can only refute it.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ifonly.models.adapters.dense import Dense
from ifonly.models.adapters.table import TableModel
from ifonly.models.adapters.torch import TorchModel
from ifonly.models.protocol import Model
from ifonly.models.reading.chain import Chain
from ifonly.models.reading.layers.networks import weights_of
from ifonly.models.reading.layers.torch import torch_weights
from ifonly.models.reading.points import spread
from ifonly.space import Space

LIBRARIES = ("sklearn", "xgboost", "lightgbm")
"""The libraries whose own classes are known; a class that descends from one may read more."""
ALONE = (
    "StandardScaler",
    "MinMaxScaler",
    "MaxAbsScaler",
    "RobustScaler",
    "QuantileTransformer",
    "PowerTransformer",
    "Binarizer",
    "OrdinalEncoder",
)
"""Steps of scikit-learn that make one column of each, and look at no other."""
ASKED = 64
"""Points that may refute the proof."""


def ignored_features(
    model: Any, chain: Chain, adapted: Model, space: Space, probe: np.ndarray
) -> np.ndarray:
    """bool [d] the features that a model, `adapted` to a space, provably ignores.

    `chain` is the same model, opened. None where it cannot be read, or where it says otherwise
    about rows `probe` [n, d] that are given other values.
    """
    none = np.zeros(len(space), dtype=bool)
    try:
        ignored = ~_read_features(model, chain, adapted, space)
        if not ignored.any():
            return none
        rows = probe[:ASKED]
        others = np.where(ignored, spread(space, len(rows), seed=4), rows)
        scores = np.asarray(adapted.scores(np.concatenate([rows, others])))
    except Exception:  # a model or a step of another kind, or of a release not known here
        return none
    nearly = 1e-6 * (1 + np.abs(scores).max())
    return none if (np.abs(np.diff(np.split(scores, 2), axis=0)) > nearly).any() else ignored


def _read_features(model: Any, chain: Chain, adapted: Model, space: Space) -> np.ndarray:
    """bool [d] the features that may change the scores."""
    if isinstance(adapted, Dense | TorchModel):
        layers = torch_weights(adapted) if isinstance(adapted, TorchModel) else adapted.layers
        if layers is None:
            return np.ones(len(space), dtype=bool)
        return np.logical_or.reduceat(_weighted(layers[0][0]), space.offsets[:-1])
    if not isinstance(adapted, TableModel) or not all(map(_known, (model, chain.estimator))):
        return np.ones(len(space), dtype=bool)
    width = len(space) if not chain.steps else chain.estimator.n_features_in_
    read = _read_columns(chain, width)
    for step in reversed(chain.steps):
        read = _passes(step, step.n_features_in_, len(read)) @ read
    order = adapted.columns or space.names
    return np.asarray(read[[order.index(name) for name in space.names]])


def _read_columns(chain: Chain, width: int) -> np.ndarray:
    """bool [width] the columns that the last estimator reads; all of one that is not known."""
    estimator = chain.estimator
    if chain.entry({"sklearn.BaseMultilayerPerceptron": True}):
        return _weighted(estimator.coefs_[0])
    weights = weights_of(chain)
    if weights is not None:  # a support vector machine multiplies by its vectors, not by weights
        machine = chain.entry({"sklearn.BaseLibSVM": True})
        return np.ones(width, dtype=bool) if machine else _weighted(weights[0][0])
    ensemble = chain.ensemble
    own_order = getattr(estimator, "is_categorical_", None) is not None
    varying = not type(getattr(estimator, "init_", None)).__name__.startswith(("None", "Dummy"))
    if ensemble is None or ensemble.refusal is not None or own_order or varying:
        return np.ones(width, dtype=bool)
    read = np.zeros(width, dtype=bool)
    for tree in ensemble.trees:
        read[tree.column] = True
    return read


def _passes(step: Any, inputs: int, outputs: int) -> np.ndarray:
    """bool [inputs, outputs] which columns of a step may change which of its output."""
    every, alone = np.ones((inputs, outputs), dtype=bool), np.eye(inputs, dtype=bool)
    kind, table = type(step).__name__, every
    if not _known(step):
        return every
    if kind == "ColumnTransformer":
        table = np.zeros_like(every)
        for name, part, _ in step.transformers_:
            own, place = step._transformer_to_input_indices[name], step.output_indices_[name]
            given = range(outputs)[place]
            table[np.ix_(own, given)] |= _passes(part, len(own), len(given))
    elif kind == "Pipeline":
        parts = [part for _, part in step.steps]
        widths = [inputs, *(part.n_features_in_ for part in parts[1:]), outputs]
        table = reduce(np.matmul, map(_passes, parts, widths, widths[1:]))
    elif kind == "OneHotEncoder":
        table = np.repeat(alone, step._n_features_outs, axis=1)
    elif hasattr(step, "get_support"):
        table = alone[:, step.get_support()]
    elif (
        kind in ALONE
        or (kind == "SimpleImputer" and not step.add_indicator)
        or (kind == "FunctionTransformer" and step.func is None)
    ):
        table = alone
    return table if table.shape == every.shape else every


def _weighted(kernel: np.ndarray) -> np.ndarray:
    """bool [in] the inputs of a kernel [in, out] with a weight that is not zero."""
    return np.asarray((np.asarray(kernel) != 0).any(axis=1))


def _known(thing: Any) -> bool:
    return type(thing).__module__.partition(".")[0] in LIBRARIES
