"""One row's answer as the columns of a program: inside its box, and never the row itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.rules import Box
from ifonly.rules.formula import Affine, Variables
from ifonly.search.exact.program.category import Category
from ifonly.search.exact.program.number import Number
from ifonly.search.exact.program.solver import Program, Solution
from ifonly.space import Space


@dataclass(frozen=True, eq=False)
class Row(Variables):
    """The columns of an answer, feature by feature."""

    program: Program
    box: Box
    """Of one row."""
    parts: tuple[Number | Category, ...]

    @classmethod
    def of(cls, program: Program, box: Box) -> Row:
        """The columns of what the one row of a box may become, new in a program."""
        assert len(box.x) == 1, f"a box of one row was wanted, this has {len(box.x)}"
        keep = box.contains(box.x[:, None])[0, 0]
        parts = tuple(
            (Number if number else Category).of(program, box, j, keep=bool(keep[j]))
            for j, number in enumerate(box.space.continuous)
        )
        program.row(Affine.total(part.changes for part in parts), low=1.0)
        return cls(program, box, parts)

    @property
    def space(self) -> Space:
        return self.box.space

    @property
    def x(self) -> np.ndarray:
        return np.asarray(self.box.x[0])

    def feature(self, name: str) -> Number | Category:
        return self.parts[self.space.index(name)]

    def codes_of(self, solution: Solution) -> np.ndarray:
        """[d] the codes of a solution, on the grid or the row's own."""
        assert solution.values is not None, f"there is no point: {solution.status}"
        return np.array([part.code(solution.values) for part in self.parts])
