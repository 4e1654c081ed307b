"""One row's answer as variables, feature by feature: what the formula of a rule is about.

A solver's program implements them with its columns. A feature stays as it is, moves to another
value, or goes missing; each of the three is a condition, 1 where it is true and else 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ifonly.rules.box import CLOSE
from ifonly.rules.formula.affine import NO, YES, Affine
from ifonly.space import Space
from ifonly.space.table.unseen import is_unseen


@dataclass(eq=False)
class Variable(ABC):
    """One feature of an answer."""

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
    def absent(self) -> Affine:
        """1 where the answer lacks the value."""
        lacking = np.isnan(self.own) and not is_unseen(np.asarray(self.own))
        return self.stays if lacking else self.missing

    @property
    @abstractmethod
    def value(self) -> Affine:
        """The code; where it is missing, 0."""

    def moved_or_own(self, inside: Affine, own: bool) -> Affine:
        """1 where the feature is moved as `inside` says, or stays, where `own` says that it may.

        For a feature that does not go missing; then to move anywhere or to stay is no condition.
        """
        rest = self.moves - inside
        if own and not rest.terms and not rest.constant:
            return YES
        return ((self.stays if own else NO) + inside).within(0.0, 1.0)


class NumberVariable(Variable):
    """A number of an answer."""

    @abstractmethod
    def moves_between(self, intervals: Iterable[tuple[float, float]]) -> Affine:
        """1 where it moves to a value in one of some closed intervals."""

    @abstractmethod
    def moves_to_multiples(self, size: float) -> Affine:
        """1 where it moves to a multiple of a size."""

    def between(self, low: float, high: float, wanted: bool = True) -> Affine:
        """1 where it lies between two numbers or, where that is not wanted, where it does not.

        A row's own value that is missing and stays so is both.
        """
        inside = self.moves_between([(low, high)])
        own = bool(np.isnan(self.own)) or (low <= self.own <= high) == wanted
        return self.moved_or_own(inside if wanted else self.moves - inside, own)


class CategoryVariable(Variable):
    """A category of an answer; its code is the position of its level."""

    @abstractmethod
    def moves_among(self, allowed: np.ndarray) -> Affine:
        """1 where it moves to one of some levels, bool [L]."""

    def among(self, allowed: np.ndarray) -> Affine:
        """1 where it has one of some levels, bool [L], or stays missing."""
        own = bool(np.isnan(self.own)) or bool(allowed[int(self.own)])
        return self.moved_or_own(self.moves_among(allowed), own)


class Variables(ABC):
    """The features of one row's answer, by name."""

    @property
    @abstractmethod
    def space(self) -> Space:
        """What the features are."""

    @property
    @abstractmethod
    def x(self) -> np.ndarray:
        """[d] the row's own codes."""

    @abstractmethod
    def feature(self, name: str) -> Variable:
        """A feature of any kind."""

    def number(self, name: str) -> NumberVariable:
        """A feature that is a number."""
        variable = self.feature(name)
        assert isinstance(variable, NumberVariable), f"{name!r} is no number"
        return variable

    def category(self, name: str) -> CategoryVariable:
        """A feature that is a category."""
        variable = self.feature(name)
        assert isinstance(variable, CategoryVariable), f"{name!r} is no category"
        return variable

    def step(self, name: str) -> float:
        """The distance between two neighbouring values of a number; 1 for levels."""
        return float(10.0 ** -self.space.decimals[self.space.index(name)])


def is_multiple(values: np.ndarray, size: float, step: float) -> np.ndarray:
    """bool [...]: the values that are multiples of a size, but for rounding; NaN is none."""
    return np.asarray(np.abs(values - np.round(values / size) * size) <= CLOSE * step)
