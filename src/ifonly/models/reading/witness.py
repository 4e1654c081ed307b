"""Where a reading must agree with its model: the rows of the data, and each value by itself.

A pipeline may treat one value unlike all others: 9999 that stands for 'unknown' is replaced by a
median. Points drawn at random do not meet it; the values of the data, taken one by one, do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ifonly.arrays.keys import point_keys
from ifonly.space import Space

ENCODED = 2**16
"""The values of a number whose encoding is looked at beside those of the data: where it has no
more, all of them, and else as many evenly spread. Of a space with no more points, all of them."""
SCORED = 2**12
"""The values of a number that the model is asked about beside those of the data."""
BASES = 16
"""The rows that single values are put into, by turns."""


@dataclass(frozen=True, eq=False)
class Witness:
    """Rows of the data [n, d], each once, and what can be asked of them."""

    space: Space
    rows: np.ndarray

    @classmethod
    def of(cls, space: Space, codes: np.ndarray) -> Witness:
        """All of codes [n, d], as they are and on the value grid."""
        both = np.concatenate([codes, np.asarray(space.round(codes))])
        _, first = np.unique(point_keys(both), return_index=True)
        return cls(space, both[np.sort(first)])

    @cached_property
    def known(self) -> tuple[np.ndarray, ...]:
        """The sorted codes of each feature that the data have; no missing ones."""
        columns = (self.rows[:, j] for j in range(len(self.space)))
        return tuple(np.unique(column[~np.isnan(column)]) for column in columns)

    def values(self, j: int, count: int) -> np.ndarray:
        """Sorted codes of a feature: those of the data, and `count` or all of its value grid."""
        return np.union1d(self.known[j], self.space.values(j, count))

    @cached_property
    def scored(self) -> tuple[np.ndarray, ...]:
        """The values of each feature that the model is asked about."""
        return tuple(self.values(j, SCORED) for j in range(len(self.space)))

    def everywhere(self) -> np.ndarray:
        """[n, d] every point of the space, where it has no more than are looked at of a number."""
        every_code = [
            np.append(self.values(j, ENCODED), [np.nan] * feature.missing)
            for j, feature in enumerate(self.space.features)
        ]
        if np.prod([float(len(codes)) for codes in every_code]) > ENCODED:
            return self.rows[:0]
        return np.stack(np.meshgrid(*every_code, indexing="ij"), axis=-1).reshape(
            -1, len(self.space)
        )

    def one_by_one(self, j: int) -> np.ndarray:
        """[n, d] rows of the data, by turns, in which feature j has each value."""
        values = self.scored[j]
        if self.space.features[j].missing:
            values = np.append(values, np.nan)
        points = self.rows[np.arange(len(values)) % min(BASES, len(self.rows))]
        points[:, j] = values
        return np.asarray(points)


@dataclass(frozen=True, eq=False)
class Checked:
    """At how many rows of the data, single values and further points a reading was right."""

    rows: int
    values: int
    points: int
    known: tuple[np.ndarray, ...]
    """The values of each feature among them, sorted."""

    def holds(self, row: np.ndarray) -> bool:
        """Whether each value of a row [d] is among those checked, or missing."""
        return all(
            np.isnan(code) or np.isin(code, values)
            for code, values in zip(row, self.known, strict=True)
        )

    def counts(self) -> dict[str, int]:
        """The counts, as a record keeps them."""
        return {"rows": self.rows, "values": self.values, "points": self.points}
