"""Columns that others determine: `education determines education_num: School -> 9, ...`."""

from __future__ import annotations

import math

import numpy as np

from ifonly.rules.joint.pairs import Determines
from ifonly.rules.suggested.table import CERTAIN, Suggestion, Table
from ifonly.space.table.values import value_of

MOST_LEVELS = 40
"""How many pairs one rule lists at the most."""

Functions = dict[tuple[int, int], np.ndarray]
"""The pairs of features of which the first determines the second: its code at each level."""


def functions(table: Table, columns: list[int]) -> tuple[Functions, set[int]]:
    """What determines what, without what follows from that; and columns that repeat another."""
    found = _all(table, columns)
    repeats: dict[int, int] = {}
    for a, b in sorted(found):
        codes = found[a, b][~np.isnan(found[a, b])]
        if a not in repeats and b not in repeats and len(np.unique(codes)) == len(codes) > 1:
            repeats[b] = a
    kept = {
        (a, b): codes
        for (a, b), codes in found.items()
        if a not in repeats and repeats.get(b, a) == a
    }
    between = {a for a, _ in kept}
    direct = {
        (a, b): codes
        for (a, b), codes in kept.items()
        if not any((a, c) in kept and (c, b) in kept for c in between)
    }
    return direct, set(repeats)


def determined(table: Table, found: Functions) -> list[Suggestion]:
    """Functions as rules."""
    space, rules = table.space, []
    for (a, b), codes in found.items():
        if len(codes) > MOST_LEVELS:
            continue
        cause, effect = space.features[a], space.features[b]
        own = table.ranges[a][0][:, a]
        pairs = tuple(
            (value_of(cause, level), float(code) if space.continuous[b] else value_of(effect, code))
            for level, code in zip(own, codes, strict=True)
            if not np.isnan(code)
        )
        meaning = f"Each level of {cause.name} goes with one value of {effect.name}."
        if len({value for _, value in pairs}) == len(pairs):
            meaning = f"{effect.name} repeats {cause.name} in other words."
        rule = Determines(cause.name, effect.name, pairs)
        rules.append(Suggestion(rule, int(table.ranges[a][2][:, b].sum()), meaning))
    return rules


def _all(table: Table, columns: list[int]) -> Functions:
    """Every pair of a category and a feature that has one value at each of its levels."""
    found = {}
    tested = 2 * math.log10(max(2, len(columns)))
    for a in (a for a in table.categories if a in columns):
        low, high, known = table.ranges[a]
        single = ((low == high) | np.isnan(low)).all(axis=0)
        for b in (b for b in columns if b != a and single[b]):
            values, places = np.unique(low[:, b], return_inverse=True)
            counts = np.bincount(places.ravel(), weights=known[:, b]).astype(np.intp)
            ways = len(low) * math.log10(max(1, (~np.isnan(values)).sum()))
            if ways and table.orders(counts) - ways - tested >= CERTAIN:
                found[a, b] = low[:, b]
    return found
