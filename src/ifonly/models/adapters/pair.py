"""A model of the user's own functions over units: its logits and their gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from array_api_compat import array_namespace

from ifonly.models.adapters.table import check_scores, run
from ifonly.space import Space


@dataclass(frozen=True)
class PairModel:
    """Two functions of units [n, w].

    `value` gives logits: [n] of the second of two classes, [n, c], or [n] numbers of a regression.
    `slope` takes units and weights [n, c] and gives the gradient [n, w] of the weighted sum; where
    `value` gives [n], it takes units alone and gives the gradient of that number.
    """

    space: Space
    classes: tuple[Any, ...]
    value: Callable[[Any], Any]
    slope: Callable[..., Any]

    def scores(self, codes: Any) -> Any:
        """[n, c] the shares of the logits; a regression's numbers."""
        logits = self.logits(self.space.units(codes))
        if not self.classes:
            return check_scores(logits, len(codes), ())
        xp = array_namespace(logits)
        odds = xp.exp(logits - xp.max(logits, axis=1, keepdims=True))
        return check_scores(odds / xp.sum(odds, axis=1, keepdims=True), len(codes), self.classes)

    def decide(self, codes: Any) -> None:
        """None: the scores decide."""

    def logits(self, units: Any) -> Any:
        """[n, c]; one number of two classes is completed to (0, number)."""
        xp = array_namespace(units)
        logits = run(self.value, units)
        if logits.ndim == 1:
            logits = logits[:, None]
        if len(self.classes) == 2 and logits.shape[1] == 1:
            logits = xp.concat([xp.zeros_like(logits), logits], axis=1)
        return logits

    def logits_gradient(self, units: Any, weights: Any) -> tuple[Any, Any]:
        """The logits, and the gradient of their sum under weights [n, c]."""
        logits = run(self.value, units)
        if logits.ndim == 1 or logits.shape[1] == 1:
            return self.logits(units), run(self.slope, units) * weights[:, -1:]
        return logits, self.slope(units, weights)
