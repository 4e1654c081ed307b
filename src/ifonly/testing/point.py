"""A known point as the variables of an answer: every formula over it is yes or no."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ifonly.rules.formula import (
    NO,
    YES,
    Affine,
    CategoryVariable,
    NumberVariable,
    Variables,
    is_multiple,
)
from ifonly.space import Space


@dataclass(eq=False)
class _Number(NumberVariable):
    code: float
    step: float

    @property
    def value(self) -> Affine:
        return Affine.number(float(np.nan_to_num(self.code)))

    def moves_between(self, intervals: Iterable[tuple[float, float]]) -> Affine:
        return self.moves if any(low <= self.code <= high for low, high in intervals) else NO

    def moves_to_multiples(self, size: float) -> Affine:
        return self.moves if is_multiple(np.array(self.code), size, self.step) else NO


@dataclass(eq=False)
class _Category(CategoryVariable):
    code: float

    @property
    def value(self) -> Affine:
        return Affine.number(float(np.nan_to_num(self.code)))

    def moves_among(self, allowed: np.ndarray) -> Affine:
        return self.moves if self.moves is YES and allowed[int(self.code)] else NO


@dataclass(frozen=True, eq=False)
class PointVariables(Variables):
    """A point [d] of a row [d]."""

    described: Space
    row: np.ndarray
    point: np.ndarray

    @property
    def space(self) -> Space:
        return self.described

    @property
    def x(self) -> np.ndarray:
        return self.row

    def feature(self, name: str) -> _Number | _Category:
        j = self.space.index(name)
        own, code = float(self.row[j]), float(self.point[j])
        moves = YES if code != own and not np.isnan(code) else NO
        missing = YES if np.isnan(code) and not np.isnan(own) else NO
        if self.space.continuous[j]:
            return _Number(own, moves, missing, code, self.step(name))
        return _Category(own, moves, missing, code)
