"""Rules on what changes: fixed, changes, only these, at most so many, together, in steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.box import CLOSE, Box
from ifonly.rules.formula import Affine, Formula, Variables, bound, is_multiple
from ifonly.rules.intervals import check_number
from ifonly.rules.joint.one_hot import counted, same_category
from ifonly.rules.language.dates import to_number
from ifonly.rules.language.names import name_text, number_text
from ifonly.rules.rule import Condition, Rule, allows, feature_of, truth_values
from ifonly.rules.scene import Scene
from ifonly.space import Space


@dataclass(frozen=True)
class Relative(Condition):
    """A rule that compares an answer with its row."""

    @property
    def relative(self) -> bool:
        return True


@dataclass(frozen=True)
class Fixed(Relative):
    """A feature that never changes."""

    kind: ClassVar[str] = "fixed"
    name: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def boxed(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{name_text(self.name)} fixed"

    def __invert__(self) -> Rule:
        return Changes(self.name)

    def check(self, space: Space) -> None:
        feature_of(space, self.name, self)

    def truth(self, scene: Scene) -> np.ndarray:
        return truth_values(~scene.changed(scene.space.index(self.name)))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        return Changes(self.name).reach(scene, not wanted)

    def narrow(self, box: Box) -> Box:
        return box.only_own(box.space.index(self.name))

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        return Changes(self.name).formula(variables, not wanted)


@dataclass(frozen=True)
class Changes(Relative):
    """A feature that does change."""

    kind: ClassVar[str] = "changes"
    name: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def __str__(self) -> str:
        return f"{name_text(self.name)} changes"

    def __invert__(self) -> Rule:
        return Fixed(self.name)

    def check(self, space: Space) -> None:
        feature_of(space, self.name, self)

    def truth(self, scene: Scene) -> np.ndarray:
        return truth_values(scene.changed(scene.space.index(self.name)))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        j = scene.space.index(self.name)
        if not wanted:
            return scene.back(j)
        own, step = scene.own(j), scene.step(j)
        if not scene.space.continuous[j]:
            count = scene.space.offsets[j + 1] - scene.space.offsets[j]
            return scene.with_value(j, scene.level(j, np.arange(count) != own[:, None]))
        # The least change, upward where there is room.
        up = scene.between(j, own + CLOSE * 1000 * step, np.inf)
        down = scene.between(j, -np.inf, own - CLOSE * 1000 * step)
        return scene.with_value(j, np.where(np.isnan(up), down, up))

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        feature = variables.feature(self.name)
        return feature.changes if wanted else feature.stays


@dataclass(frozen=True)
class OnlyChange(Relative):
    """Some features may change, and no others."""

    kind: ClassVar[str] = "only change"
    features: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        if not self.features:
            raise RuleError("The rule names no feature.", "Name at least one.")

    @property
    def boxed(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"only {', '.join(map(name_text, self.features))} change"

    def check(self, space: Space) -> None:
        for name in self.features:
            feature_of(space, name, self)

    def truth(self, scene: Scene) -> np.ndarray:
        changed = np.zeros(scene.points.shape[:-1], dtype=bool)
        for j in self._others(scene.space):
            changed |= scene.changed(j)
        return truth_values(~changed)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        for j in self._others(scene.space) if wanted else ():
            scene = scene.moved(scene.back(j))
        return scene.points

    def narrow(self, box: Box) -> Box:
        for j in self._others(box.space):
            box = box.only_own(j)
        return box

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        return _at_most(0, variables, self._others(variables.space), wanted)

    def _others(self, space: Space) -> list[int]:
        return [j for j, name in enumerate(space.names) if name not in self.features]


@dataclass(frozen=True)
class AtMost(Relative):
    """At most so many features change, of all or of some."""

    kind: ClassVar[str] = "at most change"
    count: int
    among: tuple[str, ...] = ()
    """The features that are counted; none named, all are."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "among", tuple(self.among))
        if isinstance(self.count, bool) or int(self.count) != self.count or self.count < 0:
            raise RuleError(
                f"At most {self.count!r} features change.", "It is a whole number of 0 or more."
            )
        object.__setattr__(self, "count", int(self.count))

    def __str__(self) -> str:
        if self.among:
            return f"at most {self.count} of {', '.join(map(name_text, self.among))} change"
        return (
            f"at most {self.count} feature{'s' * (self.count != 1)} change{'s' * (self.count == 1)}"
        )

    def check(self, space: Space) -> None:
        for name in self.among:
            feature_of(space, name, self)

    def truth(self, scene: Scene) -> np.ndarray:
        return truth_values(self._count(scene) <= self.count)

    def violation(self, scene: Scene) -> np.ndarray:
        return np.asarray(np.maximum(self._count(scene) - self.count, 0.0))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """The smallest changes are reverted first: the others are what the point is about."""
        if not wanted:
            return scene.points
        columns = self._columns(scene.space)
        gaps = np.stack([scene.gap(j, scene.own(j)) for j in columns], axis=1)
        gaps[~np.stack([self._counted(scene, j) for j in columns], axis=1)] = np.inf
        order = np.argsort(np.argsort(gaps, axis=1, kind="stable"), axis=1, kind="stable")
        surplus = (self._count(scene) - self.count)[:, None]
        points = scene.points.copy()
        for place, j in enumerate(columns):
            back = (order[:, place] < surplus[:, 0]) & self._counted(scene, j)
            for i in same_category(scene.space, j):
                points[back, i] = scene.back(i)[back, i]
        return points

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        space, counts = variables.space, counted(variables.space, variables.x)
        columns = [j for j in self._columns(space) if counts[j]]
        return _at_most(self.count, variables, columns, wanted)

    def _columns(self, space: Space) -> list[int]:
        """The positions of the features that are counted."""
        return [j for j, name in enumerate(space.names) if not self.among or name in self.among]

    def _count(self, scene: Scene) -> np.ndarray:
        columns = self._columns(scene.space)
        return np.asarray(np.sum([self._counted(scene, j) for j in columns], axis=0))

    @staticmethod
    def _counted(scene: Scene, j: int) -> np.ndarray:
        """bool [...]: whether feature j differs from the row's own, and counts."""
        counts = counted(scene.space, scene.x)[:, j]
        counts = counts[:, None] if scene.rows is None else counts[scene.rows]
        return np.asarray(scene.changed(j) & counts)


@dataclass(frozen=True)
class Steps(Relative):
    """A number that changes to multiples of a step; the row's own value may stay."""

    kind: ClassVar[str] = "in steps"
    name: str
    size: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", to_number(self.size))
        if not 0 < self.size < np.inf:
            raise RuleError(f"The steps of {self.name!r} are {self.size}.", "A step is above 0.")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def __str__(self) -> str:
        return f"{name_text(self.name)} in steps of {number_text(self.size)}"

    def check(self, space: Space) -> None:
        check_number(space, self.name, self)

    def truth(self, scene: Scene) -> np.ndarray:
        j = scene.space.index(self.name)
        value = scene.value(j)
        on = ~scene.changed(j) | is_multiple(value, self.size, scene.step(j))
        return truth_values(on, ~np.isnan(value))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        j = scene.space.index(self.name)
        value = scene.value(j)
        if not wanted:
            return self._beside(scene, j)
        best, cost = np.full(len(value), np.nan), np.full(len(value), np.inf)
        for multiple in (np.floor(value / self.size), np.ceil(value / self.size)):
            near = multiple * self.size
            found = scene.between(j, near, near)
            gap = np.where(np.isnan(found), np.inf, scene.gap(j, found))
            best, cost = np.where(gap < cost, found, best), np.minimum(gap, cost)
        return scene.with_value(j, np.where(np.isnan(best), scene.own_value(j), best))

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        number = variables.number(self.name)
        (own,) = allows(self, variables, self.name, [number.own], wanted)
        on = number.moves_to_multiples(self.size)
        inside = on if wanted else (number.moves - on).within(0.0, 1.0)
        return number.moved_or_own(inside, bool(own))

    def _beside(self, scene: Scene, j: int) -> np.ndarray:
        """[n, d] the points on the nearest value that is no multiple and not the row's own."""
        points, value, half = scene.points, scene.value(j), scene.step(j) / 2
        for near in (value + away * half for away in (2, -2, 4, -4)):
            moved = scene.with_value(j, scene.between(j, near - half, near + half))
            better = (self.truth(scene.moved(points)) >= 0) & (self.truth(scene.moved(moved)) < 0)
            points = np.where(better[:, None], moved, points)
        return points


def _at_most(count: int, variables: Variables, columns: list[int], wanted: bool) -> Formula:
    """That at most so many of some features change, or that more do."""
    names = variables.space.names
    changes = Affine.total(variables.feature(names[j]).changes for j in columns)
    return bound(changes, high=float(count)) if wanted else bound(changes, low=float(count + 1))
