"""What a number and a category of an answer have in common: it stays, moves, or goes missing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ifonly.search.exact.program.expression import NO, YES, Affine
from ifonly.search.exact.program.solver import Program


@dataclass(eq=False)
class Part(ABC):
    """The columns of one feature of an answer."""

    program: Program
    own: float
    """The row's own code, NaN where it is missing."""
    moves: Affine
    """1 where the feature has another value."""
    missing: Affine
    """1 where it goes missing."""

    @property
    def changes(self) -> Affine:
        """1 exactly where the answer differs from the row."""
        return (self.moves + self.missing).within(0.0, 1.0)

    @property
    def stays(self) -> Affine:
        """1 exactly where the row's own value stays, or stays missing."""
        return (1.0 - self.changes).within(0.0, 1.0)

    @property
    @abstractmethod
    def value(self) -> Affine:
        """The code; where it is missing, 0."""

    @abstractmethod
    def code(self, values: np.ndarray) -> float:
        """The code of a point of the program, NaN where it is missing."""

    def moved_or_own(self, inside: Affine, own: bool) -> Affine:
        """1 where the feature is moved as `inside` says, or stays, where `own` says that it may.

        For a feature that does not go missing; then to move anywhere or to stay is no condition.
        """
        rest = self.moves - inside
        if own and not rest.terms and not rest.constant:
            return YES
        return ((self.stays if own else NO) + inside).within(0.0, 1.0)
