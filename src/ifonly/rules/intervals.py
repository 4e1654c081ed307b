"""Rules that keep one number, or the place of an ordered level, within bounds.

    age between 30 and 60          income at most 200000        hours >= 40
    age only increases             age changes by at most 5
    age increases by at least 2    education increases

Each is a list of closed intervals, which may start from the row's own value; to hold, to fail, to
move inside and to narrow a box are the same for all of them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.box import CLOSE, Box
from ifonly.rules.formula import YES, Formula, Variables
from ifonly.rules.language.dates import to_number
from ifonly.rules.language.names import name_text, number_text
from ifonly.rules.rule import Condition, Rule, allows, by_level, feature_of, truth_values
from ifonly.rules.scene import STRICT, Scene
from ifonly.space import Continuous, Ordinal, Space

Interval = tuple[Any, Any]
"""The lowest and the highest value, numbers or arrays as wide as the rows' own values."""


@dataclass(frozen=True)
class Bounded(Condition):
    """A rule on one feature whose value lies in one of some intervals."""

    name: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @abstractmethod
    def intervals(self, own: np.ndarray, step: float) -> list[Interval]:
        """The allowed intervals for rows' own values; values are a step apart."""

    @property
    def boxed(self) -> bool:
        return len(self.intervals(np.zeros(1), 1.0)) == 1

    def truth(self, scene: Scene) -> np.ndarray:
        j = scene.space.index(self.name)
        value, own, slack = scene.value(j), scene.own(j), CLOSE * scene.step(j)
        inside, known = np.zeros(value.shape, dtype=bool), ~np.isnan(value)
        for low, high in self.intervals(own, scene.step(j)):
            inside |= (value >= low - slack) & (value <= high + slack)
        return truth_values(inside, known & ~np.isnan(own) if self.relative else known)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        j = scene.space.index(self.name)
        own, step = scene.own(j), scene.step(j)
        intervals = self.intervals(own, step)
        if not wanted:
            intervals = _outside(intervals, STRICT * step)
        best, cost = np.full(len(scene.points), np.nan), np.full(len(scene.points), np.inf)
        for low, high in intervals:
            value = scene.between(j, low, high)
            gap = np.where(np.isnan(value), np.inf, scene.gap(j, value))
            best, cost = np.where(gap < cost, value, best), np.minimum(gap, cost)
        return scene.with_value(j, best)

    def violation(self, scene: Scene) -> np.ndarray:
        j = scene.space.index(self.name)
        value, broken = scene.value(j), self.truth(scene) < 0
        away = np.full(value.shape, np.inf)
        for low, high in self.intervals(scene.own(j), scene.step(j)):
            nearest = np.minimum(np.maximum(value, low), high)
            away = np.minimum(away, scene.gap(j, nearest))
        return np.where(broken, np.nan_to_num(away, posinf=1.0), 0.0)

    def narrow(self, box: Box) -> Box:
        j, box = box.space.index(self.name), super().narrow(box)
        if not self.boxed:
            return box
        step = float(10.0 ** -box.space.decimals[j])
        ((low, high),) = self.intervals(box.x[:, j], step)
        if box.space.continuous[j]:
            return box.within(j, low, high)
        places = np.arange(len(box.space.features[j].levels))  # type: ignore[union-attr]
        bottom, top = (np.asarray(end)[..., None] for end in (low, high))
        inside = ~(places < bottom - CLOSE) & ~(places > top + CLOSE)
        return box.among(j, np.broadcast_to(inside, (len(box.x), len(places))))

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        if not variables.space.continuous[variables.space.index(self.name)]:
            return by_level(self, variables, self.name, wanted)
        number, step = variables.number(self.name), variables.step(self.name)
        if self.relative and math.isnan(number.own):
            return YES
        slack = CLOSE * step
        intervals = self.intervals(np.asarray(number.own), step)
        inside = number.moves_between([(low - slack, high + slack) for low, high in intervals])
        (own,) = allows(self, variables, self.name, [number.own], wanted)
        return number.moved_or_own(inside if wanted else number.moves - inside, bool(own))


@dataclass(frozen=True)
class Between(Bounded):
    """A number within bounds, whether it changes or not; an end may be open."""

    kind: ClassVar[str] = "between"
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        for name, end in (("low", -math.inf), ("high", math.inf)):
            value = getattr(self, name)
            object.__setattr__(self, name, end if value is None else to_number(value))
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            raise RuleError(
                f"The rule '{self}' has its bounds reversed.", "Give the lower bound first."
            )

    def __str__(self) -> str:
        name = name_text(self.name)
        if math.isinf(self.low) and not math.isinf(self.high):
            return f"{name} at most {number_text(self.high)}"
        if math.isinf(self.high) and not math.isinf(self.low):
            return f"{name} at least {number_text(self.low)}"
        return f"{name} between {number_text(self.low)} and {number_text(self.high)}"

    def check(self, space: Space) -> None:
        check_number(space, self.name, self)

    def intervals(self, own: np.ndarray, step: float) -> list[Interval]:
        return [(self.low, self.high)]


@dataclass(frozen=True)
class Compare(Bounded):
    """A number compared with another: '<', '<=', '=', '>=' or '>'."""

    kind: ClassVar[str] = "compare"
    sign: str
    number: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", to_number(self.number))
        if self.sign not in SIGNS or not math.isfinite(self.number):
            raise RuleError(
                f"{self.name} {self.sign} {self.number} is not a comparison.",
                f"Use one of {', '.join(SIGNS)} and a number.",
            )

    def __str__(self) -> str:
        return f"{name_text(self.name)} {self.sign} {number_text(self.number)}"

    def check(self, space: Space) -> None:
        check_number(space, self.name, self)

    def __invert__(self) -> Rule:
        if self.sign == "=":
            return super().__invert__()
        return Compare(self.name, OPPOSITE[self.sign], self.number)

    def intervals(self, own: np.ndarray, step: float) -> list[Interval]:
        number, more = self.number, STRICT * step
        return {
            "<": [(-math.inf, number - more)],
            "<=": [(-math.inf, number)],
            "=": [(number, number)],
            ">=": [(number, math.inf)],
            ">": [(number + more, math.inf)],
        }[self.sign]


SIGNS = ("<", "<=", "=", ">=", ">")
OPPOSITE = {"<": ">=", "<=": ">", ">=": "<", ">": "<="}


@dataclass(frozen=True)
class Monotone(Bounded):
    """A number or an ordered category that only goes up, or only down."""

    kind: ClassVar[str] = "monotone"
    up: bool

    @property
    def relative(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{name_text(self.name)} only {'increases' if self.up else 'decreases'}"

    def check(self, space: Space) -> None:
        check_ordered(space, self.name, self)

    def __invert__(self) -> Rule:
        return Shift(self.name, "decreases" if self.up else "increases")

    def intervals(self, own: np.ndarray, step: float) -> list[Interval]:
        return [(own, math.inf)] if self.up else [(-math.inf, own)]


@dataclass(frozen=True)
class Shift(Bounded):
    """A number or an ordered category that goes up, or down, or changes, by so much.

    A step of an ordered category is one level.
    """

    kind: ClassVar[str] = "shift"
    unit: ClassVar[str] = ""
    way: str
    """'increases', 'decreases' or 'changes'."""
    least: float = 0.0
    most: float = math.inf

    def __post_init__(self) -> None:
        for name, end in (("least", 0.0), ("most", math.inf)):
            value = getattr(self, name)
            object.__setattr__(self, name, end if value is None else to_number(value))
        if self.way not in WAYS:
            raise RuleError(f"There is no direction {self.way!r}.", f"Use {', '.join(WAYS)}.")
        if not 0 <= self.least <= self.most or math.isinf(self.least):
            raise RuleError(
                f"The rule '{self}' has invalid amounts.",
                "An amount is a number of 0 or more, the smaller one first.",
            )

    @property
    def relative(self) -> bool:
        return True

    def __str__(self) -> str:
        start = f"{name_text(self.name)} {self.way}"
        least, most = (f"{number_text(end)}{self.unit}" for end in (self.least, self.most))
        if math.isinf(self.most):
            bare = not self.least and self.way != "changes"  # 'age changes' is another rule
            return start if bare and not self.unit else f"{start} by at least {least}"
        return (
            f"{start} by between {least} and {most}" if self.least else f"{start} by at most {most}"
        )

    def check(self, space: Space) -> None:
        check_ordered(space, self.name, self)

    def __invert__(self) -> Rule:
        if self.way == "changes" or self.least or math.isfinite(self.most) or self.unit:
            return super().__invert__()
        return Monotone(self.name, up=self.way == "decreases")

    def intervals(self, own: np.ndarray, step: float) -> list[Interval]:
        least, most = self.amounts(own)
        if self.way != "changes":
            least = np.maximum(least, STRICT * step)
        above, below = (own + least, own + most), (own - most, own - least)
        if self.way == "changes":
            return [above, below] if self.least else [(own - most, own + most)]
        return [above if self.way == "increases" else below]

    def amounts(self, own: np.ndarray) -> tuple[Any, Any]:
        """The least and the largest change of rows' own values."""
        return self.least, self.most


WAYS = ("increases", "decreases", "changes")


def check_number(space: Space, name: str, rule: Any) -> None:
    """Refuse a rule that treats levels as numbers."""
    feature = feature_of(space, name, rule)
    if not isinstance(feature, Continuous):
        raise RuleError(
            f"The rule '{rule}' bounds {name!r}, which has levels, not numbers.",
            f"Name the allowed ones: '{name} in {feature.levels[0]}, …'.",
        )


def check_ordered(space: Space, name: str, rule: Any) -> None:
    """Refuse a rule that wants an order where there is none."""
    feature = feature_of(space, name, rule)
    if not isinstance(feature, Continuous | Ordinal):
        raise RuleError(
            f"The rule '{rule}' needs an order, and the levels of {name!r} have none.",
            f"State the order, lowest first: Space.infer(data, ordinal={{{name!r}: [...]}}).",
        )


def _outside(intervals: list[Interval], more: float) -> list[Interval]:
    """What lies outside closed intervals that are given from the highest to the lowest."""
    gaps: list[Interval] = []
    top: Any = math.inf
    for low, high in intervals:
        gaps.append((high + more, top))
        top = low - more
    return [*gaps, (-math.inf, top)]
