"""Values that go together: a level with a zero, with a level of another column, with a gap.

    garage_type is none <=> garage_area = 0         if job is none then years_employed = 0

Two values go together if the same rows have them: a random sum over the rows of each value shows
this without a comparison of pairs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ifonly.rules.intervals import Between
from ifonly.rules.levels import OneOf
from ifonly.rules.logic import Equivalent, Implies
from ifonly.rules.suggested.functions import MOST_LEVELS, Functions
from ifonly.rules.suggested.table import CERTAIN, FREQUENT, LEAST_ROWS, Mark, Suggestion, Table
from ifonly.space.table.values import value_of

GAP = 5
"""How many steps of a number lie between a value that stands out and all others, at the least."""
MANY_ROWS = 30
"""How many rows with a level have a value in common, where others have it too, at the least."""
MOST_ARCS = 1000
"""How many implications are compared with each other."""
MOST_SHARED = 3
"""How many values of two columns go together at the most: more are a function, or near to one."""
MOST_LISTED = 12
"""How many levels an implication lists at the most."""

Follows = dict[Mark, set[Mark]]
"""What stated rules let follow from a value."""


def equivalences(table: Table, columns: list[int], follows: Follows) -> list[Suggestion]:
    """Values that the same rows have; for each such set of rows, one value with each other."""
    space, marks = table.space, _marks(table, columns)
    groups = defaultdict(list)
    for mark, rows in marks:
        groups[rows].append(mark)
    tested = 2 * math.log10(max(2, len(marks)))
    pairs = defaultdict(list)
    for group in groups.values():
        first, *others = sorted(group, key=lambda m: (np.isnan(m.code), space.continuous[m.j], m.j))
        if np.isnan(first.code):  # what is missing stays so, and needs no rule
            continue
        gaps = [one for one in others if np.isnan(one.code)]
        features = (space.features[gap.j] for gap in gaps)
        if not any(feature.fillable or feature.erasable for feature in features):
            others = [one for one in others if one not in gaps[1:]]
        if float(table.choices(len(table.codes), first.rows)) - tested >= CERTAIN:
            for other in others:
                pairs[first.j, other.j].append((first, other))
    found = []
    for pair in (pair for pair in pairs.values() if len(pair) <= MOST_SHARED):
        for first, other in pair:
            if not _known(first, other, follows):
                follows[first].add(other)
                follows[other].add(first)
                rule = Equivalent((first.rule(space), other.rule(space)))
                meaning = f"{first.text(space)} exactly where {other.text(space)}."
                found += [Suggestion(rule, first.rows, meaning), *_apart(table, first, other)]
    return found


def implications(
    table: Table, columns: list[int], functions: Functions, follows: Follows
) -> list[Suggestion]:
    """What every row with some levels has in common; the least probable first."""
    arcs = [arc for arc in _arcs(table, columns) if (arc[1].j, arc[2].j) not in functions]
    arcs = sorted(arcs, key=lambda arc: -arc[0])[:MOST_ARCS]
    space = table.space
    grouped: dict[tuple[int, Mark], list[Mark]] = defaultdict(list)
    for _, one, other in arcs:
        if not _known(one, other, follows):
            follows[one].add(other)
            grouped[one.j, other].append(one)
    found = []
    for (j, other), some in grouped.items():
        if len(some) <= MOST_LISTED:
            feature = space.features[j]
            levels = tuple(value_of(feature, mark.code) for mark in sorted(some))
            words = " or ".join(map(str, levels)) if len(levels) < 4 else f"one of {len(levels)}"
            meaning = f"Wherever {feature.name} is {words}, {other.text(space)}."
            rows = sum(mark.rows for mark in some)
            found.append(
                Suggestion(Implies(OneOf(feature.name, levels), other.rule(space)), rows, meaning)
            )
    return found


def followed(table: Table, functions: Functions) -> Follows:
    """What follows by functions, also from a value that a single level has."""
    follows: Follows = defaultdict(set)
    for (a, b), codes in functions.items():
        if len(codes) > MOST_LEVELS:
            continue
        for level, code in zip(table.ranges[a][0][:, a], codes, strict=True):
            one, other = Mark(a, float(level)), Mark(b, float(code))
            if not np.isnan(code):
                follows[one].add(other)
            if (codes == code).sum() == 1:
                follows[other].add(one)
    return follows


def _marks(table: Table, columns: list[int]) -> list[tuple[Mark, int]]:
    """The values with enough rows, and a random sum over the rows of each."""
    n = len(table.codes)
    weights = np.random.default_rng(0).integers(0, 2**63, n, dtype=np.uint64)
    found = []
    for j in columns:
        values, order, starts = table.groups[j]
        counts, totals = table.counts(j), np.add.reduceat(weights[order], starts)
        number = table.space.continuous[j] & ~np.isnan(values)
        least = np.where(number, max(LEAST_ROWS, FREQUENT * n), LEAST_ROWS)
        for i in np.flatnonzero((counts >= least) & (counts <= n - LEAST_ROWS)):
            found.append((Mark(j, float(values[i]), int(counts[i])), int(totals[i])))
    return found


def _apart(table: Table, first: Mark, other: Mark) -> Iterable[Suggestion]:
    """That the other values of a number keep away from one that a level goes with."""
    space, values = table.space, table.groups[other.j][0]
    if not space.continuous[other.j] or space.continuous[first.j] or np.isnan(other.code):
        return
    values = values[~np.isnan(values)]
    low, name = float(values[1]), space.names[other.j]
    if other.code == values[0] and (low - values[0]) * 10.0 ** space.decimals[other.j] > GAP:
        rule = Implies(~first.rule(space), Between(name, low=low))
        known = int((~np.isnan(table.codes[:, other.j])).sum())
        text = f"Unless {first.text(space)}, {name} is at least {low:.12g}."
        yield Suggestion(rule, known - other.rows, text)


def _arcs(table: Table, columns: list[int]) -> Iterable[tuple[float, Mark, Mark]]:
    """Levels that go with one value of another feature: how improbable, the level, the value."""
    missing = np.isnan(table.codes).sum(axis=0)
    levels = sum(len(table.ranges[j][0]) for j in table.categories if j in columns)
    tested = math.log10(max(2, levels * len(columns)))
    for a in (a for a in table.categories if a in columns):
        low, high, known = table.ranges[a]
        rows = known[:, a]
        single = (low == high) & (known >= MANY_ROWS)
        for level, b in zip(*np.nonzero(single[:, columns]), strict=True):
            b = columns[b]
            values = table.groups[b][0]
            code, m = low[level, b], int(known[level, b])
            total = int(table.counts(b)[np.searchsorted(values[~np.isnan(values)], code)])
            n = len(table.codes) - int(missing[b])
            chance = float(table.choices(n, m) - table.choices(total, m)) - tested
            if b != a and n - total >= LEAST_ROWS and chance >= CERTAIN:
                yield chance, Mark(a, float(low[level, a]), int(rows[level])), Mark(b, float(code))


def _known(one: Mark, other: Mark, follows: Follows) -> bool:
    """Whether one value follows from another by what is stated."""
    seen, waiting = {one}, [one]
    while waiting:
        for mark in follows.get(waiting.pop(), set()) - seen:
            seen.add(mark)
            waiting.append(mark)
    return other in seen
