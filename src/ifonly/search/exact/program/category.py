"""The columns of a program for one category of an answer: a binary for each other level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.rules import Box
from ifonly.rules.formula import NO, Affine, CategoryVariable
from ifonly.search.exact.program.solver import Program


@dataclass(eq=False)
class Category(CategoryVariable):
    """The columns of one category."""

    levels: dict[int, Affine]
    """1 where the feature moves to a level, for each that it may move to."""

    @classmethod
    def of(cls, program: Program, box: Box, j: int, *, keep: bool) -> Category:
        """The columns of feature j of a box of one row; `keep` says whether it may stay."""
        own = float(box.x[0, j])
        allowed = box.levels[0, box.space.offsets[j] : box.space.offsets[j + 1]]
        others = [int(level) for level in np.flatnonzero(allowed) if level != own]
        erase = bool(box.erase[0, j]) and not np.isnan(own)
        options = program.choice(len(others) + erase, optional=keep)
        levels = dict(zip(others, options, strict=False))
        moves = Affine.total(levels.values()).within(0.0, 1.0)
        return cls(own, moves, options[-1] if erase else NO, levels)

    @property
    def value(self) -> Affine:
        own = Affine.number(0.0) if np.isnan(self.own) else self.stays * self.own
        codes = [one * level for level, one in self.levels.items()]
        highest = max((*self.levels, np.nan_to_num(self.own)))
        return (own + Affine.total(codes)).within(0.0, float(highest))

    def code(self, values: np.ndarray) -> float:
        """The code of a point of the program, NaN where it is missing."""
        for level, one in self.levels.items():
            if one.at(values) > 0.5:
                return float(level)
        return np.nan if self.missing.at(values) > 0.5 else self.own

    def moves_among(self, allowed: np.ndarray) -> Affine:
        inside = [one for level, one in self.levels.items() if allowed[level]]
        return Affine.total(inside).within(0.0, 1.0)
