"""Few actions for everybody: s of them, by how many rows they work for and at which mean cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ifonly.arrays.keys import row_streams
from ifonly.fairness.actions.action import Action
from ifonly.fairness.actions.candidates import clustered, joined, single, varied
from ifonly.fairness.actions.choice import choose
from ifonly.fairness.actions.tried import Tried
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
ERRORS, LAYERS = 3, 5
"""An action may work for fewer or more of the sample than of all rows: actions within so many
standard errors of the wanted share, on so many layers of the frontier, are varied and kept too.
Chosen by benchmarks/actions_constants.py, on other tables than those that are reported."""
AGAIN, MANY = 2, 5000
"""How often the actions of the best sets are varied on all rows, chosen as ERRORS was; or, where
there are more rows, on so many: then the best are tried on all of them."""
KEPT = 40
"""How many of the most effective actions are tried on all rows, besides those that were chosen."""


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
    order = np.argsort(row_streams(done.rows, seed), kind="stable")  # in whatever order they come
    sample, many = order[:SAMPLE], order[:MANY]
    shares = _shares(enough, len(sample))
    tried, steps = _searched(done, sample, most, shares)
    pool = Tried.of(done, many, _promising(tried, most, shares))
    pool = _varied_again(pool, steps, most, enough)
    if len(order) > len(many):
        pool = Tried.of(done, order, _promising(pool, most, _shares(enough, len(many))))
    texts = tuple(action.text(done.space) for action in pool.actions)
    cost = np.empty_like(pool.cost)
    cost[order] = pool.cost
    chosen = choose(pool.cost, most, enough)
    return FewActions(
        tuple(_action_set(one, texts, cost) for one in chosen),
        pool.actions,
        texts,
        cost,
        len(tried.actions),
    )


def _shares(enough: float, rows: int) -> tuple[float, float, float]:
    """The wanted share, and the least and the largest that some rows may show where it is that."""
    error = ERRORS * math.sqrt(enough * (1 - enough) / max(1, rows))
    return max(0.0, enough - error), enough, min(1.0, enough + error)


def _promising(tried: Tried, most: int, shares: tuple[float, float, float]) -> set[Action]:
    """The actions that are worth a trial on more rows."""
    low, _, high = shares
    sets = [one for share in {*shares} for one in choose(tried.cost, most, share)]
    used = {tried.actions[place] for one in sets for place in one}
    return {*used, *tried.near(low, high, LAYERS), *tried.best(KEPT)}


def _searched(
    done: Pass, sample: np.ndarray, most: int, shares: tuple[float, float, float]
) -> tuple[Tried, list[Action]]:
    """Actions tried on a sample: first ones, the best joined, and those near a share varied.

    And the steps that they were varied by.
    """
    low, enough, high = shares
    answered, place = np.nonzero(done.filled)
    alone = single(done.space, done.rows)
    first = clustered(done.space, done.rows[answered], done.actions[answered, place])
    tried = Tried.of(done, sample, [*first, *alone])
    steps = _steps(tried, alone)
    for _ in range(JOINED):
        tried = tried.also(joined(tried.best(WIDTH), steps[:WIDTH]))
    varied_before: set[Action] = set()
    for _ in range(ROUNDS):
        sets = choose(tried.cost, min(most, VARIED), enough)
        best = {tried.actions[place] for one in sets for place in one}
        best |= {*tried.frontier(FRONTIER), *tried.near(low, high, LAYERS)}
        if sets:  # of the best one, a step is also exchanged for one on another feature
            best |= {*varied(tried.actions[sets[0][0]], ())}
        new = best - varied_before
        if not new:
            break
        tried = tried.also(other for one in new for other in varied(one, steps))
        varied_before |= new
    return tried, steps


def _varied_again(pool: Tried, steps: Sequence[Action], most: int, enough: float) -> Tried:
    """With what is better on more rows, near the actions that the sample made look best."""
    seen: set[Action] = set()
    for _ in range(AGAIN):
        sets = choose(pool.cost, min(most, VARIED), enough)
        best = {pool.actions[place] for one in sets for place in one}
        if sets:  # as in the sample, a step of the best one is also exchanged
            best |= {*varied(pool.actions[sets[0][0]], ())}
        new = best - seen
        if not new:
            break
        pool = pool.also(other for one in new for other in varied(one, steps))
        seen |= new
    return pool


def _steps(tried: Tried, alone: Sequence[Action]) -> list[Action]:
    """The most promising actions on single features, by which others are varied.

    First those that work alone, for the most rows; then, since they may work with others, those
    on the features on which answers act most often.
    """
    worked = dict(zip(tried.actions, tried.count.tolist(), strict=True))
    acted = differs(tried.done.actions, tried.done.rows[:, None]).sum(axis=(0, 1))
    hope = {one: (worked[one], int(acted[list(one.columns)].max())) for one in alone}
    return sorted(alone, key=lambda one: hope[one], reverse=True)[:STEPS]


def _action_set(places: tuple[int, ...], texts: tuple[str, ...], cost: np.ndarray) -> ActionSet:
    part = cost[:, list(places)]
    taken = np.where(np.isfinite(part).any(axis=1), part.argmin(axis=1), -1)
    words = tuple(texts[place] for place in places)
    return ActionSet(places, words, taken, part.min(axis=1, initial=np.inf))
