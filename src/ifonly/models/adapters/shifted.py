"""A model of two classes that decides at another threshold than one half."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from array_api_compat import array_namespace

from ifonly.models.protocol import Differentiable


@dataclass(frozen=True)
class Shifted:
    """The logits of a model, moved so that they cross zero where the score is the threshold."""

    model: Differentiable
    threshold: float

    def logits(self, units: Any) -> Any:
        """[n, 2] the moved logits of units [n, w]."""
        return self._moved(self.model.logits(units))

    def logits_gradient(self, units: Any, weights: Any) -> tuple[Any, Any]:
        """[n, 2] the moved logits, and the gradient, which moving leaves as it is."""
        logits, gradient = self.model.logits_gradient(units, weights)
        return self._moved(logits), gradient

    def _moved(self, logits: Any) -> Any:
        xp = array_namespace(logits)
        shift = math.log(self.threshold / (1 - self.threshold))
        return xp.concat([logits[:, :1] + shift, logits[:, 1:]], axis=1)
