"""Rules as rows of a program, for one row's answer."""

from __future__ import annotations

from ifonly.rules import Rule
from ifonly.rules.formula import YES, Affine, All, Any, Formula
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program


def state(program: Program, row: Row, rule: Rule, when: Affine = YES) -> None:
    """State in a program that a rule holds for a row's answer, where `when` is 1."""
    imply(program, when, rule.constraint(row))


def imply(program: Program, when: Affine, formula: Formula) -> None:
    """State in a program that a formula is true where the condition `when` is."""
    if isinstance(formula, All):
        for part in formula.parts:
            imply(program, when, part)
    elif isinstance(formula, Any):
        program.row(Affine.total(_implied(program, p) for p in _flat(formula)) - when, low=0.0)
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


def _implied(program: Program, formula: Formula) -> Affine:
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
