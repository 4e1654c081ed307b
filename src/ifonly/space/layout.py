"""The ordered features, and the only bridge between rows, codes and units.

*Rows* are what users have: a DataFrame. *Codes* [..., d] are what ifonly computes with: a
continuous feature's own value, a category's level index, NaN where a value is missing. *Units*
[..., w] are for gradients and models that want them: values scaled to [0, 1], levels one-hot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from ifonly.arrays.powers import powers_of_ten
from ifonly.space.description import fingerprint_of
from ifonly.space.feature import Categorical, Continuous, Feature
from ifonly.space.table.carry import Carry
from ifonly.space.table.codes import read_codes
from ifonly.space.table.frame import Frame, as_frame
from ifonly.space.table.values import build_columns, build_rows, level_arrays
from ifonly.space.table.wide import WIDE, build_blocks


@dataclass(frozen=True)
class Layout:
    """The part of a `Space` that turns rows into arrays and back; `Space` documents the fields."""

    features: tuple[Feature, ...]
    library: str = "pandas"
    carry: tuple[Carry, ...] = field(default=(), kw_only=True)

    def __len__(self) -> int:
        return len(self.features)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def continuous(self) -> np.ndarray:
        """[d] whether each feature is continuous."""
        return np.array([isinstance(feature, Continuous) for feature in self.features])

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where each feature's unit columns begin; the last entry is w."""
        widths = [len(f.levels) if isinstance(f, Categorical) else 1 for f in self.features]
        return (0, *np.cumsum(widths).tolist())

    @cached_property
    def low(self) -> np.ndarray:
        """[d] the lowest value of each continuous feature; 0 for a category."""
        return np.array([f.low if isinstance(f, Continuous) else 0.0 for f in self.features], float)

    @cached_property
    def high(self) -> np.ndarray:
        """[d] the highest value of each continuous feature, the last index of a category."""
        tops = [f.high if isinstance(f, Continuous) else len(f.levels) - 1 for f in self.features]
        return np.array(tops, dtype=np.float64)

    @cached_property
    def decimals(self) -> np.ndarray:
        """[d] the decimals of each feature; 0 for a category."""
        return np.array([f.decimals if isinstance(f, Continuous) else 0 for f in self.features])

    def count(self, j: int) -> int:
        """How many codes a feature has, not counting the missing value.

        Parameters
        ----------
        j
            The position of the feature.

        Returns
        -------
        int

        Examples
        --------
        >>> from ifonly import Space
        >>> Space.describe({"name": "age", "low": 20, "high": 60}).count(0)
        41
        """
        feature = self.features[j]
        if isinstance(feature, Continuous):
            return round((feature.high - feature.low) / feature.step) + 1
        return len(feature.levels)

    def values(self, j: int, most: int) -> np.ndarray:
        """The sorted codes of a feature.

        Parameters
        ----------
        j
            The position of the feature.
        most
            How many values of a number, evenly spread, are returned at the most.

        Returns
        -------
        np.ndarray

        Examples
        --------
        >>> from ifonly import Space
        >>> Space.describe({"name": "rate", "low": 0, "high": 1, "decimals": 1}).values(0, 3)
        array([0. , 0.5, 1. ])
        """
        feature, count = self.features[j], self.count(j)
        if not isinstance(feature, Continuous):
            return np.arange(count, dtype=np.float64)
        steps = np.linspace(0, count - 1, min(count, most)).round()
        return np.round(feature.low + feature.step * steps, feature.decimals)

    def codes(self, rows: Frame, what: str = "rows") -> np.ndarray:
        """The rows as codes.

        Parameters
        ----------
        rows
            A frame with the features of the space.
        what
            The name of the frame in error messages.

        Returns
        -------
        np.ndarray
            float64 [n, d].

        Raises
        ------
        DataError
            A column is absent, or a value does not fit its feature; the message names it.

        Examples
        --------
        >>> import pandas as pd
        >>> from ifonly import Categorical, Continuous, Space
        >>> space = Space((Continuous("age", 20, 60), Categorical("job", ("a", "b"))))
        >>> space.codes(pd.DataFrame({"age": [30], "job": ["b"]}))
        array([[30.,  1.]])
        """
        return read_codes(self.features, as_frame(rows, what), what, self.carry)

    def rows(self, codes: np.ndarray, library: str | None = None) -> Frame:
        """Codes as rows: a frame with the dtypes of the data.

        Parameters
        ----------
        codes
            [n, d].
        library
            The library of the frame, such as 'pandas' or 'polars'; by default that of the data.

        Returns
        -------
        Frame

        Examples
        --------
        >>> from ifonly import Categorical, Continuous, Space
        >>> space = Space((Continuous("age", 20, 60), Categorical("job", ("a", "b"))))
        >>> space.rows(np.array([[30.0, 1.0]]))
           age job
        0   30   b
        """
        library = library or self.library
        if library == self.library == "pandas" and len(self) >= WIDE:
            return build_blocks(self.features, codes, self._level_arrays)
        return build_rows(columns_of(self, codes, library), library)

    def units(self, codes: Any) -> Any:
        """The units of codes: numbers scaled to [0, 1], categories one-hot.

        Parameters
        ----------
        codes
            [..., d], an array of NumPy, torch or another library with the array API.

        Returns
        -------
        array
            [..., w]; a missing value is zero in all its columns.

        Examples
        --------
        >>> from ifonly import Categorical, Continuous, Space
        >>> space = Space((Continuous("age", 20, 60), Categorical("job", ("a", "b"))))
        >>> space.units(np.array([[30.0, 1.0]]))
        array([[0.25, 0.  , 1.  ]])
        """
        xp = array_namespace(codes)
        columns = []
        for j, feature in enumerate(self.features):
            code = codes[..., j : j + 1]
            if isinstance(feature, Continuous):
                width = (feature.high - feature.low) or 1.0
                unit = (code - feature.low) / width
                columns.append(xp.where(xp.isnan(unit), xp.zeros_like(unit), unit))
            else:
                levels = xp.arange(len(feature.levels), dtype=codes.dtype, device=device(codes))
                columns.append(xp.astype(code == levels, codes.dtype))
        return xp.concat(columns, axis=-1)

    def snap(self, units: Any) -> Any:
        """The codes nearest to units: a category's strongest level, a number's rounded value.

        Parameters
        ----------
        units
            [..., w].

        Returns
        -------
        array
            [..., d].

        Examples
        --------
        >>> from ifonly import Categorical, Continuous, Space
        >>> space = Space((Continuous("age", 20, 60), Categorical("job", ("a", "b"))))
        >>> space.snap(np.array([[0.26, 0.1, 0.7]]))
        array([[30.,  1.]])
        """
        xp = array_namespace(units)
        columns = []
        for j, feature in enumerate(self.features):
            unit = units[..., self.offsets[j] : self.offsets[j + 1]]
            if isinstance(feature, Continuous):
                value = feature.low + unit[..., 0] * (feature.high - feature.low)
                columns.append(xp.clip(value, feature.low, feature.high))
            else:
                columns.append(xp.astype(xp.argmax(unit, axis=-1), units.dtype))
        return self.round(xp.stack(columns, axis=-1))

    def round(self, codes: Any) -> Any:
        """The codes on the grid of their decimals; a negative zero becomes zero.

        Parameters
        ----------
        codes
            [..., d].

        Returns
        -------
        array
            [..., d].

        Examples
        --------
        >>> from ifonly import Categorical, Continuous, Space
        >>> space = Space((Continuous("age", 20, 60), Categorical("job", ("a", "b"))))
        >>> space.round(np.array([[30.4, 1.0]]))
        array([[30.,  1.]])
        """
        xp: Any = np if isinstance(codes, np.ndarray) else array_namespace(codes)
        place = {} if xp is np else {"device": device(codes)}
        powers = xp.asarray(powers_of_ten(self.decimals), dtype=codes.dtype, **place)
        return xp.round(codes * powers) / powers + 0.0

    def index(self, name: str) -> int:
        """The position of a feature.

        Parameters
        ----------
        name
            The name of the feature.

        Returns
        -------
        int

        Examples
        --------
        >>> from ifonly import Space
        >>> Space.describe({"name": "rate", "low": 0, "high": 1}).index("rate")
        0
        """
        return self.names.index(name)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that tell this space from another."""
        return fingerprint_of(self.features, [one.name for one in self.carry])

    @cached_property
    def _level_arrays(self) -> tuple[Any, ...]:
        return level_arrays(self.features)


def columns_of(space: Layout, codes: np.ndarray, library: str) -> dict[str, Any]:
    """The columns of `space.rows(codes, library)` by name, before they become a frame."""
    native = library == space.library
    arrays = space._level_arrays if native and library == "pandas" else None
    return build_columns(space.features, codes, library, arrays, native=native)
