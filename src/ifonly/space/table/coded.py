"""Rows for those who have their codes already: no frame is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.errors import DataError
from ifonly.space.feature import Categorical


@dataclass(frozen=True, eq=False)
class Coded:
    """Codes [q, d] in place of a frame of rows, as `space.codes` returns them.

    Examples
    --------
    >>> from ifonly import Space
    >>> space = Space.describe({"name": "age", "low": 0, "high": 99})
    >>> Coded(np.array([[30.0]])).checked(space)
    array([[30.]])
    """

    codes: np.ndarray
    library: str = "pandas"

    def checked(self, space: Any) -> np.ndarray:
        """float64 [q, d]; codes that a space does not have are refused."""
        codes, d = np.asarray(self.codes, dtype=np.float64), len(space)
        if codes.ndim != 2 or codes.shape[1] != d:
            raise DataError(
                f"The array of rows has the shape {codes.shape}, and there are {d} features.",
                "Give codes [rows, features], as space.codes(frame) returns them.",
            )
        if space.carry:
            raise DataError(
                f"The column {space.carry[0].name!r} is carried along, which codes cannot be.",
                "Give a frame or a table, or a space without carried columns.",
            )
        for j, feature in enumerate(space.features):
            own, missing = codes[:, j], np.isnan(codes[:, j])
            wrong = np.isinf(own) | (missing & (not feature.missing))
            if isinstance(feature, Categorical):
                levels = len(feature.levels)
                wrong |= ~missing & ((own < 0) | (own >= levels) | (own != np.floor(own)))
            if wrong.any():
                place = int(np.argmax(wrong))
                raise DataError(
                    f"Row {place} of the array has the code {own[place]} for {feature.name!r}, "
                    "which has no such value.",
                    "Write codes by space.codes(frame).",
                )
        return codes
