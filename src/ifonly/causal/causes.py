"""Causes in a space: from actions on a row to the points that result.

Pearl's three steps. *Abduction*: a row's noise is what its values leave over when the equations are
taken away. *Action*: features acted on get their values, whatever their causes do. *Prediction*:
every other feature with a changed cause is its equation over the new causes plus the old noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ifonly.causal.equation import OnCodes
from ifonly.rules import Box
from ifonly.space import Space


@dataclass(frozen=True, eq=False)
class Link:
    """The equation of one feature with causes, by positions in the space."""

    effect: int
    causes: tuple[int, ...]
    equation: OnCodes
    grid: Space
    """The space of the effect alone, which puts what is predicted on its value grid."""


@dataclass(frozen=True, eq=False)
class Causes:
    """The links of a causal model, each after those it depends on."""

    space: Space
    links: tuple[Link, ...]
    actions: tuple[int, ...] | None = None
    """The positions of the features that can be acted on; None: all."""
    text: str = ""
    """The causal model in words."""

    def may_act(self, j: int) -> bool:
        """Whether feature j can be acted on."""
        return self.actions is None or j in self.actions

    @cached_property
    def effects(self) -> tuple[int, ...]:
        """The positions of the features with causes, causes before effects."""
        return tuple(link.effect for link in self.links)

    def to_act_in(self, limits: Box) -> Box:
        """What rows may do themselves, where `limits` are what they may become.

        Where an action leaves a feature with causes at the row's own value, it follows its causes:
        whether that value may stay is for the limits to say of the result.
        """
        keep = limits.keep.copy()
        keep[:, self.effects] = True
        box = replace(limits, keep=keep)
        for j in range(len(self.space)):
            if not self.may_act(j):
                box = box.only_own(j)
        return box

    def reached(self, free: np.ndarray) -> np.ndarray:
        """bool [q, d]: what can change where actions may change features `free` [q, d]."""
        reached = free.copy()
        for link in self.links:
            reached[:, link.effect] |= reached[:, link.causes].any(axis=1)
        return reached

    def acted(self, x: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """bool [q, m, d]: the features that actions [q, m, d] set to another value than x [q, d].

        Missing equals missing.
        """
        values = actions.transpose(2, 0, 1)
        set_apart = np.empty(values.shape, dtype=bool)
        for j, column in enumerate(values):
            set_apart[j] = _differs(column, x[:, j])
        return set_apart.transpose(1, 2, 0)

    def follow(self, x: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """The points [q, m, d] that result where rows x [q, d] take actions [q, m, d].

        A feature with causes that is not acted on follows them where one of them differs from the
        row's, rounded to its decimals; elsewhere it keeps the row's own value, bit for bit. It
        keeps it too where its own value or a cause is missing, before or after. What follows may
        leave the range of the space.

        >>> from ifonly import Space
        >>> from ifonly.causal import CausalModel
        >>> space = Space.describe({"name": "age", "low": 17, "high": 90},
        ...                        {"name": "income", "low": 0, "high": 9000})
        >>> model = CausalModel({"income": ("age",)}, {"income": lambda causes: 40 * causes["age"]})
        >>> x = np.array([[30.0, 1500.0]])
        >>> model.bind(space).follow(x, np.array([[[35.0, 1500.0], [35.0, 2000.0]]]))
        array([[[  35., 1700.],
                [  35., 2000.]]])
        """
        points = np.array(actions.transpose(2, 0, 1), order="C")  # [d, q, m], a copy
        linked = {j for link in self.links for j in (link.effect, *link.causes)}
        changed = {j: _differs(points[j], x[:, j]) for j in linked}
        for link in self.links:
            moved = _moved(link, x, points, changed)
            if moved.any():
                points[link.effect][moved] = _predicted(link, x, points, moved)
                changed[link.effect] |= moved & _differs(points[link.effect], x[:, link.effect])
        return points.transpose(1, 2, 0)


def _differs(values: np.ndarray, own: np.ndarray) -> np.ndarray:
    """bool [q, m]: where values [q, m] of one feature differ from the rows' own [q]."""
    unequal = np.asarray(values != own[:, None])
    lost = np.isnan(own)
    if lost.any():
        unequal[lost] = ~np.isnan(values[lost])
    return unequal


def _moved(
    link: Link, x: np.ndarray, points: np.ndarray, changed: dict[int, np.ndarray]
) -> np.ndarray:
    """bool [q, m]: where an effect follows its causes in points [d, q, m]."""
    moved = np.zeros(points.shape[1:], dtype=bool)
    for cause in link.causes:
        moved |= changed[cause]
    moved &= ~changed[link.effect]
    for cause in link.causes:
        moved &= ~np.isnan(points[cause])
    moved[np.isnan(x[:, [link.effect, *link.causes]]).any(axis=1)] = False
    return moved


def _predicted(link: Link, x: np.ndarray, points: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """[n] the effect's values at the n places of points [d, q, m] that have moved [q, m].

    The rows' own causes are asked about in the same call: a call costs more than a row.
    """
    rows = np.flatnonzero(moved.any(axis=1))
    places = np.flatnonzero(moved)
    codes = np.empty((len(link.causes), len(rows) + len(places)))
    for own, cause in zip(codes, link.causes, strict=True):
        own[: len(rows)] = x[rows, cause]
        own[len(rows) :] = points[cause].reshape(-1).take(places)
    expected = link.equation.on_codes(codes.T)
    noise = np.empty(len(x))
    noise[rows] = x[rows, link.effect] - expected[: len(rows)]
    values = expected[len(rows) :] + noise.take(places // moved.shape[1])
    return np.asarray(link.grid.round(values[:, None])[:, 0])
