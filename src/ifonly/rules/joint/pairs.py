"""One column that follows from another: each level goes with one level or number of the other.

    education determines education_num: School -> 9, Bachelors -> 13, Masters -> 14

Levels that are not listed go with anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.box import CLOSE
from ifonly.rules.formula import Formula, Variables, all_of, any_of
from ifonly.rules.intervals import Compare
from ifonly.rules.language.names import level_text, name_text, number_text
from ifonly.rules.levels import OneOf, same
from ifonly.rules.rule import Condition, Rule, feature_of, truth_values
from ifonly.rules.scene import Scene
from ifonly.space import Categorical, Space


@dataclass(frozen=True)
class Determines(Condition):
    """The levels of a category, each with the value of another feature that goes with it."""

    kind: ClassVar[str] = "determines"
    name: str
    effect: str
    pairs: tuple[tuple[Any, Any], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple(map(tuple, self.pairs)))
        levels = [level for level, _ in self.pairs]
        if not levels or self.name == self.effect:
            raise RuleError(
                f"What {self.name!r} determines is not stated.",
                "List levels of it, each with a value of another feature: grade: A -> 1, B -> 2.",
            )
        for i, level in enumerate(levels):
            if any(same(level, other) for other in levels[:i]):
                raise RuleError(f"{level_text(level)} is listed twice.", "List a level once.")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, self.effect)

    def __str__(self) -> str:
        listed = (f"{level_text(level)} -> {_value_text(value)}" for level, value in self.pairs)
        return f"{name_text(self.name)} determines {name_text(self.effect)}: {', '.join(listed)}"

    def check(self, space: Space) -> None:
        OneOf(self.name, tuple(level for level, _ in self.pairs)).check(space)
        feature_of(space, self.effect, self)
        for _, value in self.pairs:
            self._has(space, value).check(space)

    def codes(self, space: Space) -> np.ndarray:
        """[L] the code of the effect that goes with each level; NaN for those not listed."""
        levels, others = (
            getattr(space.features[space.index(name)], "levels", ()) for name in self.names
        )
        return _codes(levels, others, self)

    def truth(self, scene: Scene) -> np.ndarray:
        j, e = scene.space.index(self.name), scene.space.index(self.effect)
        level, value = scene.value(j), scene.value(e)
        wanted = self.codes(scene.space)[np.nan_to_num(level).astype(np.intp)]
        free = np.isnan(wanted)
        met = free | (np.abs(value - wanted) <= CLOSE * scene.step(e))
        return truth_values(met, ~np.isnan(level) & (free | ~np.isnan(value)))

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """The effect follows; where it alone was changed, a level that goes with it is taken."""
        j, e = scene.space.index(self.name), scene.space.index(self.effect)
        codes, value, sign = self.codes(scene.space), scene.value(e)[:, None], 1 if wanted else -1
        fits = np.isnan(codes) | (np.abs(codes - value) <= CLOSE * scene.step(e))
        led = scene.with_value(j, scene.level(j, fits == wanted))
        only = scene.changed(e) & ~scene.changed(j)
        points, met = scene.points, sign * self.truth(scene) >= 0
        for start in (np.where(only[:, None], led, points), points, led, scene.back(j)):
            moved = self._drawn(scene.moved(start), wanted)
            can = sign * self.truth(scene.moved(moved)) >= 0
            points = np.where((can & ~met)[:, None], moved, points)
            met |= can
        return points

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        category, codes = variables.category(self.name), self.codes(variables.space)
        found = dict(zip(codes[~np.isnan(codes)], self._values(variables.space), strict=True))
        ways = [
            (codes == code, self._has(variables.space, value).formula(variables, wanted))
            for code, value in found.items()
        ]
        if wanted:
            return all_of(any_of([category.among(~at), effect]) for at, effect in ways)
        unknown = [category.stays] if np.isnan(category.own) else []
        return any_of([*unknown, *(all_of([category.among(at), effect]) for at, effect in ways)])

    def _drawn(self, scene: Scene, wanted: bool) -> np.ndarray:
        """[n, d] the points with an effect that their level goes with, or not, where it can be."""
        j, e = scene.space.index(self.name), scene.space.index(self.effect)
        level = scene.value(j)
        code = self.codes(scene.space)[np.nan_to_num(level).astype(np.intp)]
        free = np.isnan(code) | np.isnan(level)
        if not scene.space.continuous[e]:
            levels = np.arange(len(scene.space.features[e].levels))  # type: ignore[union-attr]
            drawn = scene.level(e, (levels == code[:, None]) == wanted)
        elif wanted:
            drawn = scene.between(e, code, code)
        else:
            less, more = code - scene.step(e), code + scene.step(e)
            drawn = scene.between(e, more, np.inf)
            drawn = np.where(np.isnan(drawn), scene.between(e, -np.inf, less), drawn)
        return scene.with_value(e, np.where(free, np.nan, drawn))

    def _values(self, space: Space) -> list[Any]:
        """The values of the effect in the order of the levels of the space that are listed."""
        known = space.features[space.index(self.name)].levels  # type: ignore[union-attr]
        return [value for a in known for level, value in self.pairs if same(level, a)]

    def _has(self, space: Space, value: Any) -> Rule:
        """The rule that the effect has a value."""
        if isinstance(space.features[space.index(self.effect)], Categorical):
            return OneOf(self.effect, (value,))
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise RuleError(
                f"The rule '{self}' gives {self.effect!r} the value {value!r}, and it is a number.",
                "Give a number.",
            )
        return Compare(self.effect, "=", float(value))


@lru_cache(maxsize=256)
def _codes(levels: tuple[Any, ...], others: tuple[Any, ...], rule: Determines) -> np.ndarray:
    """The codes by the levels of the category and those of the effect, () where it is a number."""
    codes = np.full(len(levels), np.nan)
    for level, value in rule.pairs:
        place = next(i for i, one in enumerate(levels) if same(level, one))
        found = (i for i, one in enumerate(others) if same(value, one))
        codes[place] = next(found) if others else float(value)
    codes.setflags(write=False)
    return codes


def _value_text(value: Any) -> str:
    """A number as a person writes it, or a level."""
    return number_text(value) if isinstance(value, float) else level_text(value)
