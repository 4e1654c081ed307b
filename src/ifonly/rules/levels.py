"""A category with one of some levels, or with none of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError, nearest
from ifonly.rules.box import Box
from ifonly.rules.formula import Formula, Variables
from ifonly.rules.language.names import level_text, name_text, number_text
from ifonly.rules.rule import Condition, Rule, by_level, feature_of, truth_values
from ifonly.rules.scene import Scene
from ifonly.space import Categorical, Space


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
                f"Bound it: '{self.name} between {number_text(feature.low)} and "
                f"{number_text(feature.high)}'.",
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
        value = scene.value(scene.space.index(self.name))
        known = ~np.isnan(value)
        return truth_values(self.wanted(scene.space)[np.nan_to_num(value).astype(np.intp)], known)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        j = scene.space.index(self.name)
        return scene.with_value(j, scene.level(j, self.wanted(scene.space) == wanted))

    def narrow(self, box: Box) -> Box:
        return super().narrow(box).among(box.space.index(self.name), self.wanted(box.space))

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        return by_level(self, variables, self.name, wanted)


def same(level: Any, known: Any) -> bool:
    """Whether two levels are one: of equal value, and a truth value is no number."""
    return bool(level == known) and isinstance(level, bool) == isinstance(known, bool)
