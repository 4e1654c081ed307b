"""The changes of an answer in an order in which no rule is broken on the way.

A step is one change, or several where rules want them at once. Time that a move between levels
takes passes with it: a clock, the number that the time is taken of, runs on with the steps and
reaches its value in the answer with the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

from ifonly.answers.data import AnswerData
from ifonly.answers.views import shown_features
from ifonly.causal import Causes
from ifonly.errors import OptionError
from ifonly.render.view import Change, value_text
from ifonly.rules import Rule, as_rules
from ifonly.rules.transitions import Takes
from ifonly.space import Space
from ifonly.space.distance import differs

MOST = 10
"""The most changes that all orders are tried of."""


@dataclass(frozen=True)
class Step:
    """Changes that are made at once, and the time that they take."""

    changes: tuple[Change, ...]
    takes: float = 0.0
    of: str = ""
    thousands: str = ","

    def __str__(self) -> str:
        show = partial(value_text, thousands=self.thousands)
        listed = ", ".join(
            f"{show(c.feature)} from {show(c.before)} to {show(c.after)}"
            for c in self.changes
            if not c.follows
        )
        then = ", ".join(f"{show(c.feature)} {show(c.after)}" for c in self.changes if c.follows)
        takes = f" (takes {show(self.takes)} of {show(self.of)})" if self.takes else ""
        return f"{listed}{takes}{f'; then {then}' if then else ''}"


@dataclass(frozen=True)
class Plan:
    """Steps from a row to its answer."""

    steps: tuple[Step, ...]

    @property
    def takes(self) -> dict[str, float]:
        """The time that all steps take, by the number that it is taken of."""
        total: dict[str, float] = {}
        for step in self.steps:
            if step.takes:
                total[step.of] = total.get(step.of, 0.0) + step.takes
        return total

    def __str__(self) -> str:
        return "\n".join(f"{place}. {step}" for place, step in enumerate(self.steps, 1))


def plan_of(answers: AnswerData, row: int, answer: int) -> Plan:
    """The plan of one answer of a row; saved answers read their rules from the record."""
    if not 0 <= answer < answers.k or not answers.filled[row, answer]:
        count = int(answers.filled[row].sum())
        raise OptionError(f"Row {row} has no answer {answer}.", f"It has {count}, counted from 0.")
    source, record = answers.source, answers.record
    if source is None and answers.acted is not None:
        raise OptionError(
            "These answers were saved without their causal model.",
            "Ask again with the same model, causes and seed, and plan the new answers.",
        )
    lines = [*record["rules"], *(record.get("row_rules") or [[]] * len(answers))[row]]
    rules = as_rules(lines, answers.space) if source is None else source.rules_of(row)
    acted = answers.acted_features()[row, answer]
    goal = np.where(acted, answers.points[row, answer], answers.x[row])
    causes = None if source is None else source.setting.causes
    return plan(answers.space, rules, answers.x[row], goal, causes=causes)


def plan(
    space: Space,
    rules: Sequence[Rule],
    x: np.ndarray,
    goal: np.ndarray,
    *,
    causes: Causes | None = None,
) -> Plan:
    """The plan from a row x [d] to a goal [d]; with causes, a goal of actions."""
    route = _Route(space, tuple(rules), x, goal, causes)
    return Plan(tuple(route.steps()))


@dataclass(frozen=True)
class _Route:
    """The states between a row and its goal: one for each set of changes that are made."""

    space: Space
    rules: tuple[Rule, ...]
    x: np.ndarray
    goal: np.ndarray
    causes: Causes | None

    def steps(self) -> list[Step]:
        """The steps of the best order."""
        changed = np.flatnonzero(differs(self.x, self.goal))
        clocks = {self.space.index(of) for _, of in self._times()}
        moves = [int(j) for j in changed if j not in clocks] or [int(j) for j in changed]
        if len(moves) > MOST:
            done = np.array([[False], [True]]).repeat(len(moves), axis=1)
            return [self._step(moves, done, self._states(moves, done))]
        count = np.arange(2 ** len(moves))
        done = (count[:, None] >> np.arange(len(moves)) & 1).astype(bool)
        states = self._states(moves, done)
        lawful = np.ones(len(states), dtype=bool)
        for rule in self.rules:
            lawful &= rule.holds(self.space, self.x[None], states[None])[0]
        path = _path(lawful, len(moves))
        return [self._step(moves, done[[a, b]], states[[a, b]]) for a, b in pairwise(path)]

    def _states(self, moves: list[int], done: np.ndarray) -> np.ndarray:
        """[s, d] the row with the moves made that are done, bool [s, m]."""
        states = np.repeat(self.x[None], len(done), axis=0)
        states[:, moves] = np.where(done, self.goal[moves], self.x[moves])
        for (moving, of), time in self._times().items():
            clock, name = self.space.index(of), self.space.index(moving)
            if clock not in moves and name in moves:
                states[:, clock] += np.where(done[:, moves.index(name)], time, 0.0)
                states[:, clock] = np.minimum(states[:, clock], self.goal[clock])
        states[done.all(axis=1)] = self.goal
        return states if self.causes is None else self.causes.follow(self.x[None], states[None])[0]

    def _step(self, moves: list[int], done: np.ndarray, states: np.ndarray) -> Step:
        """What lies between two states, of which the second has more done."""
        before, after = states
        new = [j for j, was, now in zip(moves, *done, strict=True) if now and not was]
        apart = differs(before, after)
        follows = apart & ~np.isin(np.arange(len(apart)), new)
        changed = [one for one in shown_features(self.space) if one.any_of(apart)]
        changes = [one.change(before, after, follows & apart) for one in changed]
        timed = {of: t for (name, of), t in self._times().items() if self.space.index(name) in new}
        of, time = next(iter(timed.items()), ("", 0.0))
        own = [change for change in changes if not change.follows]
        then = [change for change in changes if change.follows]
        of = self.space.labels.get(of, of)
        return Step((*own, *then), time, of, self.space.thousands)

    def _times(self) -> dict[tuple[str, str], float]:
        """The time that changes of this plan take, by the feature and by the number that it is of.

        Where several rules want some, the longest counts: it is enough for each of them.
        """
        times: dict[tuple[str, str], float] = {}
        for rule in self.rules:
            if isinstance(rule, Takes) and rule.of:
                codes = np.array([self.x, self.goal])[:, self.space.index(rule.name)]
                if not np.isnan(codes).any():
                    before, after = codes.astype(np.intp)
                    time = float(rule.times(self.space)[before, after])
                    if 0 < time < np.inf:
                        key = rule.name, rule.of
                        times[key] = max(time, times.get(key, 0.0))
        return times


def _path(lawful: np.ndarray, m: int) -> list[int]:
    """The sets of moves made, as bits, on the way to all m: as few as possible at once.

    Dijkstra's way: what a step makes at once beyond one move is what it costs. All at once is
    always possible, since row and answer are given.
    """
    last = 2**m - 1
    heap: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, (0,))]
    seen = set()
    while heap:
        cost, state, path = heappop(heap)
        if state == last:
            return list(path)
        if state in seen:
            continue
        seen.add(state)
        left = last & ~state
        part = left
        while part:  # every set of moves that are left
            then = state | part
            if then == last or (lawful[then] and then not in seen):
                heappush(heap, (cost + part.bit_count() - 1, then, (*path, then)))
            part = (part - 1) & left
    return [0, last]
