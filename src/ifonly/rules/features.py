"""Rules on one feature: fixed, between, one_of, only_increases, only_decreases.

All of them are boxes: narrowing the box says everything they have to say.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError, nearest
from ifonly.rules.box import Box
from ifonly.rules.rule import Rule, feature_of
from ifonly.space import Categorical, Continuous, Ordinal, Space


@dataclass(frozen=True)
class BoxRule(Rule):
    """A rule on one feature that a box can express; it holds where its own box contains a point."""

    name: str
    boxed: ClassVar[bool] = True

    def holds(self, space: Space, x: np.ndarray, points: np.ndarray) -> np.ndarray:
        j = space.index(self.name)
        return self.narrow(Box.whole(space, x)).contains(points)[:, :, j]

    @abstractmethod
    def narrow(self, box: Box) -> Box: ...


@dataclass(frozen=True)
class Fixed(BoxRule):
    """A feature that never changes."""

    relative: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"{self.name} fixed"

    def check(self, space: Space) -> None:
        feature_of(space, self.name, self)

    def narrow(self, box: Box) -> Box:
        return box.only_own(box.space.index(self.name))


@dataclass(frozen=True)
class Between(BoxRule):
    """A number within bounds, whether it changes or not."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            raise RuleError(
                f"The rule '{self}' has its bounds upside down.", "Give the lower bound first."
            )

    def __str__(self) -> str:
        return f"{self.name} between {number_text(self.low)} and {number_text(self.high)}"

    def check(self, space: Space) -> None:
        feature = feature_of(space, self.name, self)
        if not isinstance(feature, Continuous):
            raise RuleError(
                f"The rule '{self}' bounds {self.name!r}, which has levels, not numbers.",
                f"Name the allowed ones: '{self.name} in {feature.levels[0]}, …'.",
            )

    def narrow(self, box: Box) -> Box:
        return box.within(box.space.index(self.name), self.low, self.high)


@dataclass(frozen=True)
class OneOf(BoxRule):
    """A category with one of some levels, whether it changes or not."""

    levels: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.name} in {', '.join(map(str, self.levels))}"

    def check(self, space: Space) -> None:
        feature = feature_of(space, self.name, self)
        if not isinstance(feature, Categorical):
            raise RuleError(
                f"The rule '{self}' lists levels of {self.name!r}, which is a number.",
                f"Bound it: '{self.name} between {number_text(feature.low)} and "
                f"{number_text(feature.high)}'.",
            )
        for level in self.levels:
            if level not in feature.levels:
                raise RuleError(
                    f"The rule '{self}' names {level!r}, which is no level of {self.name!r}.",
                    nearest(level, feature.levels),
                )

    def narrow(self, box: Box) -> Box:
        j = box.space.index(self.name)
        known = box.space.features[j].levels  # type: ignore[union-attr]
        return box.among(j, np.array([level in self.levels for level in known]))


@dataclass(frozen=True)
class Monotone(BoxRule):
    """A number or an ordered category that only goes up, or only down."""

    up: bool
    relative: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"{self.name} only {'increases' if self.up else 'decreases'}"

    def check(self, space: Space) -> None:
        feature = feature_of(space, self.name, self)
        if not isinstance(feature, Continuous | Ordinal):
            raise RuleError(
                f"The rule '{self}' needs an order, and the levels of {self.name!r} have none.",
                f"Tell the order, lowest first: ordinal={{{self.name!r}: [...]}}.",
            )

    def narrow(self, box: Box) -> Box:
        j = box.space.index(self.name)
        own = box.x[:, j]
        if box.space.continuous[j]:
            return box.within(j, own, np.inf) if self.up else box.within(j, -np.inf, own)
        levels = np.arange(len(box.space.features[j].levels))  # type: ignore[union-attr]
        return box.among(j, levels >= own[:, None] if self.up else levels <= own[:, None])


def number_text(value: float) -> str:
    """A number as a person writes it.

    >>> number_text(30.0), number_text(0.25), number_text(1234567.0)
    ('30', '0.25', '1234567')
    """
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def fixed(name: str) -> Rule:
    """The rule that keeps a feature as it is.

    >>> print(fixed("race"))
    race fixed
    """
    return Fixed(name)


def between(name: str, low: float, high: float) -> Rule:
    """The rule that keeps a number within bounds, a row's own value included.

    >>> print(between("age", 30, 60))
    age between 30 and 60
    """
    return Between(name, float(low), float(high))


def one_of(name: str, levels: Any) -> Rule:
    """The rule that keeps a category among some levels, a row's own level included.

    >>> print(one_of("job", ["Sales", "Service"]))
    job in Sales, Service
    """
    return OneOf(name, (levels,) if isinstance(levels, str) else tuple(levels))


def only_increases(name: str) -> Rule:
    """The rule that a number, or an ordered category, never goes down."""
    return Monotone(name, up=True)


def only_decreases(name: str) -> Rule:
    """The rule that a number, or an ordered category, never goes up."""
    return Monotone(name, up=False)
