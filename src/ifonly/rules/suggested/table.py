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

from ifonly.rules.intervals import Compare
from ifonly.rules.language.names import number_text
from ifonly.rules.levels import Missing, OneOf
from ifonly.rules.rule import Rule
from ifonly.space import Categorical, Space
from ifonly.space.table.values import value_of

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


@dataclass(frozen=True, order=True)
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
        if isinstance(feature, Categorical) or np.isnan(self.code):
            value = value_of(feature, self.code)
            return f"{feature.name} is {'missing' if value is None else value}"
        return f"{feature.name} is {number_text(self.code)}"


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
        places, values = self._places
        gaps = places < 0
        some = bool(gaps.any())
        above = np.where(gaps, np.iinfo(places.dtype).max, places) if some else places
        columns, found = np.arange(len(self.space)), {}
        for j in self.categories:
            known, order, starts = self.groups[j]
            ends = [*starts[1:], len(order)]
            levels = int(np.isfinite(known).sum())
            parts = [order[a:b] for a, b in zip(starts, ends, strict=True)][:levels]
            most = np.array([places[part].max(axis=0) for part in parts])
            least = np.minimum(most, [above[part].min(axis=0) for part in parts])
            rows = [len(part) - (gaps[part].sum(axis=0) if some else 0) for part in parts]
            counts = np.array([np.broadcast_to(one, len(columns)) for one in rows])
            found[j] = values[columns, least], values[columns, most], counts
        return found

    @cached_property
    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        """[n, d] the position of each value among those of its feature, -1 where it is missing.

        Small whole numbers, which are quick to compare; and the values [d, most], NaN at the end.
        """
        most = max(len(values) for values, *_ in self.groups)
        places = np.empty(self.codes.shape, dtype=np.int16 if most < 2**15 - 1 else np.int32)
        listed = np.full((len(self.groups), most + 1), np.nan)
        for j, (values, order, _) in enumerate(self.groups):
            places[order, j] = np.repeat(np.arange(len(values)), self.counts(j))
            listed[j, : len(values)] = values
        places[np.isnan(self.codes)] = -1
        return places, listed

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
