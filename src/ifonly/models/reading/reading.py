"""From a fitted model to an exact description of it, over codes, that a solver can be given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ifonly.errors import ModelError, ReadingError
from ifonly.models.adapters.dense import Dense
from ifonly.models.adapters.table import TableModel
from ifonly.models.adapters.torch import TorchModule
from ifonly.models.protocol import Model
from ifonly.models.reading.chain import Chain, take_apart
from ifonly.models.reading.inputs import is_single
from ifonly.models.reading.layers.layers import Layer, Layers
from ifonly.models.reading.layers.networks import (
    check_scores,
    over_columns,
    over_units,
    weights_of,
)
from ifonly.models.reading.layers.torch import torch_inputs, torch_weights
from ifonly.models.reading.link import scores_of
from ifonly.models.reading.points import spread
from ifonly.models.reading.trees.ensembles import ensemble_of
from ifonly.models.reading.trees.to_codes import lower
from ifonly.models.reading.trees.trees import Trees
from ifonly.models.reading.witness import Witness
from ifonly.space import Space

Reading: TypeAlias = Layers | Trees
SUPPORTED = (
    "Supported are linear and logistic regressions, linear support vector machines, multi-layer "
    "perceptrons with ReLU, torch Sequentials of Linear and ReLU, and scikit-learn's, XGBoost's "
    "and LightGBM's trees, alone or behind scalers and encoders. method='auto' takes any model."
)
POINTS = 256
"""Points of the space on which measures are checked."""
CELLS = 1 << 27
"""The most leaves times unit columns of trees that are sketched."""


def read(model: Any, adapted: Model, space: Space, data: np.ndarray) -> Reading:
    """The reading of a model; one of no known kind is refused by name.

    `adapted` is the model over the space, `data` [n, d] are the codes of all rows that are known.
    A reading is believed only where `check_reading` finds nothing.
    """
    if len(adapted.classes) == 1:
        raise ModelError(
            f"The model knows only one class, {adapted.classes[0]!r}.",
            "Fit it on rows of two classes at least: it has nothing else to decide for.",
        )
    probe = np.concatenate([data[:POINTS], spread(space, POINTS, seed=0)])
    if isinstance(adapted, Dense):
        return over_units(adapted.layers, adapted.classes, probe, space, single=False)
    if isinstance(adapted, TorchModule):
        return _torch(adapted, space, probe, data)
    if not isinstance(adapted, TableModel):
        raise ModelError(f"A model of the kind {type(model).__name__} cannot be read.", SUPPORTED)
    chain, witness = take_apart(model), Witness.of(space, data)
    weights = weights_of(chain)
    if weights is not None:
        check_scores(chain)
        return _scaled(_network(weights, chain, adapted, probe, witness), chain)
    return _scaled(_trees(chain, adapted, probe, witness), chain)


def sketched(model: Any, adapted: Model, space: Space, data: np.ndarray) -> Trees | None:
    """The trees of a model as they are on the value grid, found faster, and not checked.

    None where it is of another kind, cannot be read, or has too many leaves. What is said
    of them is a proposal, for the model to judge.
    """
    if not isinstance(adapted, TableModel):
        return None
    try:
        chain, witness = take_apart(model), Witness.of(space, data[:POINTS])
        probe = np.concatenate([data[:POINTS], spread(space, POINTS, seed=0)])
        reading = _scaled(_trees(chain, adapted, probe, witness, grid=True), chain)
    except Exception:  # trees of a release not known here
        return None
    return reading if isinstance(reading, Trees) else None


def _torch(adapted: TorchModule, space: Space, probe: np.ndarray, data: np.ndarray) -> Layers:
    layers = torch_weights(adapted)
    if layers is None:
        raise ModelError(
            f"The module {type(adapted.module).__name__} cannot be read: it is not a Sequential of "
            "Linear and ReLU.",
            SUPPORTED,
        )
    single = not adapted.double
    if adapted.transform is None:
        return over_units(layers, adapted.classes, probe, space, single=single)
    inputs = torch_inputs(adapted, Witness.of(space, data))
    return over_columns(layers, adapted.classes, probe, inputs, single=single)


def _network(
    layers: list[Layer], chain: Chain, adapted: TableModel, probe: np.ndarray, witness: Witness
) -> Layers:
    inputs = chain.inputs(adapted, witness)
    single = is_single(chain.seen(adapted, probe[:1]))
    reading = over_columns(layers, adapted.classes, probe, inputs, single=single)
    if not adapted.classes:
        return reading
    # Of several classes, some models make probabilities of each against the rest.
    theirs = adapted.scores(probe)
    for link in ("softmax", "odds") if reading.link == "softmax" else (reading.link,):
        if np.allclose(scores_of(link, reading.margins(probe)), theirs, rtol=0, atol=1e-4):
            return replace(reading, link=link)
    raise ReadingError(
        f"The probabilities of {chain.kind} do not follow from its decision values.", SUPPORTED
    )


def _trees(
    chain: Chain, adapted: TableModel, probe: np.ndarray, witness: Witness, *, grid: bool = False
) -> Trees:
    sparse = hasattr(chain.seen(adapted, probe[:1]), "toarray")
    ensemble = ensemble_of(chain, adapted.space, sparse=sparse)
    if ensemble is None:
        raise ModelError(f"A model of the kind {chain.kind} cannot be read.", SUPPORTED)
    if ensemble.refusal is not None:
        raise ensemble.refusal
    ensemble = replace(ensemble, trees=ensemble.trees[: ensemble.used])
    leaves = sum(len(tree.value) for tree in ensemble.trees)
    if grid and leaves * adapted.space.offsets[-1] > CELLS:
        raise ModelError(f"This {chain.kind} has {leaves} leaves.")
    if not ensemble.trees:
        raise ModelError(f"This {chain.kind} has no trees.", "Fit it for at least one round.")
    if (ensemble.link == "number") == bool(adapted.classes):
        raise ModelError(
            f"{chain.kind} has {len(adapted.classes)} classes, and its trees add up to a "
            f"{ensemble.link}.",
            SUPPORTED,
        )
    inputs = chain.inputs(adapted, witness, ensemble.see)
    inputs = replace(inputs, count=POINTS) if grid else inputs
    trees = lower(ensemble, inputs, probe, grid=grid)
    if ensemble.share != 1:
        trees = tuple(replace(tree, value=tree.value / ensemble.share) for tree in trees)
    none = np.zeros(trees[0].value.shape[1])
    reading = Trees(adapted.space, adapted.classes, trees, none, ensemble.link, 0.0)
    size = sum(float(np.abs(tree.value).max()) for tree in trees)
    if ensemble.sums is None:
        return replace(reading, rounding=ensemble.relative * max(1.0, size))
    sums = np.asarray(ensemble.sums(chain.seen(adapted, probe)), dtype=np.float64)
    rest = sums.reshape(len(probe), -1) - reading.margins(probe)
    base = np.median(rest, axis=0)
    rounding = ensemble.relative * max(1.0, size + float(np.abs(base).max()))
    if (np.abs(rest - base) > rounding).any():
        raise ReadingError(
            f"The trees of {chain.kind} add up to its own sums only with a part that varies.",
            "A starting model other than a constant is not read. Use method='auto'.",
        )
    return replace(reading, base=base, rounding=rounding)


def _scaled(reading: Reading, chain: Chain) -> Reading:
    """The reading of a regression whose numbers go through a straight line."""
    if (chain.slope, chain.shift) == (1.0, 0.0):
        return reading
    # In the precision of the line, where its shift is what is large.
    rounding = abs(chain.slope) * reading.rounding + 1e-15 * abs(chain.shift)
    if isinstance(reading, Layers):
        *rest, last = reading.layers
        if not rest:
            reading = replace(reading, missing=reading.missing * chain.slope)
        layers = (*rest, chain.straightened(*last))
        return replace(reading, layers=layers, rounding=rounding)
    trees = tuple(replace(tree, value=tree.value * chain.slope) for tree in reading.trees)
    base = reading.base * chain.slope + chain.shift
    return replace(reading, trees=trees, base=base, rounding=rounding)
