"""From a user's model to one with a gradient.

Models of the user's own with `logits` have one, and torch modules do, through a transform that is
linear in units. Of a model whose layers can
be read, they become a `Dense` over units, behind whatever one-hot and scaling steps stand before
them; it is believed only where it decides as the model itself does.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapters.dense import Dense
from ifonly.models.adapters.table import TableModel
from ifonly.models.adapters.torch import TorchModule
from ifonly.models.protocol import Differentiable, Model
from ifonly.models.reading.chain import take_apart
from ifonly.models.reading.inputs import Inputs
from ifonly.models.reading.layers.encoding import Encoding, measure
from ifonly.models.reading.layers.networks import weights_of
from ifonly.models.reading.layers.torch import torch_inputs, torch_weights
from ifonly.models.reading.witness import Witness
from ifonly.space import Space

TOLERANCE = 1e-6
"""How far columns may be from their encoding, for their size: a gradient needs no more."""


def differentiable(model: Any, adapted: Model, space: Space, probe: np.ndarray) -> Differentiable:
    """The model with a gradient; `probe` [n, d] are codes to check it on."""
    if isinstance(adapted, TorchModule):
        return _of_torch(adapted, space, probe)
    if isinstance(adapted, Differentiable):
        return adapted
    chain, weights = take_apart(model), None
    with suppress(ModelError):  # of layers, and not of straight pieces
        weights = weights_of(chain)
    if weights is None or not isinstance(adapted, TableModel):
        raise ModelError(
            f"{chain.kind} has no gradient that ifonly can read.",
            "Use method='auto', which works for any model. A gradient is read from torch modules, "
            "logistic regression, linear SVMs and multi-layer perceptrons, alone or at the end of "
            "a pipeline, and from objects with `logits` and `logits_gradient`.",
        )
    encoding = _encoding(chain.inputs(adapted, Witness(space, probe)), space, probe)
    *rest, last = weights
    dense = Dense(encoding.before([*rest, chain.straightened(*last)]), space, adapted.classes)
    _check_agreement(dense, adapted, probe)
    return dense


def _of_torch(adapted: TorchModule, space: Space, probe: np.ndarray) -> Differentiable:
    """The layers of a module over units, or the module itself behind what makes its input."""
    layers = torch_weights(adapted)
    if adapted.transform is not None:
        encoding = _encoding(torch_inputs(adapted, Witness(space, probe)), space, probe)
        if layers is None:
            return adapted.behind(encoding.matrix, encoding.offset)
        layers = list(encoding.before(layers))
    if layers is None:
        assert isinstance(adapted, Differentiable), "it takes units"
        return adapted
    # NumPy takes small networks faster than torch does on a CPU.
    home = None if adapted.home().device.type == "cpu" else adapted.home
    return Dense(layers, space, adapted.classes, home=home)


def _encoding(inputs: Inputs, space: Space, probe: np.ndarray) -> Encoding:
    """How units become what a model sees; where they do not linearly, there is no gradient."""
    encoding = measure(inputs).centred(space)
    errors, columns = encoding.errors(inputs, probe)
    size = np.abs(columns)
    if not (errors <= TOLERANCE * (1 + size.max(initial=0) + size)).all():
        raise ModelError(
            "What stands before the model is not made of one-hot and scaling steps, so that no "
            "gradient leads through it.",
            "Use method='auto', which works for any model, or give a torch module or "
            "ifonly.models.Dense over units.",
        )
    return encoding


def _check_agreement(dense: Dense, adapted: Model, probe: np.ndarray) -> None:
    """Refuse weights that do not decide as the model does."""
    if adapted.classes:
        decided = adapted.decide(probe)
        theirs = np.argmax(adapted.scores(probe), axis=1) if decided is None else decided
        agree = bool(np.all(np.argmax(dense.scores(probe), axis=1) == theirs))
    else:
        agree = bool(np.allclose(dense.scores(probe), adapted.scores(probe), rtol=1e-5, atol=1e-8))
    if not agree:
        raise ModelError(
            "The weights read from the model do not give its decisions.",
            "Use method='auto', which asks the model itself.",
        )
