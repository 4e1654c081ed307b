"""How exactly a column's dtype holds numbers.

Codes are double precision. A column holds its numbers in a dtype of its own, so a value grid is no
finer than that dtype: else two codes would be written as one value. And what codes cannot hold, a
whole number beyond 2**53, is refused: it would be written as another one.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from ifonly.errors import DataError
from ifonly.space.feature import Continuous

LEAST_DECIMALS = -4
"""Up to this power of ten, the step of a grid is exact in either direction."""
WHOLE = 2**53
"""Below it, double precision holds every whole number."""


@cache
def number_dtype(name: str) -> np.dtype | None:
    """NumPy's dtype for the numbers of a column, by the name of the column's own.

    >>> number_dtype("Int16"), number_dtype("float[pyarrow]"), number_dtype("object")
    (dtype('int16'), dtype('float32'), None)
    """
    try:
        dtype = pd.api.types.pandas_dtype(name)
    except (TypeError, NotImplementedError):
        return None
    dtype = getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))
    return dtype if isinstance(dtype, np.dtype) and dtype.kind in "iuf" else None


def finest(values: np.ndarray) -> int:
    """The most decimals with which the dtype of values tells neighbours on their grid apart.

    In double precision two bits are left for the rounding of codes.

    >>> finest(np.array([3.0], dtype=np.float32)), finest(np.array([3e7], dtype=np.float32))
    (6, -1)
    """
    double = values.dtype == np.float64
    largest, room = np.abs(values).max(), 4.0 if double else 1.0
    decimals = min(300, int(np.floor(-np.log10(room * float(np.spacing(largest))))))
    with np.errstate(over="ignore"):
        beyond = values.dtype.type(float(largest) + 10.0**-decimals)  # the end of a grid
    if 10.0**-decimals < room * np.spacing(beyond):
        decimals -= 1
    # From 2**53 on, every number in double precision is whole.
    return max(decimals, 0) if double else decimals


def held(values: np.ndarray, feature: Continuous, what: str) -> np.ndarray:
    """Numbers [n] as the feature's column holds them; what it cannot hold is refused.

    Of the codes that the column writes alike, a number gets the one on the value grid: 0.1 in
    single precision is the code 0.1.
    """
    dtype = number_dtype(feature.column.dtype)
    if dtype is None or dtype == np.float64:
        return values
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            stored = values.astype(dtype)
            lost = np.isinf(stored) & np.isfinite(values)
        rounded = np.round(stored.astype(np.float64), feature.decimals)
        codes = np.where(rounded.astype(dtype) == stored, rounded, stored.astype(np.float64))
    else:
        limits, codes = np.iinfo(dtype), values
        lost = (values < limits.min) | (values > limits.max)
    if lost.any():
        raise DataError(
            f"The column {feature.name!r} of `{what}` holds {values[lost][0]:g}, which the dtype "
            f"{feature.column.dtype} of the data cannot hold.",
            "Give `data` with a wider dtype there.",
        )
    return codes
