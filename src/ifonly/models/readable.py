"""What a gradient, a reading and a sketch of trees are taken from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ifonly.models.adapters.table import TableModel
from ifonly.models.pace import Meter
from ifonly.models.protocol import Model
from ifonly.models.reading import Trees, sketched


@dataclass(frozen=True)
class Readable:
    """The model inside a pipeline, and rows to check what is read off it against."""

    inner: Any
    adapted: Model
    probe: np.ndarray
    data: np.ndarray
    given: bool = True
    """Whether these are the user's rows, and not one in the middle of the space."""
    kept: list[Any] = field(default_factory=list, compare=False)
    """The setting with a reading, once a question without `certify` has needed one."""

    @cached_property
    def trees(self) -> Trees | None:
        """The model's trees on the value grid, not checked, where they can be read."""
        if not isinstance(self.adapted, TableModel) or self.adapted.carried is not None:
            return None
        adapted = replace(self.adapted, meter=Meter(replace(self.adapted.meter.pace)))
        return sketched(self.inner, adapted, self.adapted.space, self.probe)
