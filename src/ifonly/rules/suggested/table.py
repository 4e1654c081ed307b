"""The data as rules are looked for in them: codes, the rows of each value, and what is chance.

A rule is suggested only if independent columns would hardly show it: over all rules of its kind
that were looked at, the expected number of accidental ones is below one in a million. The chance of
one rule is that of a random order of one of its columns, which keeps the values of each column and
breaks what connects them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ifonly.rules.rule import Rule
from ifonly.rules.intervals import Compare
from ifonly.rules.levels import Missing, OneOf
from ifonly.space import Categorical, Space
from ifonly.space.codes import value_of

CERTAIN = 6.0
"""What the chance is below, as a power of ten, over all rules of a kind that were looked at."""
LEAST_ROWS = 10
"""How many rows must show each side of a rule."""
FREQUENT = 0.01
"""The share of the rows from which a value of a number stands out."""


@dataclass(frozen=True)
class Suggestion:
    """A rule, how many rows show it, and what it says in plain English."""

    rule: Rule
    rows: int
    meaning: str


@dataclass(frozen=True)
class Mark:
    """A value of a feature, or that it is missing, and how many rows have it."""

    j: int
    code: float
    rows: int = field(default=0, compare=False)

    def rule(self, space: Space) -> Rule:
        """The condition that the feature has the value."""
        feature = space.features[self.j]
        if np.isnan(self.code):
            return Missing(feature.name)
        if isinstance(feature, Categorical):
            return OneOf(feature.name, (feature.levels[int(self.code)],))
        return Compare(feature.name, "=", self.code)

    def text(self, space: Space) -> str:
        """The same in plain English."""
        feature = space.features[self.j]
        value = value_of(feature, self.code)
        return f"{feature.name} is {'missing' if value is None else value}"


@dataclass(frozen=True, eq=False)
class Table:
    """Codes [n, d] of a space."""

    space: Space
    codes: np.ndarray

    @cached_property
    def groups(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """For each feature: its values, NaN last; the rows in their order; where each begins."""
        found = []
        for column in self.codes.T:
            order = np.argsort(column, kind="stable")
            ordered = column[order]
            new = np.flatnonzero(~(ordered[1:] == ordered[:-1])) + 1
            known = len(column) - int(np.isnan(column).sum())
            starts = np.concatenate([[0], new[new <= known]]).astype(np.intp)
            starts = starts[starts < len(column)]
            found.append((ordered[starts], order, starts))
        return found

    def counts(self, j: int) -> np.ndarray:
        """[values] how many rows have each value of a feature."""
        return np.diff(np.append(self.groups[j][2], len(self.codes)))

    @cached_property
    def numbers(self) -> list[int]:
        """The features that are numbers and vary."""
        return [j for j in self.varying if self.space.continuous[j]]

    @cached_property
    def categories(self) -> list[int]:
        """The features that are categories and vary."""
        return [j for j in self.varying if not self.space.continuous[j]]

    @cached_property
    def varying(self) -> list[int]:
        """The features with more than one value, a missing one aside."""
        return [j for j, (v, *_) in enumerate(self.groups) if (~np.isnan(v)).sum() > 1]

    @cached_property
    def ranges(self) -> dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """For each category, what all features have at its levels: each array is [L, d].

        The least code, the greatest, and the number of rows in which there is one.
        """
        found = {}
        for j in self.categories:
            values, order, starts = self.groups[j]
            starts = starts[~np.isnan(values)]
            part = self.codes[order[: len(order) - int(np.isnan(self.codes[:, j]).sum())]]
            found[j] = (
                np.fmin.reduceat(part, starts, axis=0),
                np.fmax.reduceat(part, starts, axis=0),
                np.add.reduceat(~np.isnan(part), starts, axis=0, dtype=np.int64),
            )
        return found

    @cached_property
    def _factorials(self) -> np.ndarray:
        """[n + 1] the factorials, as powers of ten."""
        return np.append(0.0, np.cumsum(np.log10(np.arange(1, len(self.codes) + 1))))

    def choices(self, n: np.ndarray | int, m: np.ndarray | int) -> np.ndarray:
        """In how many ways m of n rows can be chosen, as a power of ten."""
        table = self._factorials
        return np.asarray(table[n] - table[m] - table[np.subtract(n, m)])

    def orders(self, counts: np.ndarray) -> float:
        """In how many orders values can stand that occur so often, as a power of ten."""
        table = self._factorials
        return float(table[counts.sum()] - table[counts].sum())
