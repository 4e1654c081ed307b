"""The fastest way to a model's scores that a probe shows to be the model's.

The search may take it; the judge never does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapters.dense import Dense
from ifonly.models.adapters.table import TableModel
from ifonly.models.adapters.torch import TorchModel
from ifonly.models.differentiable import differentiable
from ifonly.models.protocol import Model
from ifonly.models.routes.lookup import Lookup
from ifonly.models.routes.pipeline_table import Direct, direct
from ifonly.space import Space


def route(model: Any, adapted: Model, space: Space, probe: np.ndarray) -> Model:
    """Layers or tables in place of a pipeline, where they give what it gives on `probe` [n, d]."""
    if isinstance(adapted, Dense):
        return Lookup.of(adapted)
    if isinstance(adapted, TorchModel):
        read = differentiable(model, adapted, space, probe)
    elif isinstance(adapted, TableModel) and hasattr(model, "steps") and len(probe):
        try:
            read = differentiable(model, adapted, space, probe)
        except ModelError:
            return direct(model, adapted, probe) or adapted
    else:
        return adapted
    return Lookup.of(read) if isinstance(read, Dense) and read.home is None else adapted


def contradicts(route: Model, said: np.ndarray, scores: np.ndarray) -> bool:
    """Whether what a route has `said` [n, c] cannot be a model's `scores` [n, c].

    Tables give the same scores but for the order in which trees are added up. Layers are read in
    single precision and give logits: there, decisions are compared where they are clear.
    """
    if isinstance(route, Direct):
        return not np.allclose(
            said, scores, rtol=0, atol=1e-9 * (1 + np.abs(scores).max(initial=0))
        )
    if not isinstance(route, Lookup):
        return False
    if scores.shape[1] == 1:
        return not np.allclose(said, scores, rtol=0.01, atol=0.01 * (1 + scores.std()))
    ordered = np.sort(said, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 0.01 * (1 + np.abs(ordered).max(axis=1))
    return bool((said.argmax(axis=1) != scores.argmax(axis=1))[clear].any())
