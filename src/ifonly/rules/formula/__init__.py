"""Rules as formulas over a row's answer, which solvers are given.

A rule of one's own states its formula in its method `formula(variables, wanted)`: `variables` are
the features of the answer, `bound`, `all_of` and `any_of` make a formula of them.
"""

from ifonly.rules.formula.affine import NO, YES, Affine
from ifonly.rules.formula.conditions import All, Any, Bound, Formula, all_of, any_of, bound
from ifonly.rules.formula.variables import (
    CategoryVariable,
    NumberVariable,
    Variable,
    Variables,
    is_multiple,
)

__all__ = [
    "NO",
    "YES",
    "Affine",
    "All",
    "Any",
    "Bound",
    "CategoryVariable",
    "Formula",
    "NumberVariable",
    "Variable",
    "Variables",
    "all_of",
    "any_of",
    "bound",
    "is_multiple",
]
