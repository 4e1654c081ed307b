"""The subgroups in which recourse is worst, corrected for how many were compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ifonly.errors import OptionError, listed, nearest
from ifonly.fairness.curves import holm
from ifonly.fairness.subgroups.conditions import Conditions
from ifonly.fairness.subgroups.gaps import Gaps, chance_of_gap, chances, gaps, intervals
from ifonly.fairness.subgroups.search import Sets, conjunctions
from ifonly.fairness.subgroups.subgroup import LEVEL, Subgroup, Subgroups
from ifonly.space import Space

LEAST, FEWEST = 30, 5
"""The fewest rows on either side of a comparison: by default, and whatever is asked for."""
COUNTED, COUNTED_ROWS = 10, 2000
"""How many of the least p values are counted exactly, of comparisons of at most so many rows."""
NEARLY = 0.05
"""A condition adds nothing if no more of the difference is sure with it than without it."""
WALKED = 1000
"""How many comparisons are looked at for those to show."""
LARGE = 2**24
"""About how many memberships are worked on at a time."""


def worst_subgroups(
    space: Space,
    rows: np.ndarray,
    cost: np.ndarray,
    groups: pd.DataFrame | None = None,
    *,
    attribute: str = "",
    by: str = "curve",
    conditions: int = 3,
    least: int = LEAST,
    most: int = 10,
) -> Subgroups:
    """The worst subgroups of refused rows [r, d] with costs [r], infinite where there is no answer.

    With an `attribute`, a column of `groups` [r], each of its groups is compared with the others
    that meet the same conditions; without one, the rows that meet the conditions are compared with
    all others. Conditions are about features and about the columns of groups.
    """
    if by not in ("curve", "reach"):
        raise OptionError(f"by is {by!r}.", f"Known: {listed(('curve', 'reach'))}.")
    if attribute and (groups is None or attribute not in groups):
        known = () if groups is None else groups.columns
        raise OptionError(f"There are no groups {attribute!r}.", nearest(attribute, known))
    least = max(least, FEWEST)
    order = np.argsort(cost, kind="stable")
    rows, cost = rows[order], cost[order]
    groups = None if groups is None else groups.iloc[order]
    needed = 2 * least if attribute else least
    found = Conditions.of(space, rows, groups, least=least).without(attribute)
    sets = conjunctions(found.members, conditions, needed, whole=bool(attribute))
    search = _Search(cost, order, found, sets, _sides(groups, attribute), by)
    tests = search.tests(least)
    p = chances(tests.gaps, by=by)
    weights = search.weights(tests)
    if by == "curve":
        p = search.counted(tests, p, weights)
    adjusted = holm(p, weights)
    low, high = intervals(tests.gaps.within, tests.gaps.rows, weights)
    shown = search.listed(tests, low, adjusted, most)
    worst = tuple(
        search.subgroup(tests, place, (low[place], high[place]), (p[place], adjusted[place]))
        for place in shown
    )
    return Subgroups(worst, attribute, by, len(p), least)


def _sides(groups: pd.DataFrame | None, attribute: str) -> dict[str, np.ndarray | None]:
    """The rows [r] of each group that is compared; without an attribute, one side of any row."""
    if not attribute or groups is None:
        return {"": None}
    values = groups[attribute].astype(str).to_numpy()
    return {level: values == level for level in sorted(set(values))}


@dataclass(frozen=True, eq=False)
class _Tests:
    """The m comparisons made, and what they found."""

    which: np.ndarray
    """[m] the conjunction"""
    side: tuple[str, ...]
    """[m] the group compared"""
    gaps: Gaps


@dataclass(frozen=True, eq=False)
class _Search:
    """What is compared, with the costs [r] of all rows, sorted."""

    cost: np.ndarray
    order: np.ndarray
    """[r] where each row is among the refused"""
    known: Conditions
    sets: Sets
    sides: dict[str, np.ndarray | None]
    by: str

    def both(self, which: np.ndarray, side: str) -> tuple[np.ndarray, np.ndarray]:
        """bool [n, r] who is on a side of some conjunctions, and who is compared with."""
        inside, group = self.sets.members(self.known.members, which), self.sides[side]
        return (inside, ~inside) if group is None else (inside & group, inside & ~group)

    def tests(self, least: int) -> _Tests:
        """All comparisons with enough rows on either side."""
        done = [self._none, *self._parts(least)]
        names = Gaps.__dataclass_fields__
        parts = {name: np.concatenate([getattr(one.gaps, name) for one in done]) for name in names}
        which = np.concatenate([one.which for one in done])
        return _Tests(which, sum((one.side for one in done), ()), Gaps(**parts))

    @property
    def _none(self) -> _Tests:
        """No comparison."""
        every = np.zeros((0, len(self.cost)), dtype=bool)
        return _Tests(np.zeros(0, dtype=int), (), gaps(self.cost, every, every, by=self.by))

    def _parts(self, least: int) -> Iterator[_Tests]:
        """The comparisons of some conjunctions at a time."""
        size = max(1, LARGE // max(1, len(self.cost)))
        for start in range(0, len(self.sets), size):
            whole = np.arange(start, min(start + size, len(self.sets)))
            for side in self.sides:
                inside, others = self.both(whole, side)
                enough = (inside.sum(axis=1) >= least) & (others.sum(axis=1) >= least)
                found = gaps(self.cost, inside[enough], others[enough], by=self.by)
                yield _Tests(whole[enough], (side,) * int(enough.sum()), found)

    def weights(self, tests: _Tests) -> np.ndarray:
        """[m] what each comparison counts in corrections, 1 in all.

        Subgroups of no, one, two and three conditions count as much as each other: a few simple
        ones are not hidden by thousands that are not.
        """
        size = (self.sets.parts[tests.which] >= 0).sum(axis=1)
        kinds, where, count = np.unique(size, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / (len(kinds) * count[where]) if len(kinds) else np.empty(0))

    def counted(self, tests: _Tests, p: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """[m] p values, the least of them counted exactly where their bound decides nothing."""
        p, bound = p.copy(), holm(p, weights)
        for place in np.argsort(p / weights, kind="stable")[:COUNTED]:
            n, m = tests.gaps.rows[place].tolist()
            if bound[place] > LEVEL / 50 and n + m <= COUNTED_ROWS:
                inside, others = self.both(tests.which[[place]], tests.side[place])
                cost = self.cost[(inside | others)[0]]
                p[place] = chance_of_gap(cost, n, float(tests.gaps.difference[place]))
        return p

    def listed(self, tests: _Tests, low: np.ndarray, adjusted: np.ndarray, most: int) -> list[int]:
        """The comparisons to show, by the difference that is sure: the low end of its interval.

        A subgroup gives way to one of fewer conditions that says nearly as much, and is left out
        if nothing is left to say of it without the rows of those that are shown.
        """
        beyond = adjusted <= LEVEL
        order = np.lexsort((tests.which, -tests.gaps.difference, -low, ~beyond)).tolist()
        pairs = zip(map(self.sets.places, tests.which.tolist()), tests.side, strict=True)
        place_of = {pair: place for place, pair in enumerate(pairs)}
        shown: list[int] = []
        left = {side: np.ones(len(self.cost), dtype=bool) for side in self.sides}
        for place in order[:WALKED]:
            if len(shown) == most or tests.gaps.difference[place] <= 0:
                break
            side, parts = tests.side[place], self.sets.places(tests.which[place])
            simpler = (place_of.get((fewer, side), place) for fewer in _smaller(parts))
            chosen = next(
                one
                for one in (*simpler, place)
                if low[one] >= low[place] - NEARLY and beyond[one] >= beyond[place]
            )
            if chosen not in shown and self._is_left(tests.which[[chosen]], side, left[side]):
                shown.append(chosen)
                left[side] &= ~self.sets.members(self.known.members, tests.which[[chosen]])[0]
        return sorted(shown, key=order.index)

    def _is_left(self, which: np.ndarray, side: str, left: np.ndarray) -> bool:
        """Whether a subgroup is worse off in the rows [r] that are left, too."""
        inside, others = (part & left for part in self.both(which, side))
        found = gaps(self.cost, inside, others, by=self.by)
        return bool(found.rows.min() > 0 and chances(found, by=self.by)[0] <= LEVEL)

    def subgroup(
        self, tests: _Tests, place: int, ends: tuple[float, float], p: tuple[float, float]
    ) -> Subgroup:
        """One comparison as it is shown."""
        inside, others = (part[0] for part in self.both(tests.which[[place]], tests.side[place]))
        found = tests.gaps
        n, m = found.rows[place].tolist()
        parts = sorted(self.sets.places(tests.which[place]))
        return Subgroup(
            conditions=tuple(self.known.texts[part] for part in parts),
            side=tests.side[place],
            difference=float(found.difference[place]),
            low=float(ends[0]),
            high=float(ends[1]),
            budget=float(found.budget[place]),
            rows=(n, m),
            share=(found.within[place, 0] / n, found.within[place, 1] / m),
            reach=(found.reached[place, 0] / n, found.reached[place, 1] / m),
            p=float(p[0]),
            adjusted=float(p[1]),
            members=np.sort(self.order[inside]),
            others=np.sort(self.order[others]),
        )


def _smaller(parts: frozenset[int]) -> list[frozenset[int]]:
    """The conjunctions of fewer of the conditions, those of the fewest first."""
    ordered = sorted(parts)
    choices = [
        frozenset(part for place, part in enumerate(ordered) if bits >> place & 1)
        for bits in range(2 ** len(ordered) - 1)
    ]
    return sorted(choices, key=len)
