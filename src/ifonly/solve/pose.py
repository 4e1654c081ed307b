"""From codes and a goal to a problem, and what can be said of its rows before any search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ifonly.arrays.keys import row_streams
from ifonly.models import Counted
from ifonly.problem.goal import Goal
from ifonly.problem.problem import Problem
from ifonly.rules import Box, Rule
from ifonly.solve.prepare import Setting
from ifonly.space import Continuous, Space
from ifonly.space.table.values import value_of


def pose(
    setting: Setting,
    model: Counted,
    x: np.ndarray,
    goal: Goal,
    seed: int,
    *,
    own: Sequence[tuple[Rule, ...]] = (),
    places: np.ndarray | None = None,
) -> Problem:
    """The problem of rows x [q, d]; `own` gives each row rules of its own.

    Rules of single rows that no box can express must be the same for all rows of a problem: see
    `alike`.
    """
    box = Box.whole(setting.space, x)
    for rule in setting.all_rules:
        box = rule.narrow(box)
    for rule, rows in _rows_of(own).items():
        box = box.put(rows, rule.narrow(box.take(rows)))
    causes, limits = setting.causes, None
    if causes is not None:
        limits, box = box, causes.to_act_in(box)
    shared = tuple(rule for rule in own[0] if not rule.boxed) if own else ()
    return Problem(
        space=setting.space,
        model=model,
        goal=goal,
        x=x,
        box=box,
        rules=setting.all_rules + shared,
        metric=setting.metric,
        grid=setting.grid,
        reference=setting.reference,
        stream=row_streams(x, seed),
        seed=seed,
        gradient=setting.gradient,
        causes=causes,
        reading=setting.reading,
        trees=setting.trees,
        limits=limits,
        usual=setting.usual,
        own_rules=tuple(tuple(rule for rule in rules if rule.boxed) for rules in own),
        places=places,
        demands=setting.demands,
    )


def alike(own: Sequence[tuple[Rule, ...]], q: int) -> list[np.ndarray]:
    """Positions of rows that one problem can hold: those whose relations of their own are equal."""
    if not own:
        return [np.arange(q)]
    groups: dict[tuple[Rule, ...], list[int]] = {}
    for row in range(q):
        relations = tuple(rule for rule in own[row] if not rule.boxed)
        groups.setdefault(relations, []).append(row)
    return [np.array(rows, dtype=np.intp) for rows in groups.values()]


def _rows_of(own: Sequence[tuple[Rule, ...]]) -> dict[Rule, np.ndarray]:
    """The positions of the rows that each rule is for."""
    rows: dict[Rule, list[int]] = {}
    for row, rules in enumerate(own):
        for rule in rules:
            rows.setdefault(rule, []).append(row)
    return {rule: np.array(places, dtype=np.intp) for rule, places in rows.items()}


def outside(space: Space, x: np.ndarray) -> dict[int, str]:
    """A note for each row with a value outside the known range."""
    notes: dict[int, str] = {}
    for j, feature in enumerate(space.features):
        if not isinstance(feature, Continuous):
            continue
        for q in np.flatnonzero((x[:, j] < feature.low) | (x[:, j] > feature.high)):
            low, high = value_of(feature, feature.low), value_of(feature, feature.high)
            value = value_of(feature, x[q, j])
            note = f"{feature.name} is {value}, outside the known range {low} to {high}."
            notes[int(q)] = f"{notes[int(q)]} {note}" if int(q) in notes else note
    return notes


@dataclass(frozen=True)
class Batch:
    """Rows x [q, d] with their goal."""

    x: np.ndarray
    goal: Goal
    met: np.ndarray
    """bool [q] which rows have the wanted outcome already."""
    own: tuple[tuple[Rule, ...], ...]
    """Each row's own rules; empty where no row has any."""
    seed: int
    known: np.ndarray
    """bool [q] the rows that the model has given a prediction for; only these are searched."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """Why the model fails for some of the others, by position."""
    odd: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    """bool [q] the rows with values that the data do not have; empty where there are none."""
    places: np.ndarray | None = None
    """[q] where each row's carried columns are, if the model takes any."""

    def chunks(self, size: int) -> list[np.ndarray]:
        """The positions of the known rows, in parts of at most `size` that one problem can hold."""
        groups = [rows[self.known[rows]] for rows in alike(self.own, len(self.x))]
        if len(self.odd):
            groups = [rows[self.odd[rows] == odd] for odd in (False, True) for rows in groups]
        return [
            rows[start : start + size] for rows in groups for start in range(0, len(rows), size)
        ]

    def take(self, rows: np.ndarray) -> Batch:
        """Some of the rows, by position."""
        places = rows.tolist()
        return Batch(
            self.x[rows],
            self.goal.take(rows),
            self.met[rows],
            tuple(self.own[row] for row in places) if self.own else (),
            self.seed,
            self.known[rows],
            {new: self.failed[old] for new, old in enumerate(places) if old in self.failed},
            self.odd[rows] if len(self.odd) else self.odd,
            None if self.places is None else self.places[rows],
        )

    def pose(self, setting: Setting, model: Counted, rows: np.ndarray) -> Problem:
        """The problem of some rows."""
        own = [self.own[row] for row in rows] if self.own else []
        places = None if self.places is None else self.places[rows]
        x, goal = self.x[rows], self.goal.take(rows)
        return pose(setting, model, x, goal, self.seed, own=own, places=places)
