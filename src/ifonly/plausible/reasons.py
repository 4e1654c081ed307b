"""Which value of a point, or which two together, hardly any real row has."""

from __future__ import annotations

import numpy as np

from ifonly.space import Space
from ifonly.space.distance import differs

RARE = 0.01
"""The share of real rows below which something is said to be rare."""
ALIKE = 0.05
"""Numbers that differ by at most this share of their range are alike."""
ROOM = 4_000_000
"""About how many comparisons are held together; it bounds memory."""


def reasons(space: Space, rows: np.ndarray, x: np.ndarray, points: np.ndarray) -> np.ndarray:
    """bool [n, d]: the features that make points [n, d], which come from x [n, d], odd.

    One, if fewer than `RARE` of the rows [r, d] are alike in it; or else two that are rare
    together, least of all by chance. One of them is changed. None, where all pairs are common.
    """
    width = ALIKE * np.where(space.continuous, space.high - space.low, 0.0)
    found = np.zeros(points.shape, dtype=bool)
    size = max(1, ROOM // rows.size)
    for part in (slice(start, start + size) for start in range(0, len(points), size)):
        both = np.isnan(rows) & np.isnan(points[part, None])
        like = ((np.abs(rows - points[part, None]) <= width) | both).astype(np.float32)
        found[part] = _rarest(like, differs(points[part], x[part]))
    return found


def _rarest(like: np.ndarray, changed: np.ndarray) -> np.ndarray:
    """bool [n, d] of what rows are like points in [n, r, d], and of what changed [n, d]."""
    n, r, d = like.shape
    together = like.transpose(0, 2, 1) @ like
    alone = np.diagonal(together, axis1=1, axis2=2)
    rare = (together < RARE * r) & (changed[:, :, None] | changed[:, None, :])
    surprise = (together + 1) / (alone[:, :, None] * alone[:, None, :] / r + 1)
    pairs = np.where(rare & ~np.eye(d, dtype=bool), surprise, np.inf).reshape(n, -1)
    single = np.where(np.diagonal(rare, axis1=1, axis2=2), alone, np.inf)
    found, at = np.zeros((n, d), dtype=bool), np.arange(n)
    first, second = np.divmod(pairs.argmin(axis=1), d)
    known = pairs.min(axis=1, initial=np.inf) < np.inf
    found[at[known], first[known]] = found[at[known], second[known]] = True
    known = single.min(axis=1, initial=np.inf) < np.inf
    found[known] = False
    found[at[known], single.argmin(axis=1)[known]] = True
    return found
