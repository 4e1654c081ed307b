"""Sums over the columns of a program, which know between what numbers they lie.

A condition is such a sum, too: one that is 1 where the condition is true and 0 where it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, eq=False)
class Affine:
    """A constant, and columns that are each multiplied by a number."""

    terms: Mapping[int, float]
    """What multiplies each column, by its position."""
    constant: float
    least: float
    """What the sum is never below: the more is known, the tighter a program can be."""
    most: float

    @classmethod
    def number(cls, value: float) -> Affine:
        """A number alone.

        >>> Affine.number(2.0) + 1.0
        Affine(terms={}, constant=3.0, least=3.0, most=3.0)
        """
        return cls({}, value, value, value)

    @classmethod
    def total(cls, parts: Iterable[Affine]) -> Affine:
        """The sum of sums."""
        terms: dict[int, float] = {}
        constant = least = most = 0.0
        for part in parts:
            for column, times in part.terms.items():
                terms[column] = terms.get(column, 0.0) + times
            constant += part.constant
            least, most = least + part.least, most + part.most
        kept = {column: times for column, times in terms.items() if times}
        return cls(kept, constant, least, most) if kept else cls.number(constant)

    def __add__(self, other: Affine | float) -> Affine:
        if not isinstance(other, Affine):
            other = Affine.number(other)
        terms = dict(self.terms)
        for column, times in other.terms.items():
            terms[column] = terms.get(column, 0.0) + times
        kept = {column: times for column, times in terms.items() if times}
        constant = self.constant + other.constant
        if not kept:
            return Affine.number(constant)
        return Affine(kept, constant, self.least + other.least, self.most + other.most)

    def __sub__(self, other: Affine | float) -> Affine:
        return self + other * -1.0

    def __rsub__(self, other: float) -> Affine:
        return self * -1.0 + other

    def __mul__(self, times: float) -> Affine:
        if not times:
            return Affine.number(0.0)
        terms = {column: times * one for column, one in self.terms.items()}
        ends = sorted((times * self.least, times * self.most))
        return Affine(terms, times * self.constant, *ends)

    def within(self, least: float, most: float) -> Affine:
        """The same sum, of which it is known that it lies between two numbers."""
        return replace(self, least=max(least, self.least), most=min(most, self.most))

    def at(self, values: np.ndarray) -> float:
        """The sum where the columns have these values."""
        return self.constant + float(sum(t * values[column] for column, t in self.terms.items()))


YES, NO = Affine.number(1.0), Affine.number(0.0)
"""The conditions that are always true, and never."""
