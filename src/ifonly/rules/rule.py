"""What a rule is: an immutable node that answers a few questions.

A rule of one's own needs `__str__`, `check` and `holds`. With `reach`, proposals are repaired to
obey it; with `formula`, solvers are given it, and proofs take it into account; with a `kind`, JSON
can hold it.

The rules of the language are `Condition`s: they tell true, false and unknown apart, so that `&`,
`|`, `~` and `implies` mean the same over all of them. A missing value makes a condition unknown,
and a rule is broken only where it is false: who has no known age breaks no rule on age. A value
that a rule speaks of never goes missing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ifonly.errors import RuleError, nearest
from ifonly.rules.box import Box
from ifonly.rules.formula import Affine, Formula, Variables, all_of
from ifonly.rules.scene import Scene
from ifonly.space import Categorical, Feature, Space
from ifonly.space.table.values import value_of


class Rule(ABC):
    """A condition that every answer must meet. Its text is what a user would write."""

    wordy: ClassVar[bool] = False
    """Whether its text takes brackets inside that of another rule."""
    late: ClassVar[bool] = False
    """Whether it takes long to ask, so that only points with the wanted outcome are asked about."""
    kind: ClassVar[str] = ""
    """What JSON calls a rule of this very class; a subclass needs its own."""

    @property
    def relative(self) -> bool:
        """Whether the rule compares an answer with the row it started from."""
        return False

    @property
    def boxed(self) -> bool:
        """Whether the narrowed box says all that the rule says."""
        return False

    @property
    def names(self) -> tuple[str, ...]:
        """The features that the rule speaks of."""
        return ()

    @abstractmethod
    def __str__(self) -> str:
        """The rule as a line of text."""

    @abstractmethod
    def check(self, space: Space) -> None:
        """Raise a RuleError where the rule does not fit the space."""

    @abstractmethod
    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        """bool [q, m]: whether points [q, m, d] of rows x [q, d] obey the rule."""

    def narrow(self, box: Box) -> Box:
        """The box without what the rule forbids to single features; by default, all of it.

        Whatever `holds` accepts must stay inside.
        """
        return box

    def truth(self, scene: Scene) -> np.ndarray:
        """int8 [...]: 1 where the rule is true of a point, -1 where false, 0 where unknown."""
        whole = scene.points if scene.rows is None else scene.points[:, None]
        x = scene.x if scene.rows is None else scene.x[scene.rows]
        held = self.holds(scene.space, x, whole)
        return np.where(held if scene.rows is None else held[:, 0], 1, -1).astype(np.int8)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """[n, d] the points of a flat scene, moved so that the rule is true, or false, of them.

        The consequence is drawn, not the cause undone, where there is a choice. A point for which
        there is no way comes back as it is. By default, all of them.
        """
        return scene.points

    def violation(self, scene: Scene) -> np.ndarray:
        """[...] by how much a point breaks the rule: 0 where it does not; by default, 1 where."""
        return (self.truth(scene) < 0).astype(np.float64)

    @property
    def has_formula(self) -> bool:
        """Whether solvers can be given the rule."""
        return type(self).formula is not Rule.formula

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        """That the rule is not false of a row's answer or, where it is not wanted, not true.

        What is unknown is both.
        """
        raise RuleError(
            f"The rule '{self}' is a {type(self).__name__}, and has no formula for a solver.",
            "Give its class a method `formula`, or build it from ifonly's own rules.",
        )

    def constraint(self, variables: Variables) -> Formula:
        """That `holds` accepts a row's answer."""
        return self.formula(variables, True)

    def __and__(self, other: Rule) -> Rule:
        return OPERATIONS["and"](self, other)

    def __or__(self, other: Rule) -> Rule:
        return OPERATIONS["or"](self, other)

    def __invert__(self) -> Rule:
        return OPERATIONS["not"](self)

    def implies(self, other: Rule) -> Rule:
        """The rule that where this is true of an answer, the other is, too."""
        return OPERATIONS["implies"](self, other)

    def equivalent(self, other: Rule) -> Rule:
        """The rule that an answer obeys both rules or neither."""
        return OPERATIONS["equivalent"](self, other)


OPERATIONS: dict[str, Callable[..., Rule]] = {}
"""What `&`, `|`, `~`, `implies` and `equivalent` make of rules, which `logic` enters here."""


class Condition(Rule):
    """A rule of the language."""

    @abstractmethod
    def truth(self, scene: Scene) -> np.ndarray: ...

    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        held = np.asarray(self.truth(Scene(space, x, points)) >= 0)
        for j in (space.index(name) for name in self.names if _may_vanish(space, name)):
            held = held & ~(np.isnan(points[:, :, j]) & ~np.isnan(x[:, None, j]))
        return held

    def narrow(self, box: Box) -> Box:
        return box.without_erasing([box.space.index(name) for name in self.names])

    def constraint(self, variables: Variables) -> Formula:
        there = (1.0 - variables.feature(name).missing for name in self.names)
        return all_of([*there, self.formula(variables, True)])


def truth_values(true: np.ndarray, known: np.ndarray | bool = True) -> np.ndarray:
    """int8: 1 and -1 where it is known whether something is true, else 0."""
    return np.where(known, np.where(true, 1, -1), 0).astype(np.int8)


def allows(
    rule: Rule, variables: Variables, name: str, codes: Sequence[float], wanted: bool
) -> np.ndarray:
    """bool [n]: whether a rule is not false, or not true, of the row with each code of a feature.

    A rule is asked itself: how it treats a level or the row's own value is its own affair.
    """
    points = np.repeat(variables.x[None], len(codes), axis=0)
    points[:, variables.space.index(name)] = codes
    truth = rule.truth(Scene(variables.space, variables.x[None], points[None]))[0]
    return np.asarray((truth if wanted else -truth) >= 0)


def by_level(rule: Rule, variables: Variables, name: str, wanted: bool) -> Affine:
    """The formula of a rule on the level of one category alone."""
    category, space = variables.category(name), variables.space
    j = space.index(name)
    levels = range(space.offsets[j + 1] - space.offsets[j])
    *allowed, own = allows(rule, variables, name, [*levels, category.own], wanted)
    return category.moved_or_own(category.moves_among(np.array(allowed)), bool(own))


def feature_of(space: Space, name: str, rule: Any) -> Any:
    """The feature that a rule names."""
    if name in (one.name for one in space.carry):
        raise RuleError(
            f"The rule '{rule}' names {name!r}, which is carried along and never changes.",
            "Leave the rule out.",
        )
    if name not in space.names:
        raise RuleError(
            f"The rule '{rule}' names {name!r}, which is not a feature.", nearest(name, space.names)
        )
    return space.features[space.index(name)]


def _may_vanish(space: Space, name: str) -> bool:
    return space.features[space.index(name)].missing


Rules: TypeAlias = Iterable[Rule | Sequence[str]]
"""Rules as objects, as lines of text such as 'age only increases', or as suggestions."""


TURNS = 4


def repaired(rules: Sequence[Rule], box: Box, points: np.ndarray) -> np.ndarray:
    """[q, m, d] points inside the box, moved inside it so that the rules hold where they can."""
    broken = [rule for rule in rules if not rule.boxed]
    copied = False
    for _ in range(TURNS if broken else 0):
        quiet = True
        for rule in broken:
            rows, slots = np.nonzero(~rule.holds(box.space, box.x, points))
            if not len(rows):
                continue
            if not copied:
                points, copied = points.copy(order="K"), True
            part = points.transpose(2, 0, 1)[:, rows, slots].T  # stored feature by feature
            moved = rule.reach(Scene(box.space, box.x, part, box, rows), True)
            quiet &= np.array_equal(moved, part, equal_nan=True)
            points[rows, slots] = moved
        if quiet:
            break
    return points


def violation(rules: Sequence[Rule], box: Box, points: np.ndarray) -> np.ndarray:
    """[q, m] by how much points break the rules that no box can express, all together."""
    scene = Scene(box.space, box.x, points)
    total = np.zeros(points.shape[:2])
    for rule in rules:
        if not rule.boxed:
            total += rule.violation(scene)
    return total


def check_consistent(space: Space, rules: Sequence[Rule], row: np.ndarray) -> None:
    """Refuse rules that contradict each other whatever the row is, by the codes [d] of any.

    What the range or the value grid alone forbids is a matter of each row: one that lies outside,
    or lacks the value, may obey.
    """
    box = Box.whole(space, row[None])
    nothing = np.zeros(box.keep.shape, dtype=bool)
    ends = np.full(box.low.shape, np.inf)
    box = replace(box, keep=nothing, erase=nothing, low=-ends, high=ends)
    for rule in rules:
        if not rule.relative:
            box = rule.narrow(box)
    # Two bounds between two neighbouring values are rounded past each other, by one step.
    apart = box.low > box.high + 1.5 * 10.0**-space.decimals
    none = np.where(space.continuous, apart, box.empty())[0]
    lacking = [feature.missing for feature in space.features]
    empty = np.flatnonzero(none & ~np.array(lacking))
    if len(empty):
        name = space.names[empty[0]]
        guilty = [f"'{rule}'" for rule in rules if name in rule.names]
        raise RuleError(
            f"No row can satisfy the rules: {', '.join(guilty)} leave no value for {name!r}, which "
            f"{_extent(space.features[empty[0]])}.",
            "Drop or widen one of them.",
        )


def _extent(feature: Feature) -> str:
    """What values a feature has, in words."""
    if isinstance(feature, Categorical):
        return f"has the levels {', '.join(map(repr, feature.levels[:12]))}"
    return f"goes from {value_of(feature, feature.low)} to {value_of(feature, feature.high)}"
