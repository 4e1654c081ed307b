"""Formulas: conditions and bounds on sums, joined by all and any.

There is no `not`: a rule states its opposite itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ifonly.rules.formula.affine import NO, YES, Affine


@dataclass(frozen=True, eq=False)
class Bound:
    """A sum that lies between two numbers."""

    sums: Affine
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class All:
    """Formulas that are all true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, eq=False)
class Any:
    """Formulas of which one is true at the least."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = Affine | Bound | All | Any
"""An Affine is a condition: 1 where it is true, else 0."""


def bound(sums: Affine, low: float = -np.inf, high: float = np.inf) -> Formula:
    """That a sum lies between two numbers; yes or no, where its range decides that.

    >>> bound(Affine.number(2.0), high=3.0) is YES
    True
    """
    if low <= sums.least and sums.most <= high:
        return YES
    return NO if sums.most < low or high < sums.least else Bound(sums, low, high)


def all_of(parts: Iterable[Formula]) -> Formula:
    """That all formulas are true, as short as can be."""
    kept = tuple(part for part in parts if not _is(part, 1.0))
    if any(_is(part, 0.0) for part in kept):
        return NO
    return (kept[0] if len(kept) == 1 else All(kept)) if kept else YES


def any_of(parts: Iterable[Formula]) -> Formula:
    """That some formula is true, as short as can be."""
    kept = tuple(part for part in parts if not _is(part, 0.0))
    if any(_is(part, 1.0) for part in kept):
        return YES
    return (kept[0] if len(kept) == 1 else Any(kept)) if kept else NO


def _is(formula: Formula, value: float) -> bool:
    return isinstance(formula, Affine) and not formula.terms and formula.constant == value
