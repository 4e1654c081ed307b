"""The layers of a torch Sequential of Linear and ReLU, and the columns that it is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapters.torch import SQUASHING, TorchModule
from ifonly.models.reading.inputs import Inputs
from ifonly.models.reading.layers.layers import Layer
from ifonly.models.reading.witness import Witness


def torch_weights(model: TorchModule) -> list[Layer] | None:
    """The layers up to the logits, or None where Linear and ReLU do not take turns.

    A last layer that only makes probabilities of logits is left out.
    """
    layers = _flat(model.module)
    probabilities = model.gives == "probabilities"
    last = SQUASHING if probabilities else ("LogSoftmax",)
    if model.classes and layers and type(layers[-1]).__name__ in last:
        layers.pop()
    elif probabilities:
        return None
    kinds = [type(layer).__name__ for layer in layers]
    if kinds != ["Linear", "ReLU"] * (len(kinds) // 2) + ["Linear"]:
        return None
    return [(_array(layer.weight).T, _bias(layer)) for layer in layers[::2]]


def torch_inputs(model: TorchModule, witness: Witness) -> Inputs:
    """The columns that a module is given by the user's transform."""

    def see(codes: np.ndarray) -> np.ndarray:
        (columns, *more) = model.given(codes)
        if more or columns.ndim != 2 or not columns.is_floating_point():
            raise ModelError(
                "The transform does not make one matrix of numbers, so that nothing is read "
                "through it.",
                "Use method='auto', which works for any model.",
            )
        return np.asarray(columns.double().cpu().numpy())

    return Inputs(witness, see)


def _flat(module: Any) -> list[Any]:
    """The layers of a Sequential, nested ones too, without those that do nothing once trained."""
    if any(base.__name__ == "Sequential" for base in type(module).__mro__):
        return [layer for part in module for layer in _flat(part)]
    idle = type(module).__name__ in ("Dropout", "Identity") and not module.training
    flat = type(module).__name__ == "Flatten" and module.start_dim == 1
    return [] if idle or flat else [module]


def _bias(layer: Any) -> np.ndarray:
    return np.zeros(layer.out_features) if layer.bias is None else _array(layer.bias)


def _array(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().cpu().numpy(), dtype=np.float64)
