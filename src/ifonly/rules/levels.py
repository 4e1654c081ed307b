"""A category with one of some levels, or with none of them; a feature without a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError, nearest
from ifonly.rules.box import Box
from ifonly.rules.formula import Formula, Variables
from ifonly.rules.language.dates import limit_text
from ifonly.rules.language.names import level_text, name_text
from ifonly.rules.rule import Condition, Rule, by_level, feature_of, truth_values
from ifonly.rules.scene import Scene
from ifonly.space import Categorical, Space
from ifonly.space.table.unseen import is_unseen, is_unseen_value


@dataclass(frozen=True)
class OneOf(Condition):
    """One of some levels, whether the category changes or not; with `other`, any other level."""

    kind: ClassVar[str] = "one of"
    name: str
    levels: tuple[Any, ...]
    other: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.levels:
            raise RuleError(f"The rule on {self.name!r} lists no level.", "Name at least one.")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def boxed(self) -> bool:
        return True

    def __str__(self) -> str:
        listed = ", ".join(map(level_text, self.levels))
        single = len(self.levels) == 1
        verb = ("not" if self.other else "is") if single else ("not in" if self.other else "in")
        return f"{name_text(self.name)} {verb} {listed}"

    def __invert__(self) -> Rule:
        return replace(self, other=not self.other)

    def check(self, space: Space) -> None:
        feature = feature_of(space, self.name, self)
        if not isinstance(feature, Categorical):
            raise RuleError(
                f"The rule '{self}' lists levels of {self.name!r}, which is a number.",
                f"Bound it: '{self.name} between {limit_text(feature.column, feature.low)} "
                f"and {limit_text(feature.column, feature.high)}'.",
            )
        for level in self.levels:
            if not any(same(level, known) for known in feature.levels):
                raise RuleError(
                    f"The rule '{self}' names {level!r}, which is not a level of {self.name!r}.",
                    nearest(level, feature.levels),
                )

    def wanted(self, space: Space) -> np.ndarray:
        """bool [L] the levels of the feature that the rule allows."""
        known = space.features[space.index(self.name)].levels  # type: ignore[union-attr]
        return np.array([any(same(a, b) for b in self.levels) != self.other for a in known])

    def truth(self, scene: Scene) -> np.ndarray:
        j = scene.space.index(self.name)
        value = scene.value(j)
        known = ~np.isnan(value)
        true = self.wanted(scene.space)[np.nan_to_num(value).astype(np.intp)]
        if not known.all():  # a level that the data do not have is none of those listed
            unseen = is_unseen_value(scene.space.features[j], value)
            known, true = known | unseen, np.where(unseen, self.other, true)
        return truth_values(true, known)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        j = scene.space.index(self.name)
        return scene.with_value(j, scene.level(j, self.wanted(scene.space) == wanted))

    def narrow(self, box: Box) -> Box:
        j, wanted = box.space.index(self.name), self.wanted(box.space)
        return super().narrow(box).among(j, wanted, unseen=self.other)

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        return by_level(self, variables, self.name, wanted)


@dataclass(frozen=True)
class Missing(Condition):
    """A feature that has no value, which is never unknown."""

    kind: ClassVar[str] = "missing"
    name: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def __str__(self) -> str:
        return f"{name_text(self.name)} is missing"

    def check(self, space: Space) -> None:
        if not feature_of(space, self.name, self).missing:
            raise RuleError(
                f"The rule '{self}' says that {self.name!r} is missing, and it never is.",
                "Drop the rule, or describe the space from data in which it is.",
            )

    def truth(self, scene: Scene) -> np.ndarray:
        value = scene.value(scene.space.index(self.name))
        return truth_values(np.isnan(value) & ~is_unseen(value))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """A value that was filled in goes again; one that is wanted is in the middle of others."""
        j = scene.space.index(self.name)
        if wanted:
            return np.where(np.isnan(scene.own(j))[:, None], scene.back(j), scene.points)
        if not scene.space.continuous[j]:
            return scene.with_value(j, scene.level(j, np.array(True)))
        middle = (scene.space.low[j] + scene.space.high[j]) / 2
        value, middle = scene.value(j), np.round(middle, int(scene.space.decimals[j]))
        filled = scene.moved(scene.with_value(j, np.where(np.isnan(value), middle, value)))
        return scene.with_value(j, filled.between(j, -np.inf, np.inf))

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        absent = variables.feature(self.name).absent
        return absent if wanted else (1.0 - absent).within(0.0, 1.0)


def same(level: Any, known: Any) -> bool:
    """Whether two levels are one: of equal value, and a truth value is no number."""
    return bool(level == known) and isinstance(level, bool) == isinstance(known, bool)
