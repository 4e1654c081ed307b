"""What the lowering of a rule comes to: conditions and bounds on sums, joined by all and any.

There is no `not`: it has gone down to the leaves, where it is another leaf.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ifonly.search.exact.program.expression import NO, YES, Affine
from ifonly.search.exact.program.solver import Program


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
    """That a sum lies between two numbers; yes or no, where its range decides that."""
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


def imply(program: Program, when: Affine, formula: Formula) -> None:
    """State in a program that a formula is true where the condition `when` is."""
    if isinstance(formula, All):
        for part in formula.parts:
            imply(program, when, part)
    elif isinstance(formula, Any):
        program.row(Affine.total(_told(program, part) for part in _flat(formula)) - when, low=0.0)
    elif isinstance(formula, Affine):
        program.row(formula - when, low=0.0)
    else:
        # Where `when` is 0, the row asks no more than the sum's own range.
        sums = formula.sums
        if sums.least < formula.low:
            free = (1.0 - when) * (formula.low - sums.least)
            program.row(sums + free, low=formula.low)
        if sums.most > formula.high:
            free = (1.0 - when) * (sums.most - formula.high)
            program.row(sums - free, high=formula.high)


def _told(program: Program, formula: Formula) -> Affine:
    """A condition that is false where a formula is."""
    if isinstance(formula, Affine):
        return formula
    condition = program.binary()
    imply(program, condition, formula)
    return condition


def _flat(formula: Any) -> list[Formula]:
    """The parts of an any, those of an any among them included."""
    nested = (_flat(part) if isinstance(part, Any) else [part] for part in formula.parts)
    return [part for parts in nested for part in parts]


def _is(formula: Formula, value: float) -> bool:
    return isinstance(formula, Affine) and not formula.terms and formula.constant == value
