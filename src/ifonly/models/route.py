"""The fastest way to a model's scores that a probe shows to be the model's.

The search may take it; the judge never does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.dense import Dense
from ifonly.models.differentiable import differentiable
from ifonly.models.direct import direct
from ifonly.models.lookup import Lookup
from ifonly.models.protocol import Model
from ifonly.models.table import TableModel
from ifonly.models.torch import TorchModel
from ifonly.space import Space


def route(model: Any, adapted: Model, space: Space, probe: np.ndarray) -> Model:
    """Layers or tables in place of a pipeline, where they give what it gives on `probe` [n, d]."""
    if isinstance(adapted, Dense):
        return Lookup.of(adapted)
    if isinstance(adapted, TorchModel):
        read = differentiable(model, adapted, space, probe)
        return Lookup.of(read) if isinstance(read, Dense) else adapted
    if not isinstance(adapted, TableModel) or not hasattr(model, "steps") or not len(probe):
        return adapted
    try:
        read = differentiable(model, adapted, space, probe)
    except ModelError:
        return direct(model, adapted, probe) or adapted
    return Lookup.of(read) if isinstance(read, Dense) else adapted
