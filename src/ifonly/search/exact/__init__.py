"""What can be decided by solving: whether rules clash, and how near an answer can be.

A row's answer is a few whole columns of a mixed-integer program (`row`), a rule is rows over them
(`lowering`), and HiGHS decides (`solver`).
"""

from ifonly.search.exact.affine import Affine
from ifonly.search.exact.clash import clash, possible
from ifonly.search.exact.lowering import lowered, state
from ifonly.search.exact.row import Row
from ifonly.search.exact.solver import Program, Solution, SolverError

__all__ = [
    "Affine",
    "Program",
    "Row",
    "Solution",
    "SolverError",
    "clash",
    "lowered",
    "possible",
    "state",
]
