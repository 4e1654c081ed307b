"""Who takes which action: a shallow tree over the features, with one action in each leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ifonly.fairness.actions.action import Said
from ifonly.fairness.subgroups.conditions import Conditions

DEPTH = 3
GAIN, SAVED = 0.01, 0.05
"""A split must win an action that works for this share of all rows; or lose none, and save this
share of what the rows of its node pay."""


@dataclass(frozen=True)
class Leaf:
    """The rows that meet some conditions, and the advice to them."""

    conditions: tuple[str, ...]
    action: str
    rows: int
    effectiveness: float
    """The share of them that the action works for."""
    mean_cost: float

    @property
    def sentence(self) -> str:
        """The leaf in one line."""
        who = f"If {' and '.join(self.conditions)}" if self.conditions else "Everybody"
        works = f"works for {self.effectiveness:.0%} of {self.rows} rows"
        cost = f", mean cost {self.mean_cost:.3g}" if self.effectiveness else ""
        return f"{who}: {self.action} ({works}{cost})."


@dataclass(frozen=True, eq=False)
class ActionTree:
    """The leaves of a tree, and how many of all rows get an action that works."""

    leaves: tuple[Leaf, ...]

    @property
    def effectiveness(self) -> float:
        """The share of all rows whose leaf has an action that works for them."""
        rows = sum(leaf.rows for leaf in self.leaves)
        return sum(leaf.rows * leaf.effectiveness for leaf in self.leaves) / max(1, rows)

    @property
    def mean_cost(self) -> float:
        """The mean cost over these rows."""
        works = [leaf.rows * leaf.effectiveness for leaf in self.leaves]
        costs = [w * leaf.mean_cost for w, leaf in zip(works, self.leaves, strict=True) if w]
        return sum(costs) / sum(works) if sum(works) else np.nan


def action_tree(
    known: Conditions,
    cost: np.ndarray,
    texts: tuple[str, ...],
    *,
    depth: int = DEPTH,
    least: int = 30,
    said: Said | None = None,
) -> ActionTree:
    """The tree of conditions over r rows, with costs [r, s] of actions, infinite if one fails.

    Each split is the one after which most rows have an action that works, one for either side, and
    of as many the one of the lowest cost. An action is `said` of the rows of its leaf; by default,
    in its text.
    """
    words = said or (lambda action, rows: texts[action])
    found = _grown(known, cost, words, np.arange(len(cost)), (), depth=depth, least=least)
    return ActionTree(tuple(found))


def _grown(
    known: Conditions,
    cost: np.ndarray,
    said: Said,
    rows: np.ndarray,
    path: tuple[str, ...],
    *,
    depth: int,
    least: int,
) -> Iterator[Leaf]:
    """The leaves below a node of some rows."""
    works = np.isfinite(cost[rows])
    paid = np.where(works, cost[rows], 0.0)
    count, total = works.sum(axis=0), paid.sum(axis=0)
    action = int(np.lexsort((total.round(9), -count))[0])
    split = _split(known.members[:, rows], works, paid, least) if depth else None
    if split is not None and _is_worth(split, count[action], total[action], len(cost)):
        place = split[0]
        inside = known.members[place, rows]
        for part, text in ((inside, known.texts[place]), (~inside, negated(known.texts[place]))):
            below = {"depth": depth - 1, "least": least}
            yield from _grown(known, cost, said, rows[part], (*path, text), **below)
        return
    mean = float(total[action] / count[action]) if count[action] else np.nan
    share = float(count[action] / max(1, len(rows)))
    told = said(action, rows) if count[action] else "no action works"
    yield Leaf(path, told, len(rows), share, mean)


def _split(
    members: np.ndarray, works: np.ndarray, paid: np.ndarray, least: int
) -> tuple[int, float, float] | None:
    """The best condition to split by, the rows that then have an action, and what these pay."""
    inside = members.astype(np.float64)
    size = inside.sum(axis=1)
    count = inside @ works  # [c, s]
    total = inside @ paid
    rest, rest_total = works.sum(axis=0) - count, paid.sum(axis=0) - total
    won, spent = np.zeros(len(members)), np.zeros(len(members))
    for number, amount in ((count, total), (rest, rest_total)):
        best = number.max(axis=1)
        won += best
        spent += np.where(number == best[:, None], amount, np.inf).min(axis=1)
    won[(size < least) | (works.shape[0] - size < least)] = -1
    if not len(won) or won.max() < 0:
        return None
    place = int(np.lexsort((spent.round(9), -won))[0])
    return place, float(won[place]), float(spent[place])


def _is_worth(split: tuple[int, float, float], count: float, total: float, rows: int) -> bool:
    """Whether a split is better than one action that works for so many rows and costs so much."""
    _, won, spent = split
    cheaper = won >= count and spent < (1 - SAVED) * total
    return won - count >= max(1, GAIN * rows) or cheaper


def negated(text: str) -> str:
    """The opposite of a condition.

    >>> negated("age > 41"), negated("job is manual"), negated("debt is missing")
    ('age <= 41', 'not (job is manual)', 'not (debt is missing)')
    """
    for a, b in ((" <= ", " > "), (" > ", " <= ")):
        left, found, right = text.rpartition(a)
        if found and '"' not in right:
            return f"{left}{b}{right}"
    return f"not ({text})"
