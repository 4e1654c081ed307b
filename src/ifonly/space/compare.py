"""When two values are the same: a missing value equals a missing value, and nothing else."""

from __future__ import annotations

import numpy as np


def differs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """bool [...]: where codes a and b differ.

    >>> differs(np.array([1.0, 2.0, np.nan]), np.array([1.0, np.nan, np.nan])).tolist()
    [False, True, False]
    """
    return np.asarray((a != b) & ~(np.isnan(a) & np.isnan(b)))
