"""`&`, `|`, `~`, `implies` and `equivalent` over all rules.

Truth has three values, as Kleene has it: and is the least of its parts, or the greatest, not the
opposite; unknown is in the middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Self

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.box import Box
from ifonly.rules.change_rules import Changes
from ifonly.rules.formula import Formula, Variables, all_of, any_of
from ifonly.rules.intervals import Shift
from ifonly.rules.rule import OPERATIONS, Condition, Rule
from ifonly.rules.scene import Scene
from ifonly.space import Space


@dataclass(frozen=True)
class _Joined(Condition):
    """Some rules as one."""

    parts: tuple[Rule, ...]
    wordy: ClassVar[bool] = True

    def __post_init__(self) -> None:
        keep_tuple(self, "parts", 2)

    @classmethod
    def of(cls, *rules: Rule) -> Self:
        """The rules as one, without an And inside an And or an Or inside an Or."""
        split = (rule.parts if isinstance(rule, cls) else (rule,) for rule in rules)
        return cls(tuple(part for parts in split for part in parts))

    @property
    def relative(self) -> bool:
        return any(part.relative for part in self.parts)

    @property
    def has_formula(self) -> bool:
        return all(part.has_formula for part in self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.names))

    def check(self, space: Space) -> None:
        for part in self.parts:
            part.check(space)


@dataclass(frozen=True)
class And(_Joined):
    """All of some rules."""

    kind: ClassVar[str] = "and"

    @property
    def boxed(self) -> bool:
        return all(part.boxed for part in self.parts)

    def __str__(self) -> str:
        return " and ".join(map(bracketed, self.parts))

    def truth(self, scene: Scene) -> np.ndarray:
        return reduce(np.minimum, [part.truth(scene) for part in self.parts])

    def violation(self, scene: Scene) -> np.ndarray:
        return np.asarray(np.sum([part.violation(scene) for part in self.parts], axis=0))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        return _all(scene, self.parts, wanted) if wanted else _nearest(scene, self.parts, wanted)

    def narrow(self, box: Box) -> Box:
        return reduce(lambda narrowed, part: part.narrow(narrowed), self.parts, box)

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        parts = [part.formula(variables, wanted) for part in self.parts]
        return all_of(parts) if wanted else any_of(parts)


@dataclass(frozen=True)
class Or(_Joined):
    """At least one of some rules."""

    kind: ClassVar[str] = "or"

    def __str__(self) -> str:
        return " or ".join(map(bracketed, self.parts))

    def truth(self, scene: Scene) -> np.ndarray:
        return reduce(np.maximum, [part.truth(scene) for part in self.parts])

    def violation(self, scene: Scene) -> np.ndarray:
        return np.asarray(np.min([part.violation(scene) for part in self.parts], axis=0))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        return _nearest(scene, self.parts, wanted) if wanted else _all(scene, self.parts, wanted)

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        parts = [part.formula(variables, wanted) for part in self.parts]
        return any_of(parts) if wanted else all_of(parts)


@dataclass(frozen=True)
class Not(Condition):
    """The opposite of a rule; one that has an opposite of its own narrows a box as that does."""

    kind: ClassVar[str] = "not"
    rule: Rule

    @property
    def boxed(self) -> bool:
        opposite = ~self.rule
        return not isinstance(opposite, Not) and opposite.boxed

    @property
    def relative(self) -> bool:
        return self.rule.relative

    @property
    def has_formula(self) -> bool:
        return self.rule.has_formula

    @property
    def names(self) -> tuple[str, ...]:
        return self.rule.names

    def __str__(self) -> str:
        return f"not ({self.rule})"

    def __invert__(self) -> Rule:
        return self.rule

    def check(self, space: Space) -> None:
        self.rule.check(space)

    def truth(self, scene: Scene) -> np.ndarray:
        return -self.rule.truth(scene)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        return self.rule.reach(scene, not wanted)

    def narrow(self, box: Box) -> Box:
        opposite = ~self.rule
        return super().narrow(box) if isinstance(opposite, Not) else opposite.narrow(box)

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        return self.rule.formula(variables, not wanted)


@dataclass(frozen=True)
class Implies(Condition):
    """Where the condition is true of an answer, the consequence is, too."""

    kind: ClassVar[str] = "implies"
    condition: Rule
    consequence: Rule
    wordy: ClassVar[bool] = True

    @property
    def relative(self) -> bool:
        return self.condition.relative or self.consequence.relative

    @property
    def has_formula(self) -> bool:
        return self.condition.has_formula and self.consequence.has_formula

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.condition.names, *self.consequence.names)))

    def __str__(self) -> str:
        if isinstance(self.condition, MOVES) and isinstance(self.consequence, MOVES):
            return f"{self.condition} => {self.consequence}"
        return f"if {bracketed(self.condition)} then {bracketed(self.consequence)}"

    def check(self, space: Space) -> None:
        self.condition.check(space)
        self.consequence.check(space)

    def truth(self, scene: Scene) -> np.ndarray:
        return np.asarray(np.maximum(-self.condition.truth(scene), self.consequence.truth(scene)))

    def violation(self, scene: Scene) -> np.ndarray:
        return np.where(self.truth(scene) < 0, self.consequence.violation(scene), 0.0)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """The consequence is drawn; where it cannot be, the condition is undone."""
        if not wanted:
            return _all(scene, (self.condition, ~self.consequence), True)
        drawn = self.consequence.reach(scene, True)
        can = self.consequence.truth(scene.moved(drawn)) >= 0
        if can.all():
            return drawn
        return np.where(can[:, None], drawn, self.condition.reach(scene, False))

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        condition = self.condition.formula(variables, not wanted)
        parts = [condition, self.consequence.formula(variables, wanted)]
        return any_of(parts) if wanted else all_of(parts)


@dataclass(frozen=True)
class Equivalent(_Joined):
    """Two conditions of which an answer meets both or neither."""

    kind: ClassVar[str] = "equivalent"

    def __post_init__(self) -> None:
        keep_tuple(self, "parts", 2)
        if len(self.parts) > 2:
            raise RuleError(f"Equivalent has {len(self.parts)} parts.", "Give 2.")

    def __str__(self) -> str:
        return " <=> ".join(map(bracketed, self.parts))

    def truth(self, scene: Scene) -> np.ndarray:
        first, second = self.parts
        return np.asarray(first.truth(scene) * second.truth(scene))

    def violation(self, scene: Scene) -> np.ndarray:
        first, second = (part.violation(scene) for part in self.parts)
        return np.where(self.truth(scene) < 0, first + second, 0.0)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """The condition whose features the point has changed leads, and the other one follows."""
        sign, (first, second) = 1 if wanted else -1, self.parts
        leads = np.zeros((len(scene.points), 1), dtype=bool)
        for name in first.names:
            leads |= scene.changed(scene.space.index(name))[:, None]
        by_first = _follow(scene, second, sign * first.truth(scene))
        by_second = _follow(scene, first, sign * second.truth(scene))
        points, met = scene.points, sign * self.truth(scene) >= 0
        for moved in (np.where(leads, by_first, by_second), np.where(leads, by_second, by_first)):
            points = np.where(met[:, None], points, moved)
            met |= sign * self.truth(scene.moved(points)) >= 0
        return np.where(met[:, None], points, scene.points)

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        first, second = self.parts
        both = (True, False)
        ways = [[first.formula(variables, a), second.formula(variables, not a)] for a in both]
        return all_of(map(any_of, ways)) if wanted else any_of(map(all_of, ways))


OPERATIONS.update({"and": And.of, "or": Or.of, "not": Not, "implies": Implies})
OPERATIONS["equivalent"] = lambda first, second: Equivalent((first, second))

MOVES = (Shift, Changes)
"""What 'A => B' is written for; anything else is 'if A then B'."""


def bracketed(rule: Rule) -> str:
    """A rule's text as a part of another: in brackets where it has parts itself."""
    return f"({rule})" if rule.wordy else str(rule)


def keep_tuple(rule: Rule, field: str, least: int) -> None:
    """Store a field as a tuple, and refuse one that has too little in it."""
    several = tuple(getattr(rule, field))
    if len(several) < least:
        raise RuleError(f"{type(rule).__name__} has {len(several)} {field}.", f"Give {least}.")
    object.__setattr__(rule, field, several)


def _all(scene: Scene, parts: tuple[Rule, ...], wanted: bool) -> np.ndarray:
    """The points moved for one part after the other, each where it is not as wanted."""
    for part in parts:
        wrong = (1 if wanted else -1) * part.truth(scene) < 0
        moved = part.reach(scene, wanted)
        scene = scene.moved(np.where(wrong[:, None], moved, scene.points))
    return scene.points


def _follow(scene: Scene, rule: Rule, truth: np.ndarray) -> np.ndarray:
    """The points moved so that a rule is true of them where `truth` is 1, false where it is -1."""
    points = np.where((truth > 0)[:, None], rule.reach(scene, True), scene.points)
    return np.where((truth < 0)[:, None], rule.reach(scene, False), points)


def _nearest(scene: Scene, parts: tuple[Rule, ...], wanted: bool) -> np.ndarray:
    """The points moved for the part that moves them least, among those that can be."""
    best, cost = scene.points, np.full(len(scene.points), np.inf)
    for part in parts:
        moved = part.reach(scene, wanted)
        can = (1 if wanted else -1) * part.truth(scene.moved(moved)) >= 0
        away = np.where(can, scene.distance(moved), np.inf)
        best = np.where((away < cost)[:, None], moved, best)
        cost = np.minimum(away, cost)
    return best
