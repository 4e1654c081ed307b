"""Levels that stand for a part of a number's range: `age_group is young <=> age at most 29`."""

from __future__ import annotations

import math

import numpy as np

from ifonly.rules.intervals import Between
from ifonly.rules.levels import OneOf
from ifonly.rules.logic import Equivalent
from ifonly.rules.suggested.functions import MOST_LEVELS
from ifonly.rules.suggested.table import CERTAIN, LEAST_ROWS, Suggestion, Table
from ifonly.space.table.values import value_of

MOST_BANDS = 8
"""How many levels of a category are stated as bands at the most."""
SAMPLE = 48
"""How many rows are looked at first."""


def bands(table: Table, columns: list[int]) -> list[Suggestion]:
    """For each category, the number whose bands its levels are; the level that is left follows."""
    found = []
    numbers = [j for j in table.numbers if j in columns]
    for a in (a for a in table.categories if a in columns):
        best: list[tuple[int, int]] = []
        for b in _separated(table, a, numbers):
            levels = _banded(table, a, b, len(numbers))
            best = max(best, [(int(level), b) for level in levels], key=len)
        if len(best) == len(table.ranges[a][0]):
            best = sorted(best, key=lambda one: -table.ranges[a][2][one[0], a])[1:]
        if len(best) <= MOST_BANDS:
            found += [_stated(table, a, b, level) for level, b in sorted(best)]
    return found


def _separated(table: Table, a: int, numbers: list[int]) -> list[int]:
    """The numbers for which no row of a sample is in the range of another level than its own."""
    low, high, known = (part[:, numbers] for part in table.ranges[a])
    if len(low) > MOST_LEVELS:
        return []
    sample = np.linspace(0, len(table.codes) - 1, SAMPLE).astype(np.intp)
    rows = table.codes[sample][:, numbers]
    alone = (low < high) & (known >= LEAST_ROWS)
    for i, level in enumerate(table.ranges[a][0][:, a]):
        others = rows[table.codes[sample, a] != level]
        alone[i] &= ~((others >= low[i]) & (others <= high[i])).any(axis=0)
    return [numbers[i] for i in np.flatnonzero(alone.any(axis=0))]


def _banded(table: Table, a: int, b: int, numbers: int) -> np.ndarray:
    """The levels of a category whose rows are all those between two values of a number."""
    low, high, known = (part[:, b] for part in table.ranges[a])
    column = table.codes[:, b]
    both = column[~np.isnan(column) & ~np.isnan(table.codes[:, a])]
    ordered = np.sort(both)
    inside = np.searchsorted(ordered, high, side="right") - np.searchsorted(ordered, low)
    enough = (known >= LEAST_ROWS) & (known <= len(both) - LEAST_ROWS) & (low < high)
    tested = math.log10(max(2, len(ordered) * len(low) * numbers))
    likely = table.choices(len(both), known) - tested < CERTAIN
    return np.flatnonzero((inside == known) & enough & ~likely)


def _stated(table: Table, a: int, b: int, level: int) -> Suggestion:
    space = table.space
    low, high, known = (part[level, b] for part in table.ranges[a])
    values = table.groups[b][0]
    values = values[~np.isnan(values)]
    bottom, top = low == values[0], high == values[-1]
    name = value_of(space.features[a], table.ranges[a][0][level, a])
    band = Between(
        space.names[b], -np.inf if bottom else float(low), np.inf if top else float(high)
    )
    words = str(Between("", band.low, band.high)).partition('"" ')[2]
    rule = Equivalent((OneOf(space.names[a], (name,)), band))
    meaning = f"{space.names[a]} is {name} exactly where {space.names[b]} is {words}."
    return Suggestion(rule, int(known), meaning)
