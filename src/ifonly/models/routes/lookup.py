"""A network over units, asked in codes.

The first layer is linear in one-hot units, so its sum over categories is read from tables;
neighbouring categories share one table while it stays small. The scores are logits, in the
precision of the layers: enough to search by, and not what users see. Rows are answered alike
whatever the batch: every product is a matrix by a matrix (a matrix by a vector rounds by position).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.models.adapters.dense import Dense
from ifonly.space import Categorical

LARGEST = 256
"""The most entries of a shared table."""
BLOCK = 8192
"""Rows asked at a time, so that what they pass through stays in the cache."""
WIDE, NUMBERS = 100, 1 << 15
"""From so many columns on, so many numbers are asked about at a time, all columns in one step."""


Layer = tuple[np.ndarray, np.ndarray]
"""A kernel [in, out], padded, and a bias [out]."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """Codes [n, d] to logits [n, c]."""

    classes: tuple[Any, ...]
    columns: np.ndarray
    """The continuous features."""
    low: np.ndarray
    """Where each begins: in single precision only the distance from there is exact enough."""
    slope: Layer
    """[continuous + 1, hidden] in codes; the last row is the constant. No bias is added."""
    groups: tuple[tuple[tuple[int, int], ...], ...]
    """(feature, stride) of each table."""
    tables: tuple[np.ndarray, ...]
    rest: tuple[Layer, ...]
    """The layers after the first."""
    missing: np.ndarray | None
    """[d] the code that a missing value stands for: in units it is zero in all its columns."""

    @classmethod
    def of(cls, dense: Dense) -> Lookup:
        """The tables of a network's first layer."""
        space = dense.space
        (first, shift), *rest = dense.layers
        dtype = np.result_type(np.float32, *(part.dtype for part in (first, shift)))
        constant = shift.astype(np.float64).copy()
        columns, slope, low = [], [], []
        groups: list[list[tuple[int, int]]] = []
        tables: list[np.ndarray] = []
        for j, feature in enumerate(space.features):
            rows = first[space.offsets[j] : space.offsets[j + 1]]
            if feature.missing and isinstance(feature, Categorical):
                rows = np.concatenate([rows, np.zeros_like(rows[:1])])  # no level, no part
            if not isinstance(feature, Categorical):
                width = (feature.high - feature.low) or 1.0
                columns.append(j)
                slope.append(rows[0] / width)
                low.append(feature.low)
            elif tables and len(tables[-1]) * len(rows) <= LARGEST:
                groups[-1].append((j, len(tables[-1])))
                tables[-1] = (rows[:, None] + tables[-1][None]).reshape(-1, first.shape[1])
            else:
                groups.append([(j, 1)])
                tables.append(rows)
        return cls(
            dense.classes,
            np.array(columns, dtype=np.intp),
            np.array(low, dtype=np.float64),
            _padded(np.array([*slope, constant]), constant, dtype),
            tuple(map(tuple, groups)),
            tuple(table.astype(dtype) for table in tables),
            tuple(_padded(kernel, bias, dtype) for kernel, bias in rest),
            np.where(space.continuous, space.low, space.high + 1)
            if any(feature.missing for feature in space.features)
            else None,
        )

    @property
    def slack(self) -> float:
        """How far from the boundary a logit is clear."""
        return 1e-6 if self.slope[0].dtype == np.float32 else 1e-12

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] the logits; [n, 1] the numbers of a regression."""
        columns = len(self.columns)
        size = BLOCK if columns < WIDE else max(1, NUMBERS // columns)
        blocks = [self._block(codes[i : i + size]) for i in range(0, len(codes), size)]
        output = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        if output.shape[1] < len(self.classes):
            output = np.concatenate([np.zeros_like(output), output], axis=1)
        return output

    def decide(self, codes: np.ndarray) -> None:
        """None: the scores decide."""

    def _block(self, codes: np.ndarray) -> np.ndarray:
        n = len(codes)
        if self.missing is not None:
            codes = np.where(np.isnan(codes), self.missing, codes)
        wide = np.ones((len(self.columns) + 1, n), dtype=self.slope[0].dtype)
        if len(self.columns) < WIDE:
            for i, j in enumerate(self.columns):
                wide[i] = codes[:, j] - self.low[i]
        else:
            wide[:-1] = codes[:, self.columns].T - self.low[:, None]
        passed = _product(wide.T, self.slope[0], len(self.slope[1]))
        for group, table in zip(self.groups, self.tables, strict=True):
            index = np.zeros(n, dtype=np.float32)
            for j, stride in group:
                index += codes[:, j] * np.float32(stride)
            passed += np.take(table, index.astype(np.intp), axis=0, mode="clip")
        for kernel, bias in self.rest:
            passed = _product(np.maximum(passed, 0, out=passed), kernel, len(bias)) + bias
        return np.asarray(passed)


def _product(passed: np.ndarray, kernel: np.ndarray, width: int) -> np.ndarray:
    """[n, width] of passed [n, in] and a padded kernel."""
    return np.ascontiguousarray((passed @ kernel)[:, :width])


def _padded(kernel: np.ndarray, bias: np.ndarray, dtype: np.dtype[Any]) -> Layer:
    """A layer with at least eight columns, so that its product is one of matrices."""
    missing = max(0, 8 - kernel.shape[1])
    padded = np.concatenate([kernel, np.zeros((len(kernel), missing))], axis=1)
    return padded.astype(dtype), bias.astype(dtype)
