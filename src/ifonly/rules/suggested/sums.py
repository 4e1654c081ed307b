"""Totals and their parts: `total = a + b`, `b = 2 * a + 1`, one-hot columns that add up to 1.

Columns that depend on others linearly are found as a null space; of the relations that it holds,
those with small whole factors are kept. Rows with their last decimals rounded are taken for equal.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from ifonly.arrays.powers import powers_of_ten
from ifonly.rules.linear import Linear, Term
from ifonly.rules.rule import Rule
from ifonly.rules.suggested.table import CERTAIN, LEAST_ROWS, Suggestion, Table

MOST_FACTOR = 12
"""The largest whole factor of a part."""
MOST_RATIO = 1000
"""The largest factor between two columns, such as that of a unit."""
MOST_PARTS = 12
"""How many columns a sum has at the most; where all its factors are 1, three times as many."""
EXACT = 1e-7
"""What a dependent column may be off by, in its standard deviations."""
FINE = 0.02
"""Up to which rounding, in the same unit, a column can be a rounded sum."""

Relation = dict[int, int]
"""Whole factors by feature, the sum of which is a constant; the first one is positive."""


def sums(table: Table) -> list[tuple[Relation, Suggestion]]:
    """The relations of numbers that hold in every row, with the rules that state them."""
    relations = _shortened(_relations(table))
    found = []
    for relation in sorted(relations, key=len):
        stated = _stated(table, relation)
        if stated is not None:
            found.append((relation, stated))
    return found


def _relations(table: Table) -> list[Relation]:
    """Relations that a part of the rows obeys, one for each column that depends on earlier ones."""
    columns, x = _known(table)
    if len(x) < LEAST_ROWS or not columns:
        return []
    x = x[np.linspace(0, len(x) - 1, min(len(x), 2 * len(columns) + 400)).astype(np.intp)]
    x = x - x.mean(axis=0)
    scale = x.std(axis=0)
    kept = np.flatnonzero(scale > 0)
    x, scale, columns = x[:, kept] / scale[kept], scale[kept], [columns[i] for i in kept]
    rounding = 0.5 * powers_of_ten(-table.space.decimals[columns]) / scale
    free, dependent = _dependent(x, np.where(rounding < FINE, rounding, 0.0) + EXACT)
    if not dependent:
        return []
    solved, *_ = np.linalg.lstsq(x[:, free], x[:, list(dependent)], rcond=None)
    found = []
    for k, (j, away) in enumerate(dependent.items()):
        close = 1e-5 if away < EXACT else 2 * FINE
        used = np.flatnonzero(np.abs(solved[:, k]) > close)
        ratios = solved[used, k] * scale[j] / scale[[free[i] for i in used]]
        whole = _whole(ratios, close) if 0 < len(used) < 3 * MOST_PARTS else None
        if whole is not None:
            parts = {columns[free[i]]: -whole[1 + n] for n, i in enumerate(used)}
            found.append({columns[j]: whole[0], **parts})
    return found


def _known(table: Table) -> tuple[list[int], np.ndarray]:
    """Numbers, and rows in which all of them are known: columns that are often missing are out."""
    missing = np.isnan(table.codes)
    columns = [j for j in table.numbers if missing[:, j].mean() <= 0.5]
    whole = ~missing[:, columns].any(axis=1)
    if whole.sum() < max(LEAST_ROWS, len(whole) // 10):
        columns = [j for j in columns if not missing[:, j].any()]
        whole = ~missing[:, columns].any(axis=1)
    return columns, table.codes[np.ix_(whole, columns)]


def _dependent(x: np.ndarray, close: np.ndarray) -> tuple[list[int], dict[int, float]]:
    """The columns of x [n, p] that no earlier ones add up to, and those that some do.

    The latter with how far they are from the sum; a column is `close` [p] to one by rounding.
    """
    basis = np.empty((len(x), min(x.shape)))
    free: list[int] = []
    dependent = {}
    for j in range(x.shape[1]):
        rest = x[:, j]
        for _ in range(2):  # twice is enough (Kahan)
            rest = rest - basis[:, : len(free)] @ (basis[:, : len(free)].T @ rest)
        size = float(np.linalg.norm(rest))
        away = size / math.sqrt(len(x))
        if away < close[j]:
            dependent[j] = away
        elif len(free) + LEAST_ROWS < len(x):
            basis[:, len(free)] = rest / size
            free.append(j)
    return free, dependent


def _whole(ratios: np.ndarray, close: float) -> list[int] | None:
    """Whole factors of a column and of its parts, from the parts' ratios to it; None: not small."""
    most = MOST_RATIO if len(ratios) == 1 else MOST_FACTOR
    finest = MOST_FACTOR if close < FINE else 1
    parts = [Fraction(float(ratio)).limit_denominator(finest) for ratio in ratios]
    if any(abs(float(p) - r) > close * max(1, abs(r)) for p, r in zip(parts, ratios, strict=True)):
        return None
    times = math.lcm(*(part.denominator for part in parts))
    whole = [times, *(int(part * times) for part in parts)]
    largest = max(map(abs, whole))
    long = len(whole) > MOST_PARTS * (3 if largest == 1 else 1)
    return whole if all(whole) and largest <= most and not long else None


def _shortened(relations: list[Relation]) -> list[Relation]:
    """The relations, each replaced by its sum or difference with another while that is shorter."""
    relations = list(relations)
    shorter = len(relations) <= 60
    while shorter:
        shorter = False
        for a, b in combinations(range(len(relations)), 2):
            one, other = relations[a], relations[b]
            if not one.keys() & other.keys():
                continue
            for sign in (1, -1):
                joined = {j: one.get(j, 0) + sign * other.get(j, 0) for j in {**one, **other}}
                joined = {j: times for j, times in joined.items() if times}
                longer = a if len(one) >= len(other) else b
                if 0 < len(joined) < len(relations[longer]):
                    divisor = math.gcd(*joined.values())
                    relations[longer] = {j: times // divisor for j, times in joined.items()}
                    shorter = True
                    break
            if shorter:
                break
    return relations


def _stated(table: Table, relation: Relation) -> Suggestion | None:
    """The relation as a rule, where every row obeys it and chance does not explain it."""
    space, columns = table.space, list(relation)
    part = table.codes[:, columns]
    known = ~np.isnan(part).any(axis=1)
    total = part[known] @ np.array([relation[j] for j in columns], dtype=float)
    digits = int(space.decimals[columns].max())
    bound = float(np.round(np.median(total), max(digits, 0)))
    steps = powers_of_ten(-space.decimals[columns])
    rounded = part[known] / steps
    on_grid = bool((np.abs(rounded - np.round(rounded)) < 1e-6).all())
    rounding = 0.5 * float(np.abs([relation[j] for j in columns]) @ steps)
    off = float(np.abs(total - bound).max(initial=0))
    exact = on_grid and off < 1e-3 * 10.0**-digits
    spread = min(float(abs(relation[j]) * np.nanstd(table.codes[:, j])) for j in columns)
    if not exact and (off > rounding or rounding > 0.1 * spread):
        return None
    tried = len(columns) * math.log10(len(table.numbers) * 2 * MOST_FACTOR)
    if max(table.orders(table.counts(j)) for j in columns) - tried < CERTAIN:
        return None
    left, right = _sides(table, relation, bound)
    rule: Rule = Linear(left, "=", right)
    text = str(rule)
    if not exact:
        slack = float(f"{rounding:.2g}") if float(f"{rounding:.2g}") >= off else float(f"{off:.3g}")
        rule = Linear(left, "<=", (*right, (slack, ""))) & Linear(
            left, ">=", (*right, (-slack, ""))
        )
    return Suggestion(rule, int(known.sum()), _meaning(table, relation, bound, text, exact))


def _sides(
    table: Table, relation: Relation, bound: float
) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The two sides of a relation: the total on the left where one column is the total."""
    names = table.space.names
    signs = sorted(j for j, times in relation.items() if times > 0)
    others = sorted(relation.keys() - signs)
    if others and (
        len(others) < len(signs) or (len(others) == 1 == len(signs) and others[0] > signs[0])
    ):
        relation, bound = {j: -times for j, times in relation.items()}, -bound
        signs, others = others, signs
    left = tuple((float(relation[j]), names[j]) for j in signs)
    right = tuple((float(-relation[j]), names[j]) for j in others)
    alone = ((bound, ""),) if bound or not right else ()
    return left, (*right, *alone)


def _meaning(table: Table, relation: Relation, bound: float, text: str, exact: bool) -> str:
    left, right = text.split(" = ", 1)
    binary = all(set(np.unique(table.groups[j][0])) <= {0.0, 1.0} for j in relation)
    if binary and bound == 1 and set(relation.values()) == {1}:
        return f"Exactly one of {', '.join(table.space.names[j] for j in sorted(relation))} is 1."
    if len(relation) == 2 and not bound and set(map(abs, relation.values())) == {1} and exact:
        return f"{left} repeats {right}."
    return f"{left} equals {right}{'' if exact else ', but for rounding'}."
