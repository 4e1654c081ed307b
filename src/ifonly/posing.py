"""From codes and a goal to a problem, and what can be said of its rows before any search."""

from __future__ import annotations

import numpy as np

from ifonly.models import Counted
from ifonly.preparing import Setting
from ifonly.problem import Problem
from ifonly.rules import Box
from ifonly.space import Continuous, Space
from ifonly.space.rows import value_of
from ifonly.stream import row_streams
from ifonly.target import Goal


def pose(setting: Setting, model: Counted, x: np.ndarray, goal: Goal, seed: int) -> Problem:
    """The problem of rows x [q, d]."""
    box = Box.whole(setting.space, x)
    for rule in setting.rules:
        box = rule.narrow(box)
    return Problem(
        space=setting.space,
        model=model,
        goal=goal,
        x=x,
        box=box,
        rules=setting.rules,
        metric=setting.metric,
        grid=setting.grid,
        reference=setting.reference,
        stream=row_streams(x, seed),
        seed=seed,
        gradient=setting.gradient,
    )


def impossible(problem: Problem) -> dict[int, str]:
    """Why rows have no answer whatever is searched: for each such row, the rules that clash."""
    empty = problem.box.empty()
    reasons = {}
    for q in np.flatnonzero(empty.any(axis=1)):
        names = [problem.space.names[j] for j in np.flatnonzero(empty[q])]
        guilty = [f"'{r}'" for r in problem.rules if getattr(r, "name", None) == names[0]]
        j = problem.space.index(names[0])
        value = value_of(problem.space.features[j], problem.x[q, j])
        reasons[int(q)] = (
            f"The rules leave no value for {names[0]!r}, which is {value!r}: {', '.join(guilty)}."
        )
    for q in np.flatnonzero(problem.box.frozen().all(axis=1) & ~empty.any(axis=1)):
        listed = ", ".join(f"'{rule}'" for rule in problem.rules) or "the space has no other values"
        reasons[int(q)] = f"Nothing may change: {listed}."
    return reasons


def outside(space: Space, x: np.ndarray) -> dict[int, str]:
    """A note for each row with a value outside the known range."""
    notes: dict[int, str] = {}
    for j, feature in enumerate(space.features):
        if not isinstance(feature, Continuous):
            continue
        for q in np.flatnonzero((x[:, j] < feature.low) | (x[:, j] > feature.high)):
            low, high = value_of(feature, feature.low), value_of(feature, feature.high)
            value = value_of(feature, x[q, j])
            note = f"{feature.name} is {value}, outside the known {low} to {high}."
            notes[int(q)] = f"{notes[int(q)]} {note}" if int(q) in notes else note
    return notes
