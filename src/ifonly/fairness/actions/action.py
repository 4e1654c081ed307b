"""An action that is the same for everybody: what it makes of rows, and how it is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ifonly.answers.views import shown_features
from ifonly.render.view import value_text
from ifonly.space import Space
from ifonly.space.distance import differs
from ifonly.space.table.values import value_of

SET, ADD, RAISE, LOWER = "set", "add", "raise", "lower"
Said = Callable[[int, np.ndarray], str]
"""The words of an action, by its position, as advice to rows, by theirs [n]."""


@dataclass(frozen=True, order=True)
class Step:
    """What an action does to one feature.

    'set' gives its columns values, 'add' moves a number by an amount, 'raise' gives a number at
    least a value, 'lower' at most.
    """

    columns: tuple[int, ...]
    kind: str
    values: tuple[float, ...]


@dataclass(frozen=True, order=True)
class Action:
    """Steps on different features, in the order of the features."""

    steps: tuple[Step, ...]

    @property
    def columns(self) -> frozenset[int]:
        """The columns that it may change."""
        return frozenset(column for step in self.steps for column in step.columns)

    def text(self, space: Space) -> str:
        """The action in words.

        >>> space = Space.describe({"name": "pay", "low": 0, "high": 90000})
        >>> Action((Step((0,), ADD, (5000.0,)),)).text(space)
        'raise pay by 5000'
        """
        return " and ".join(_words(space, step) for step in self.steps)

    def for_rows(self, space: Space, rows: np.ndarray) -> Action:
        """The action without the steps that change none of rows [n, d]; itself if none is left."""
        alone = applied(space, [Action((step,)) for step in self.steps], rows)
        moves = np.asarray(differs(alone, rows[:, None]).any(axis=(0, 2)))
        kept = tuple(step for step, one in zip(self.steps, moves, strict=True) if one)
        return Action(kept) if kept else self


def applied(space: Space, actions: Sequence[Action], rows: np.ndarray) -> np.ndarray:
    """[n, m, d] what m actions make of rows [n, d]; a missing number is not moved."""
    points = np.repeat(rows[:, None], len(actions), axis=1)
    for place, action in enumerate(actions):
        for step in action.steps:
            for column, value in zip(step.columns, step.values, strict=True):
                own = rows[:, column]
                points[:, place, column] = _after(step.kind, own, value)
    moved = points != rows[:, None]
    return np.where(moved & space.continuous, space.round(points), points)


def _after(kind: str, own: np.ndarray, value: float) -> np.ndarray:
    """[n] a step's new values of one column."""
    if kind == SET:
        return np.full(len(own), value)
    if kind == ADD:
        return np.asarray(own + value)
    return np.asarray(np.maximum(own, value) if kind == RAISE else np.minimum(own, value))


def _words(space: Space, step: Step) -> str:
    shown = next(one for one in shown_features(space) if one.columns[0] == step.columns[0])
    if step.kind == SET:
        codes = np.full(len(space), np.nan)
        codes[list(step.columns)] = step.values
        return f"set {shown.name} to {value_text(shown.value(codes), space.thousands)}"
    amount = step.values[0]
    if step.kind == ADD:
        verb = "raise" if amount > 0 else "lower"
        unit = shown.features[0].column.unit
        said = value_text(float(abs(amount)), space.thousands) + (f" {unit}" if unit else "")
        return f"{verb} {shown.name} by {said}"
    end = value_text(value_of(shown.features[0], amount), space.thousands)
    return f"{step.kind} {shown.name} to {'at least' if step.kind == RAISE else 'at most'} {end}"
