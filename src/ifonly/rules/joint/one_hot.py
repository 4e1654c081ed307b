"""The rule that a row sets one of some columns, or at most one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ifonly.rules.formula import Affine, Formula, Variable, Variables, all_of, any_of, bound
from ifonly.rules.language.names import name_text
from ifonly.rules.rule import Rule, feature_of
from ifonly.rules.scene import Scene
from ifonly.space import OneHot, Space
from ifonly.space.distance import differs


@dataclass(frozen=True)
class SetsOne(Rule):
    """A group of columns of which an answer sets one; a row that does otherwise may stay so."""

    columns: tuple[str, ...]
    optional: bool = False
    """Whether an answer may set none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))

    @classmethod
    def of(cls, group: OneHot) -> SetsOne:
        """The rule of a group."""
        return cls(group.columns, group.optional)

    @property
    def names(self) -> tuple[str, ...]:
        return self.columns

    def __str__(self) -> str:
        listed = ", ".join(map(name_text, self.names))
        return f"{'at most' if self.optional else 'exactly'} one of {listed} is set"

    def check(self, space: Space) -> None:
        for name in self.names:
            feature_of(space, name, self)

    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        columns = [space.index(name) for name in self.names]
        count = points[..., columns].sum(axis=-1)
        changed = differs(points[..., columns], x[:, None, columns]).any(axis=-1)
        return np.asarray(~changed | (count == 1) | ((count == 0) & self.optional))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """Of two that are set, the one that the row does not set; of none, the row's own."""
        if not wanted:
            return scene.points
        columns = [scene.space.index(name) for name in self.names]
        value, own = scene.points[:, columns], np.stack([scene.own(j) for j in columns], axis=1)
        new = value * (2.0 - own)
        kept = np.where(new.any(axis=1), new.argmax(axis=1), own.argmax(axis=1))
        for place, j in enumerate(columns):
            wanted_value = (kept == place).astype(np.float64)
            scene = scene.moved(scene.with_value(j, scene.between(j, wanted_value, wanted_value)))
        return scene.points

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        features = [variables.feature(name) for name in self.names]
        count = Affine.total(feature.value for feature in features)
        least = 0.0 if self.optional else 1.0
        if wanted:
            stays = all_of(feature.stays for feature in features)
            one = bound(count, low=least, high=1.0)
            return one if self._set_by(features) else any_of([one, stays])
        moves = any_of(feature.changes for feature in features)
        return all_of([moves, any_of([bound(count, low=2.0), bound(count, high=least - 1.0)])])

    def _set_by(self, features: list[Variable]) -> bool:
        """Whether the row itself sets as many as it should."""
        total = sum(feature.own for feature in features)
        return total == 1 or (total == 0 and self.optional)


def counted(space: Space, x: np.ndarray) -> np.ndarray:
    """bool [..., d]: the features whose changes count in rows x [..., d].

    Of columns that are one category, the one that the row sets; all, where it sets none.
    """
    counts = np.ones(x.shape, dtype=bool)
    for group in space.one_hot:
        columns = [space.index(name) for name in group.columns]
        own = x[..., columns] == 1
        counts[..., columns] = own | ~own.any(axis=-1, keepdims=True)
    return counts


def same_category(space: Space, j: int) -> list[int]:
    """Feature j and the columns that are one category with it."""
    groups = [group.columns for group in space.one_hot if space.names[j] in group.columns]
    return [space.index(name) for name in groups[0]] if groups else [j]
