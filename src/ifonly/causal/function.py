"""A user's equation, asked with frames in the dtypes of the data, and its output checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ifonly.causal.equation import Equation
from ifonly.errors import ModelError
from ifonly.space import Space


@dataclass(frozen=True)
class Function:
    """The user's function for the feature `effect`; `space` is that of its causes alone."""

    effect: str
    space: Space
    ask: Equation

    def on_codes(self, codes: np.ndarray) -> np.ndarray:
        """[n] what the function gives for codes [n, c]."""
        frame = self.space.rows(codes, "pandas")
        try:
            output = self.ask(frame)
        except Exception as error:
            names = ", ".join(map(repr, self.space.names))
            raise ModelError(
                f"The equation of {self.effect!r} failed on {len(codes)} rows: "
                f"{type(error).__name__}: {error}",
                f"It is asked with a frame of its causes, {names}, in the dtypes of the data.",
            ) from error
        values = self._numbers(output, len(codes))
        odd = np.flatnonzero(~np.isfinite(values))
        if len(odd):
            row = self.space.rows(codes[odd[:1]], "pandas").iloc[0].to_dict()
            raise ModelError(
                f"The equation of {self.effect!r} gives {values[odd[0]]} for {len(odd)} of "
                f"{len(codes)} rows.",
                f"Look at what it does with {row}.",
            )
        return values

    def _numbers(self, output: Any, n: int) -> np.ndarray:
        """[n] the output, whatever holds it."""
        try:
            if isinstance(output, pd.Series):
                values = output.to_numpy(dtype=np.float64, na_value=np.nan)
            else:
                values = np.asarray(output, dtype=np.float64)
        except (TypeError, ValueError):
            raise ModelError(
                f"The equation of {self.effect!r} returned a {type(output).__name__} that does "
                "not hold numbers.",
                "It must return one number for each row, in their order.",
            ) from None
        shape: tuple[int, ...] = values.shape
        if shape not in {(n,), (n, 1)}:
            size = f"an array of shape {shape}" if shape else repr(output)
            raise ModelError(
                f"The equation of {self.effect!r} returned {size} for {n} rows.",
                "It must return one number for each row, in their order.",
            )
        return values.reshape(n)
