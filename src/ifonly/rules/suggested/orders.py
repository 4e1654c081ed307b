"""One number that is never above another: `low <= high`, `years_employed <= age`."""

from __future__ import annotations

import math

import numpy as np

from ifonly.rules.linear import Linear
from ifonly.rules.suggested.table import CERTAIN, LEAST_ROWS, Suggestion, Table

QUANTILES = np.linspace(0, 1, 9)
BROKEN = 0.05
"""The share of rows that a random pairing of the two columns would break, at the least."""
SHARED = 0.25
"""The share of the range of both columns together that both of them have, at the least."""
MOST_PAIRS = 200_000
"""How many pairs are looked at row by row."""


def orders(table: Table, columns: list[int], known: set[tuple[int, int]]) -> list[Suggestion]:
    """The orders of pairs of columns, without those that are known or follow from others."""
    pairs = [pair for pair in _pairs(table, columns) if pair not in known]
    tested = 2 * math.log10(max(len(columns), 2))
    found = {}
    for low, high in pairs:
        shown = _shown(table, low, high)
        if shown is not None and shown[1] - tested >= CERTAIN:
            found[low, high] = shown[0]
    names = table.space.names
    return [
        Suggestion(
            Linear(((1.0, names[low]),), "<=", ((1.0, names[high]),)),
            rows,
            f"{names[low]} is never above {names[high]}.",
        )
        for (low, high), rows in found.items()
        if not any((low, j) in found and (j, high) in found for j in columns)
    ]


def _pairs(table: Table, columns: list[int]) -> list[tuple[int, int]]:
    """The pairs of columns of which the first is never above the second."""
    if len(columns) < 2:
        return []
    x = table.codes[:, columns]
    ends = np.nanquantile(x, QUANTILES, axis=0)
    # Sorted, the values of a column that is never above another are not either.
    complete = ~np.isnan(x).any(axis=0)
    may = (ends[[0, -1], :, None] <= ends[[0, -1], None, :]).all(axis=0)
    may &= (ends[:, :, None] <= ends[:, None, :]).all(axis=0) | ~(complete & complete[:, None])
    low, high = ends[0], ends[-1]
    shared = np.minimum.outer(high, high) - np.maximum.outer(low, low)
    width = np.maximum.outer(high, high) - np.minimum.outer(low, low)
    may &= shared >= SHARED * width
    np.fill_diagonal(may, False)
    first, second = np.nonzero(may)
    sample = x[:: max(1, len(x) // 64)]
    found = []
    for a, b in zip(first[:MOST_PAIRS], second[:MOST_PAIRS], strict=True):
        if not (sample[:, a] > sample[:, b]).any() and not (x[:, a] > x[:, b]).any():
            found.append((columns[a], columns[b]))
    return found


def _shown(table: Table, low: int, high: int) -> tuple[int, float] | None:
    """How many rows show the order, and how improbable it is, as a power of ten."""
    both = table.codes[:, [low, high]]
    both = both[~np.isnan(both).any(axis=1)]
    n = len(both)
    if n < 2 * LEAST_ROWS:
        return None
    a, b = np.sort(both, axis=0).T
    below = np.searchsorted(a, b, side="right")
    if 1 - below.mean() / n < BROKEN:
        return None
    # The orders of one column that keep it below the other, counted from the lowest value on.
    kept = np.log10(below - np.arange(n)) - np.log10(n - np.arange(n))
    return n, float(-kept.sum())
