"""A number for each point, the same for equal points and almost surely not for others."""

from __future__ import annotations

import numpy as np

_ODD = np.uint64(0x9E3779B97F4A7C15)


def point_keys(points: np.ndarray, *, signed: bool = False) -> np.ndarray:
    """uint64 [...] of points [..., d]; `signed` tells the negative zero from the other."""
    keys = np.zeros(points.shape[:-1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        for j in range(points.shape[-1]):
            value = points[..., j] + (-0.0 if signed else 0.0)  # a copy; +0.0 makes one zero
            if value.dtype.kind == "f":
                value[value != value] = np.nan  # one NaN
            keys ^= np.ascontiguousarray(value, dtype=np.float64).view(np.uint64)
            keys *= _ODD
            keys ^= keys >> np.uint64(32)
    return keys
