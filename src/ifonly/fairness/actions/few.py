"""Few actions for everybody: s of them, by how many rows they work for and at which mean cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ifonly.arrays.keys import row_streams
from ifonly.fairness.actions.action import Action, applied
from ifonly.fairness.actions.candidates import clustered, joined, single, varied
from ifonly.fairness.actions.choice import choose
from ifonly.fairness.one_pass import Pass
from ifonly.space.distance import differs

MOST = 10
SAMPLE = 1000
"""How many refused rows candidates are tried on; those chosen are tried on all."""
JOINED, WIDTH = 2, 12
"""How often the best actions are joined with the best on single features, and how many of each."""
ROUNDS, FRONTIER = 6, 12
"""How often actions are varied, at most, and how many of the frontier each time."""
VARIED, STEPS = 3, 80
"""The actions of sets of up to so many are varied too; and how many steps they are varied by."""
NEAR = 0.03
"""Three standard errors of a share of 0.9 in a sample: what is enough there may not be in all
rows, or more than enough. Sets for so much less and more are kept as well."""
LAYERS = 3
"""How many frontiers are near: the first, that of the rest, and so on."""
KEPT = 40
"""How many candidates are tried on all rows, besides those that were chosen."""


@dataclass(frozen=True, eq=False)
class ActionSet:
    """Some actions, of which each row takes the cheapest that works for it."""

    places: tuple[int, ...]
    """Which actions of the pool."""
    texts: tuple[str, ...]
    taken: np.ndarray
    """[r] the position in `places` of the action that each row takes; -1: none works."""
    cost: np.ndarray
    """[r] what it costs; infinite if none works."""

    @property
    def effectiveness(self) -> float:
        """The share of rows that one of the actions works for."""
        return float(np.isfinite(self.cost).mean()) if len(self.cost) else np.nan

    @property
    def mean_cost(self) -> float:
        """The mean cost over these rows."""
        found = np.isfinite(self.cost)
        return float(self.cost[found].mean()) if found.any() else np.nan


@dataclass(frozen=True, eq=False)
class FewActions:
    """Sets of 1, 2, ... actions, each better than the one before, and what they are chosen from."""

    sets: tuple[ActionSet, ...]
    pool: tuple[Action, ...]
    texts: tuple[str, ...]
    """The pool in words."""
    cost: np.ndarray
    """[r, p] what each action of the pool costs each refused row; infinite if it does not work."""
    tried: int
    """How many actions were tried."""

    def frame(self, groups: pd.DataFrame | None = None) -> pd.DataFrame:
        """One line per number of actions and, with groups [r], per group of each attribute."""
        lines = []
        for one in self.sets:
            parts = [("", "", np.ones(len(one.cost), dtype=bool))]
            for name, column in () if groups is None else groups.items():
                values = column.astype(str).to_numpy()
                parts += [(str(name), level, values == level) for level in sorted(set(values))]
            for attribute, group, rows in parts:
                found = np.isfinite(one.cost) & rows
                lines.append(
                    {
                        "actions": len(one.places),
                        "attribute": attribute,
                        "group": group,
                        "rows": int(rows.sum()),
                        "effectiveness": found.sum() / rows.sum(),
                        "mean_cost": one.cost[found].mean() if found.any() else np.nan,
                    }
                )
        return pd.DataFrame(lines)

    def for_rows(self, rows: np.ndarray, most: int = 3) -> list[int]:
        """The actions of the pool that would be chosen for some of the refused rows alone."""
        sets = choose(self.cost[rows], most)
        return list(sets[-1]) if sets else []


def few_actions(done: Pass, *, most: int = MOST, enough: float = 1.0, seed: int = 0) -> FewActions:
    """Sets of up to `most` actions for the refused rows of a pass.

    Rules, causes and costs are those of the pass, and the user's own model says what works. From
    the share `enough` of the rows on, a lower mean cost is better than more rows.
    """
    rows = done.rows
    order = np.argsort(row_streams(rows, seed), kind="stable")  # in whatever order they come
    answered, place = np.nonzero(done.filled[order])
    tried = _Tried(done, order[:SAMPLE])
    tried.add(clustered(done.space, rows[order[answered]], done.actions[order[answered], place]))
    alone = single(done.space, rows)
    tried.add(alone)
    steps = tried.steps(alone)
    for _ in range(JOINED):
        tried.add(joined(tried.best(WIDTH), steps[:WIDTH]))
    varied_before: set[Action] = set()
    shares = sorted({max(0.0, enough - NEAR), enough, min(1.0, enough + NEAR)})
    for _ in range(ROUNDS):
        sets = choose(tried.cost, min(most, VARIED), enough)
        best = {*tried.frontier(FRONTIER), *tried.near(shares[0], shares[-1])}
        best |= {tried.actions[place] for one in sets for place in one}
        if sets:  # of the best one, a step is also exchanged for one on another feature
            best |= {*varied(tried.actions[sets[0][0]], ())}
        tried.add([other for one in best - varied_before for other in varied(one, steps)])
        varied_before |= best
    sets = [one for share in shares for one in choose(tried.cost, most, share)]
    used = {tried.actions[place] for one in sets for place in one}
    pool = _ordered({*used, *tried.best(KEPT), *tried.near(shares[0], shares[-1])})
    cost = np.empty((len(rows), len(pool)))
    cost[order] = _judged(done, pool, order)
    texts = tuple(one.text(done.space) for one in pool)
    chosen = choose(cost[order], most, enough)
    return FewActions(
        tuple(_action_set(one, texts, cost) for one in chosen),
        tuple(pool),
        texts,
        cost,
        len(tried.actions),
    )


class _Tried:
    """The actions tried on some of the refused rows, and what they cost [n, a]; it grows."""

    def __init__(self, done: Pass, rows: np.ndarray) -> None:
        self.done, self.rows = done, rows
        self.actions: list[Action] = []
        self.cost = np.empty((len(rows), 0))

    def add(self, actions: Sequence[Action]) -> None:
        """Try those that were not tried yet."""
        new = _ordered({*actions} - {*self.actions})
        self.actions += new
        self.cost = np.hstack([self.cost, _judged(self.done, new, self.rows)])

    def best(self, most: int) -> list[Action]:
        """Those that work for the most rows, and of as many at the least cost."""
        order, count, _ = self._ranked()
        return [self.actions[i] for i in order[:most] if count[i]]

    def frontier(self, most: int) -> list[Action]:
        """Those that none beats both in rows and in cost; of more than `most`, evenly spread."""
        order, count, mean = self._ranked()
        found = order[_lowest(mean[order]) & (count[order] > 0)]
        if len(found) > most:
            found = found[np.linspace(0, len(found) - 1, most).round().astype(np.intp)]
        return [self.actions[i] for i in found]

    def near(self, low: float, high: float) -> list[Action]:
        """Those that work for a share of the rows between two, on the frontier or just behind.

        What lies behind by chance, in a sample, may be on it for all rows.
        """
        order, count, mean = self._ranked()
        share = count[order] / max(1, len(self.rows))
        left, found = order, []
        inside = dict(zip(order.tolist(), ((low <= share) & (share <= high)).tolist(), strict=True))
        for _ in range(LAYERS):
            first = _lowest(mean[left])
            found += [i for i in left[first].tolist() if inside[i] and count[i]]
            left = left[~first]
        return [self.actions[i] for i in found]

    def steps(self, alone: Sequence[Action]) -> list[Action]:
        """The most promising actions on single features.

        First those that work alone, for the most rows; then, since they may work with others, those
        on the features on which answers act most often.
        """
        _, count, _ = self._ranked()
        worked = dict(zip(self.actions, count.tolist(), strict=True))
        acted = differs(self.done.actions, self.done.rows[:, None]).sum(axis=(0, 1))
        hope = {one: (worked[one], int(acted[list(one.columns)].max())) for one in alone}
        return sorted(alone, key=lambda one: hope[one], reverse=True)[:STEPS]

    def _ranked(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """[a] the order of the actions by rows and cost, their numbers of rows and mean costs."""
        found = np.isfinite(self.cost)
        count = found.sum(axis=0)
        mean = np.where(found, self.cost, 0.0).sum(axis=0) / np.maximum(count, 1)
        mean = np.where(count > 0, mean.round(12), np.inf)
        return np.lexsort((mean, -count)), count, mean


def _ordered(actions: Iterable[Action]) -> list[Action]:
    """The actions in one order, shorter ones first: of equal ones, the first is chosen."""
    return sorted(actions, key=lambda one: (len(one.steps), one))


def _lowest(mean: np.ndarray) -> np.ndarray:
    """bool [a]: the costs that are lower than all before them."""
    return np.asarray(mean < np.minimum.accumulate(np.append(np.inf, mean))[:-1])


def _judged(done: Pass, actions: Sequence[Action], rows: np.ndarray) -> np.ndarray:
    """[n, m] what actions cost some of the refused rows [n]; infinite where they do not work."""
    if not len(actions):
        return np.empty((len(rows), 0))
    points = applied(done.space, actions, done.rows[rows])
    works = done.works(points, rows)
    price = np.asarray(done.metric.cost(points, done.rows[rows][:, None]))
    return np.where(works, price, np.inf)


def _action_set(places: tuple[int, ...], texts: tuple[str, ...], cost: np.ndarray) -> ActionSet:
    part = cost[:, list(places)]
    taken = np.where(np.isfinite(part).any(axis=1), part.argmin(axis=1), -1)
    words = tuple(texts[place] for place in places)
    return ActionSet(places, words, taken, part.min(axis=1, initial=np.inf))
