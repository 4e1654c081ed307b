"""Groups compared: every measure of every group with its interval, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ifonly.fairness.bootstrap import DRAWS, difference, interval, ratio, weights
from ifonly.fairness.curves import PERMUTATIONS, holm, permutation_tests
from ifonly.fairness.facts import Facts
from ifonly.fairness.measures import MEASURES, Counts, counted, measured

GRID = 101
"""At how many budgets curves are kept: quantiles of all costs."""
OF_FEATURES = ("changed", "responsive", "reason")
"""What is measured of features."""
OVERALL = "all"
"""What stands for the attribute and the group of all rows together."""


@dataclass(frozen=True)
class Terms:
    """What groups are compared by."""

    share: float = 0.5
    """The effectiveness that `cost` and `choice` speak of."""
    within: float | None = None
    """The budget of `effectiveness`; by default the median cost of all rows reached."""
    least: int = 30
    """Groups of fewer rows, or fewer refused rows, are not compared."""
    seed: int = 0
    draws: int = DRAWS
    permutations: int = PERMUTATIONS

    def budget(self, cost: np.ndarray) -> float:
        """The budget of `effectiveness` over costs [r]; 0 where nobody is reached."""
        if self.within is not None:
            return float(self.within)
        reached = cost[np.isfinite(cost)]
        return float(np.median(reached)) if len(reached) else 0.0


@dataclass(frozen=True, eq=False)
class Compared:
    """The tables of an audit; the first columns are `attribute` and `group`."""

    sizes: pd.DataFrame
    """rows, refused"""
    measures: pd.DataFrame
    """measure, value, low, high"""
    differences: pd.DataFrame
    """attribute, measure, difference, low, high, ratio, ratio_low, ratio_high"""
    curves: pd.DataFrame
    """budget, share, low, high"""
    features: pd.DataFrame
    """feature; changed, responsive and reason, each with its _low and _high"""
    tests: pd.DataFrame
    """difference, budget, p, p_holm"""


@dataclass(frozen=True, eq=False)
class _Group:
    """A group, measured: once as it is (the first line), then in every draw."""

    attribute: str
    name: str
    rows: int
    refused: int
    names: tuple[str, ...]
    scalars: np.ndarray
    """[1 + b, m]"""
    features: np.ndarray
    """[1 + b, 3 f]"""
    curve: np.ndarray
    """[1 + b, g]"""


def compare(facts: Facts, groups: pd.DataFrame, terms: Terms) -> Compared:
    """All measures of the groups [q] of every attribute, with intervals, differences and tests."""
    within = terms.budget(facts.cost)
    reached = facts.cost[np.isfinite(facts.cost)]
    grid = np.zeros(1)
    if len(reached):  # costs themselves: all of them, where they are few
        grid = np.unique(np.quantile(reached, np.linspace(0, 1, GRID), method="inverted_cdf"))
    whole = pd.DataFrame({OVERALL: pd.Categorical([OVERALL] * len(facts.accepted))})
    found: list[_Group] = []
    for place, (attribute, column) in enumerate([*whole.items(), *groups.items()]):
        counts = counted(facts, str(attribute), within, grid)
        random = np.random.default_rng([terms.seed, 2, place])
        found += _measured(counts, str(attribute), column, facts, terms, random)
    return Compared(
        sizes=pd.DataFrame(
            [(one.attribute, one.name, one.rows, one.refused) for one in found],
            columns=["attribute", "group", "rows", "refused"],
        ),
        measures=_stacked(_measures(one) for one in found),
        differences=_stacked(_differences(found, str(name)) for name in groups.columns),
        curves=_stacked(_curve(one, grid) for one in found),
        features=_stacked(_features(one, facts.features) for one in found),
        tests=_tests(facts, groups, terms),
    )


def _measured(
    counts: Counts,
    attribute: str,
    column: pd.Series,
    facts: Facts,
    terms: Terms,
    random: np.random.Generator,
) -> Iterator[_Group]:
    """The groups of an attribute, each measured as it is and in every draw."""
    many = len(OF_FEATURES) * len(facts.features)
    names = (*counts.names, "cost", "choice")
    for code, name in enumerate(column.cat.categories):
        rows = np.flatnonzero(column.cat.codes.to_numpy() == code)
        parts = [np.ones((1, len(rows))), *weights(len(rows), terms.draws, random)]
        each = [measured(counts, rows, part, terms.share) for part in parts]
        means, cost, choice = (np.concatenate(one) for one in zip(*each, strict=True))
        refused = int(counts.searched[rows].sum())
        if len(rows) < terms.least:
            means[:, 0] = np.nan
        if refused < terms.least:
            means[:, 1:], cost, choice = np.nan, cost * np.nan, choice * np.nan
        m = len(counts.names)
        scalars = np.concatenate([means[:, :m], cost[:, None], choice[:, None]], axis=1)
        own, curve = means[:, m : m + many], means[:, m + many :]
        yield _Group(attribute, str(name), len(rows), refused, names, scalars, own, curve)


def _measures(one: _Group) -> pd.DataFrame:
    low, high = interval(one.scalars[1:])
    lines = pd.DataFrame(
        {"measure": one.names, "value": one.scalars[0], "low": low, "high": high}
    ).set_index("measure")
    lines = lines.loc[[name for name in MEASURES if name in one.names]].reset_index()
    return _named(lines, one)


def _curve(one: _Group, grid: np.ndarray) -> pd.DataFrame:
    low, high = interval(one.curve[1:])
    return _named(
        pd.DataFrame({"budget": grid, "share": one.curve[0], "low": low, "high": high}), one
    )


def _features(one: _Group, names: tuple[str, ...]) -> pd.DataFrame:
    (low, high), f = interval(one.features[1:]), len(names)
    columns: dict[str, Any] = {"feature": names}
    for place, title in enumerate(OF_FEATURES):
        part, ends = slice(place * f, (place + 1) * f), {"": one.features[0], "_low": low}
        ends["_high"] = high
        columns |= {f"{title}{end}": values[part] for end, values in ends.items()}
    return _named(pd.DataFrame(columns), one)


def _named(lines: pd.DataFrame, one: _Group) -> pd.DataFrame:
    lines.insert(0, "attribute", one.attribute)
    lines.insert(1, "group", one.name)
    return lines


def _differences(found: list[_Group], attribute: str) -> pd.DataFrame:
    """Between the groups of an attribute: as they are, and in every draw."""
    own = [one for one in found if one.attribute == attribute]
    values = np.stack([one.scalars for one in own], axis=-1)  # [1 + b, m, groups]
    values = np.where(np.isnan(values[:1]), np.nan, values)
    apart, share = difference(values), ratio(values)
    low, high = interval(apart[1:])
    ratio_low, ratio_high = interval(share[1:])
    columns = {"difference": apart[0], "low": low, "high": high}
    columns |= {"ratio": share[0], "ratio_low": ratio_low, "ratio_high": ratio_high}
    lines = pd.DataFrame({"measure": own[0].names, **columns}).set_index("measure")
    lines = lines.loc[[name for name in MEASURES if name in own[0].names]].reset_index()
    lines.insert(0, "attribute", attribute)
    return lines


def _tests(facts: Facts, groups: pd.DataFrame, terms: Terms) -> pd.DataFrame:
    """Each group's curve against that of all others; of two, that of the one worse off."""
    lines: list[tuple[str, str, float, float, float]] = []
    for place, (attribute, column) in enumerate(groups.items()):
        codes = column.cat.codes.to_numpy()[facts.refused].astype(np.intp)
        count = np.bincount(codes, minlength=len(column.cat.categories))
        tested = np.flatnonzero((count >= terms.least) & (len(codes) - count >= terms.least))
        two = len(tested) == 2 and count[tested].sum() == len(codes)
        random = np.random.default_rng([terms.seed, 3, place])
        parts = permutation_tests(facts.cost, codes, tested, random, terms.permutations)
        names = [str(column.cat.categories[int(code)]) for code in tested]
        each = list(zip(names, *parts, strict=True))
        # Of two groups, both comparisons are one: that of the group that is worse off.
        each = [max(each, key=lambda line: line[1])] if two else each
        lines += [(str(attribute), *line) for line in each]
    columns = ["attribute", "group", "difference", "budget", "p"]
    table = pd.DataFrame(lines, columns=columns)
    return table.assign(p_holm=holm(table["p"].to_numpy(dtype=np.float64)))


def _stacked(tables: Iterator[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(list(tables), ignore_index=True)
