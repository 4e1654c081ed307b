"""How dense real rows are around a point, beside how dense they are around those rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ifonly.arrays.batches import pick

NEIGHBOURS = 20
ROWS = 1000
"""The most rows that are looked at."""
FINE = 1e9
"""In how many parts of a unit squared distances are rounded."""
PLACES = 1024.0
"""More than `ROWS`: what a rounded distance is multiplied by, to make room for the row's place."""
ROOM = 2_000_000
"""About how many distances are held together; it bounds memory."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Real rows [n, w], and what is known of their own neighbours."""

    units: np.ndarray
    reach: np.ndarray
    """[n] how far the last of a row's neighbours is."""
    density: np.ndarray
    """[n] how dense rows are around it."""
    known: np.ndarray
    """[n] what `share` would say of it, were it not among the rows."""

    @classmethod
    def fit(cls, units: np.ndarray) -> Neighbourhood:
        """The neighbourhood of rows."""
        units = units[:: -(-len(units) // ROWS)]
        index, near = _nearest(units, _sides(units), own=True)
        reach = near[:, -1]
        density = _density(near, reach[index])
        return cls(units, reach, density, density / density[index].mean(axis=1))

    @cached_property
    def _others(self) -> tuple[np.ndarray, np.ndarray]:
        return _sides(self.units)

    def share(self, units: np.ndarray) -> np.ndarray:
        """[n] how dense rows are around points [n, w], beside around their neighbours."""
        parts = []
        for start in range(0, len(units), max(1, ROOM // len(self.units))):
            part = units[start : start + max(1, ROOM // len(self.units))]
            index, near = _nearest(part, self._others)
            density = _density(near, self.reach[index])
            parts.append(density / self.density[index].mean(axis=1))
        return np.concatenate(parts) if parts else np.empty(0)


def _sides(units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of rows [r, w] what a squared distance adds to the point's own square: [w, r] and [r]."""
    return -2 * units.T, (units**2).sum(axis=1)


def _nearest(
    units: np.ndarray, others: tuple[np.ndarray, np.ndarray], *, own: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """[n, k] which of the others are nearest to points, and how far; `own`: they are the others."""
    turned, squares = others
    square = units @ turned
    square += (units**2).sum(axis=1)[:, None]
    square += squares
    # A product rounds otherwise in another batch, and equal rows must be equally far.
    square *= FINE
    np.rint(square, out=square)
    if own:
        np.fill_diagonal(square, np.inf)
    # Of rows that are equally far the first count, however the processor sorts.
    square *= PLACES
    square += np.arange(len(squares))
    count = max(1, min(NEIGHBOURS, len(squares) - 1))
    index = np.argpartition(square, count - 1, axis=1)[:, :count]
    index = pick(index, np.argsort(pick(square, index), axis=1))
    near = np.floor(pick(square, index) / PLACES)
    return index, np.sqrt(np.maximum(near, 0.0) / FINE)


def _density(near: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """[n] of distances [n, k] to neighbours, and of how far those of the neighbours reach."""
    return np.asarray(1.0 / (np.maximum(near, reach).mean(axis=1) + 1e-10))
