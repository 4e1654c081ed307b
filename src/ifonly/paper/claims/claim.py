"""A claim of the paper, the rule that decides it, and what the rule finds.

The same rule looks at two sets of figures: ours, and the authors' own records where they are at
hand. So a sentence that their records do not support either is distinguished from one that differs
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ifonly.paper.authors.facts import DATA

HOLDS, DIFFERS, UNCHECKED = "holds", "differs", "cannot be checked"


@dataclass(frozen=True, eq=False)
class Evidence:
    """The figures that rules look at, ours or the authors'; a table that is not there is empty."""

    sets: pd.DataFrame = field(default_factory=pd.DataFrame)
    boundary: pd.DataFrame = field(default_factory=pd.DataFrame)
    linear: pd.DataFrame = field(default_factory=pd.DataFrame)
    models: pd.DataFrame = field(default_factory=pd.DataFrame)
    causal: pd.DataFrame = field(default_factory=pd.DataFrame)
    lambdas: pd.DataFrame = field(default_factory=pd.DataFrame)
    losses: pd.DataFrame = field(default_factory=pd.DataFrame)
    qualitative: pd.DataFrame = field(default_factory=pd.DataFrame)


@dataclass(frozen=True)
class Finding:
    """Whether a sentence holds, and the figures that say so."""

    holds: bool
    figures: str


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and the rule by which it is checked."""

    place: str
    """Where it stands in the paper."""
    sentence: str
    rule: str
    check: Callable[[Evidence], Finding | None]
    """None where the figures to decide it are not there."""


@dataclass(frozen=True)
class Verdict:
    """A claim, decided: here, and by the authors' own records."""

    claim: Claim
    ours: Finding | None
    theirs: Finding | None

    @property
    def word(self) -> str:
        """'holds', 'differs' or 'cannot be checked'."""
        return word(self.ours)


def word(finding: Finding | None) -> str:
    """A finding in one of the three words."""
    return UNCHECKED if finding is None else HOLDS if finding.holds else DIFFERS


def decide(claims: Iterable[Claim], ours: Evidence, theirs: Evidence | None) -> list[Verdict]:
    """Every claim, decided by its rule."""
    return [
        Verdict(one, one.check(ours), None if theirs is None else one.check(theirs))
        for one in claims
    ]


@dataclass(frozen=True)
class Series:
    """One figure of a table by data set, method and k, for the outcomes that the paper draws."""

    values: dict[tuple[str, str, int], float]
    data: tuple[str, ...]
    ks: tuple[int, ...]

    def at(self, data: str, method: str, k: int) -> float:
        """The figure of a cell, NaN where there is none."""
        return self.values.get((data, method, k), np.nan)

    def has(self, *methods: str) -> bool:
        """Whether there are figures of all these methods."""
        present = {method for _, method, _ in self.values}
        return bool(self.data) and set(methods) <= present

    @property
    def last(self) -> int:
        """The largest k."""
        return self.ks[-1]


def series(table: pd.DataFrame, name: str, **where: Any) -> Series:
    """A figure of the rows that want the outcome that the paper draws; other filters by column."""
    if table.empty:
        return Series({}, (), ())
    part = table[table["outcome"] == table["data"].map(lambda one: DATA[one].plotted)]
    if "over" in part.columns:
        part = part[part["over"] == where.pop("over", "full")]
    for column, wanted in where.items():
        part = part[part[column] == wanted]
    keys = zip(part["data"], part["method"], part["k"], part[name], strict=True)
    values = {(str(d), str(m), int(k)): float(value) for d, m, k, value in keys}
    present = {place for place, _, _ in values}
    return Series(
        values, tuple(one for one in DATA if one in present), tuple(sorted({k for *_, k in values}))
    )


@dataclass(frozen=True)
class Duel:
    """Two figures side by side."""

    where: str
    one: float
    other: float

    @property
    def lead(self) -> float:
        return self.one - self.other


def duels(figures: Series, method: str, others: Iterable[str], *, least_k: int = 1) -> list[Duel]:
    """A method beside others, in every data set and k where both have a figure."""
    found = [
        Duel(
            f"{DATA[data].short}, k = {k}, {other}",
            figures.at(data, method, k),
            figures.at(data, other, k),
        )
        for data in figures.data
        for other in others
        for k in figures.ks
        if k >= least_k
    ]
    return [one for one in found if not np.isnan(one.lead)]


def higher(found: list[Duel], *, slack: float = 0.0) -> Finding | None:
    """That the first figure is higher in all of them, but for some slack."""
    if not found:
        return None
    won = [one for one in found if one.lead >= -slack]
    least = min(found, key=lambda one: one.lead)
    summary = f"{len(won)} of {len(found)} comparisons; the least lead is {least.lead:+.3f}"
    return Finding(len(won) == len(found), f"{summary} ({least.where})")
