"""A published network in the forms in which people hold a network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import torch

import ifonly
from ifonly.space import Categorical
from published import Published


def module(problem: Published, device: str = "cpu") -> torch.nn.Module:
    """The network as a torch module that gives a logit."""
    layers: list[torch.nn.Module] = []
    for kernel, bias in problem.model.layers:
        linear = torch.nn.Linear(*kernel.shape)
        linear.weight.data = torch.tensor(kernel.T, dtype=torch.float32)
        linear.bias.data = torch.tensor(bias, dtype=torch.float32)
        layers += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1]).to(device).eval()


def over_units(problem: Published, device: str = "cpu") -> Any:
    """The same module as a model: the published networks take units."""
    return ifonly.as_model(module(problem, device), inputs="units")


def columns(problem: Published) -> list[tuple[str, Any]]:
    """The (feature, level) of each input of the network; a number has no level."""
    return [
        (feature.name, level)
        for feature in problem.space.features
        for level in (feature.levels if isinstance(feature, Categorical) else [None])
    ]


class FrameNetwork:
    """The network behind `predict_proba` on a DataFrame: nothing of it can be read off."""

    def __init__(self, problem: Published) -> None:
        self.classes_ = np.array([0, 1])
        self._layers = problem.model.layers
        self._features = [
            (f.name, f.levels, 0.0, 1.0)
            if isinstance(f, Categorical)
            else (f.name, None, f.low, f.high)
            for f in problem.space.features
        ]

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        """[n, 2]"""
        inputs = []
        for name, levels, low, high in self._features:
            if levels is None:
                numbers = frame[name].to_numpy(dtype=np.float64)
                inputs.append(((numbers - low) / (high - low))[:, None])
            else:
                codes = pd.Categorical(frame[name], categories=list(levels)).codes
                inputs.append(np.eye(len(levels))[codes])
        passed = np.concatenate(inputs, axis=1)
        *hidden, (kernel, bias) = self._layers
        for weights, offsets in hidden:
            passed = np.maximum(passed @ weights + offsets, 0)
        positive = 1 / (1 + np.exp(-(passed @ kernel + bias)))
        return np.concatenate([1 - positive, positive], axis=1)

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        """[n]"""
        return self.predict_proba(frame).argmax(axis=1)


def decides(problem: Published) -> Any:
    """A function from a frame to the class that the network as a torch module decides for."""
    network = module(problem)

    def predict(frame: pd.DataFrame) -> np.ndarray:
        units = problem.space.units(problem.space.codes(frame))
        with torch.no_grad():
            logits = network(torch.tensor(units, dtype=torch.float32))
        return np.asarray(logits[:, 0] >= 0).astype(int)

    return predict
