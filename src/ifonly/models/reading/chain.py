"""A model taken apart: the steps that transform its rows, the estimator that they end in, and what
is done to its numbers afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ifonly.errors import ModelError
from ifonly.models.adapters.table import TableModel, run
from ifonly.models.decision import without_samplers
from ifonly.models.reading.inputs import Inputs, numbers
from ifonly.models.reading.trees.grown import Ensemble
from ifonly.models.reading.witness import Witness

Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Chain:
    """Steps, the last estimator, and the straight line that its numbers go through."""

    steps: tuple[Any, ...]
    """Pipelines without their last step."""
    estimator: Any
    slope: float = 1.0
    shift: float = 0.0
    ensemble: Ensemble | None = None
    """The estimator's trees, where `opened` has read some."""

    @property
    def kind(self) -> str:
        """The name of the estimator's class."""
        return type(self.estimator).__name__

    def entry(self, table: Mapping[str, Entry]) -> Entry | None:
        """What a table has for the estimator's class, or for one that it descends from.

        Its keys are 'package.Class', so that no library is imported to look.
        """
        lineage = (
            f"{base.__module__.partition('.')[0]}.{base.__name__}"
            for base in type(self.estimator).__mro__
        )
        return next((table[name] for name in lineage if name in table), None)

    def seen(self, table: TableModel, codes: np.ndarray) -> Any:
        """What the estimator is given for codes [n, d]: a frame, an array or a sparse matrix."""
        given = table.frame(codes)
        for step in self.steps:
            given = run(step.transform, given)
        return given

    def inputs(
        self, table: TableModel, witness: Witness, see: Callable[[Any], np.ndarray] = numbers
    ) -> Inputs:
        """What the estimator sees of codes as columns of numbers; `see` gives a library's own."""
        return Inputs(witness, lambda codes: see(self.seen(table, codes)))

    def straightened(self, kernel: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last layer [in, out], [out] of the estimator with the line behind it."""
        return kernel * self.slope, bias * self.slope + self.shift


def take_apart(model: Any) -> Chain:
    """The chain of a model: pipelines in any nesting, a search's best one, a scaled target."""
    steps: list[Any] = []
    slope, shift = 1.0, 0.0
    while True:
        model = without_samplers(model)
        if hasattr(model, "steps") and hasattr(model, "__getitem__"):
            if len(model.steps) > 1:
                steps.append(model[:-1])
            model = model[-1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "regressor_") and hasattr(model, "transformer_"):
            inner, more = _line(model.transformer_)
            slope, shift = slope * inner, slope * more + shift
            model = model.regressor_
        else:
            return Chain(tuple(steps), model, slope, shift)


def _line(transformer: Any) -> tuple[float, float]:
    """The slope and the shift of what takes a scaled target back, which must be a straight line."""
    at = np.array([0.0, 1.0, -3.0, 0.37, 11.0])
    back = np.ravel(transformer.inverse_transform(at[:, None]))
    shift, slope = back[0], back[1] - back[0]
    if not np.allclose(shift + slope * at, back, rtol=1e-9, atol=1e-9 * (1 + abs(shift))):
        raise ModelError(
            f"{type(transformer).__name__} does not scale the target linearly.",
            "Targets are read through scalers. Use method='auto', which works for any model.",
        )
    return float(slope), float(shift)
