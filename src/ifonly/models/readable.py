"""What a gradient, a reading and a sketch of trees are taken from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ifonly.errors import OptionError, ReadingError
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
    given: bool
    """Whether these are the user's rows, and not one in the middle of the space."""
    model: Model
    """The user's own model, with the columns that these rows carry along."""
    shared: bool = True
    """Whether these rows may be shown."""
    kept: list[Any] = field(default_factory=list, compare=False)
    """The setting with a reading, once a question without `certify` has needed one."""

    def check(self) -> None:
        """Refuse to read a model that also takes columns which are no features."""
        if getattr(self.adapted, "carried", None) is not None:
            raise ReadingError(
                "The model takes columns that are carried along, and cannot be read.",
                "Use method='auto', or fit it without them.",
            )

    def check_shown(self) -> None:
        """Refuse to show rows that are private, or that there are none of."""
        if not self.shared:
            raise OptionError(
                "The rows of `data` are private: the Explainer was made with share_rows=False.",
                "Answers, `contributions` and `responsiveness` show none of them.",
            )
        if not self.given:
            raise OptionError(
                "There are no real rows: a `space` was given, and no `data`.",
                "Give `data`, the frame of features that the model was trained on.",
            )

    @cached_property
    def trees(self) -> Trees | None:
        """The model's trees on the value grid, not checked, where they can be read."""
        if not isinstance(self.adapted, TableModel) or self.adapted.carried is not None:
            return None
        adapted = replace(self.adapted, meter=Meter(replace(self.adapted.meter.pace)))
        return sketched(self.inner, adapted, self.adapted.space, self.probe)
