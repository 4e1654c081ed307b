"""Rules that are short for a few others."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ifonly.rules.box import Box
from ifonly.rules.change_rules import Changes
from ifonly.rules.formula import Formula, Variables
from ifonly.rules.intervals import Compare
from ifonly.rules.language.names import level_text, name_text, number_text
from ifonly.rules.levels import OneOf
from ifonly.rules.logic import And, Implies, Or, bracketed, keep_tuple
from ifonly.rules.rule import Condition, Rule
from ifonly.rules.scene import Scene
from ifonly.space import Space


@dataclass(frozen=True)
class Meaning(Condition):
    """A rule that is short for others."""

    @property
    @abstractmethod
    def meaning(self) -> Rule:
        """The rule in longer words."""

    @property
    def relative(self) -> bool:
        return self.meaning.relative

    @property
    def boxed(self) -> bool:
        return self.meaning.boxed

    @property
    def names(self) -> tuple[str, ...]:
        return self.meaning.names

    def check(self, space: Space) -> None:
        self.meaning.check(space)

    def truth(self, scene: Scene) -> np.ndarray:
        return self.meaning.truth(scene)

    def violation(self, scene: Scene) -> np.ndarray:
        return self.meaning.violation(scene)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        return self.meaning.reach(scene, wanted)

    def narrow(self, box: Box) -> Box:
        return self.meaning.narrow(box)

    @property
    def has_formula(self) -> bool:
        return self.meaning.has_formula

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        return self.meaning.formula(variables, wanted)


@dataclass(frozen=True)
class Causes(Meaning):
    """Whoever changes the cause changes the effect (the paper, 'Causal feasibility')."""

    kind: ClassVar[str] = "causes"
    cause: str
    effect: str

    def __str__(self) -> str:
        return f"{name_text(self.cause)} causes {name_text(self.effect)}"

    @cached_property
    def meaning(self) -> Rule:
        return Implies(Changes(self.cause), Changes(self.effect))


@dataclass(frozen=True)
class Together(Meaning):
    """Some features change together or not at all."""

    kind: ClassVar[str] = "together"
    features: tuple[str, ...]
    wordy: ClassVar[bool] = True

    def __post_init__(self) -> None:
        keep_tuple(self, "features", 2)

    def __str__(self) -> str:
        *others, last = map(name_text, self.features)
        return f"{', '.join(others)} and {last} change together or not at all"

    @cached_property
    def meaning(self) -> Rule:
        changes = tuple(map(Changes, self.features))
        return Implies(Or(changes), And(changes))


@dataclass(frozen=True)
class Forbid(Meaning):
    """Some conditions never hold all at once."""

    kind: ClassVar[str] = "forbid"
    conditions: tuple[Rule, ...]
    wordy: ClassVar[bool] = True

    def __post_init__(self) -> None:
        keep_tuple(self, "conditions", 1)

    def __str__(self) -> str:
        return f"forbid {', '.join(map(_short, self.conditions))}"

    @cached_property
    def meaning(self) -> Rule:
        return ~(And(self.conditions) if len(self.conditions) > 1 else self.conditions[0])


def _short(rule: Rule) -> str:
    """A condition as `forbid` writes it: `education=Doctorate`, `age<25`."""
    if isinstance(rule, OneOf) and len(rule.levels) == 1 and not rule.other:
        return f"{name_text(rule.name)}={level_text(rule.levels[0])}"
    if isinstance(rule, Compare):
        return f"{name_text(rule.name)}{rule.sign}{number_text(rule.number)}"
    text = bracketed(rule)
    return f"({text})" if "," in text and text[0] != "(" else text
