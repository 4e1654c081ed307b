"""What can be decided by solving: whether rules clash, and how near an answer can be.

A row's answer is a few whole columns of a mixed-integer program (`row`), a rule is rows over them
(`rules`), and HiGHS decides (`solver`).
"""

from ifonly.rules.formula import Affine
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import Program, Solution, SolverError
from ifonly.search.exact.rules.conflict import clash, possible
from ifonly.search.exact.rules.statement import state

__all__ = [
    "Affine",
    "Program",
    "Row",
    "Solution",
    "SolverError",
    "clash",
    "possible",
    "state",
]
