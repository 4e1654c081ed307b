"""Linear relations between numbers: `debt + loan <= 0.4 * income`, `words_unique <= words`.

Flags count as numbers: `a + b + c = 1` of columns of False and True.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.box import CLOSE
from ifonly.rules.formula import Affine, Formula, Variables, any_of, bound
from ifonly.rules.intervals import OPPOSITE, SIGNS, check_number
from ifonly.rules.language.names import name_text, number_text
from ifonly.rules.rule import Condition, Rule, feature_of, truth_values
from ifonly.rules.scene import Scene, as_number, is_flag
from ifonly.space import Space

Term = tuple[float, str]
"""A number and the feature that it multiplies; an empty name for the number alone."""
LARGEST = 1e6
"""What multiplies a variable in a formula, at the most: solvers want moderate numbers."""


@dataclass(frozen=True)
class Relation(Condition):
    """Two sides, compared."""

    left: tuple[Any, ...]
    sign: str
    right: tuple[Any, ...]

    @abstractmethod
    def excess(self, scene: Scene) -> np.ndarray:
        """[...] by how much the left side is over the right; NaN where that is not known."""

    @abstractmethod
    def slope(self, scene: Scene, j: int) -> Any:
        """[...] or a number: by how much the excess grows with the code of feature j."""

    @abstractmethod
    def resolution(self, space: Space) -> float:
        """The least difference that the two sides can have, but for rounding."""

    def close(self, space: Space) -> float:
        """The excess that counts as none, but for rounding."""
        return CLOSE * 1000 * self.resolution(space)

    @abstractmethod
    def tolerance(self, scene: Scene) -> np.ndarray:
        """[...] the excess that still counts as none."""

    def __invert__(self) -> Rule:
        if self.sign == "=":
            return super().__invert__()
        return replace(self, sign=OPPOSITE[self.sign])

    def check(self, space: Space) -> None:
        for name in self.names:
            if not is_flag(feature_of(space, name, self)):
                check_number(space, name, self)

    def truth(self, scene: Scene) -> np.ndarray:
        excess, close = self.excess(scene), self.tolerance(scene)
        true = {
            "<": excess < -close,
            "<=": excess <= close,
            "=": np.abs(excess) <= close,
            ">=": excess >= -close,
            ">": excess > close,
        }[self.sign]
        return truth_values(true, ~np.isnan(excess))

    def violation(self, scene: Scene) -> np.ndarray:
        """In MADs of the feature that would mend it most cheaply."""
        scale: Any = 0.0
        for j in self._columns(scene.space):
            scale = np.fmax(scale, np.abs(self.slope(scene, j)) * _mad(scene.space, j))
        away = np.maximum(np.abs(self.excess(scene)), self.resolution(scene.space))
        with np.errstate(divide="ignore", invalid="ignore"):
            amount = np.where(scale > 0, away / scale, 1.0)
        return np.where(self.truth(scene) < 0, amount, 0.0)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """Numbers that the point has left alone are moved first, the one that moves least first."""
        sign = self.sign if wanted else OPPOSITE.get(self.sign, ">")
        least = self.resolution(scene.space) if sign in "<>" else 0.0
        for again in (False, True):
            for j in self._columns(scene.space):
                over, slope = self.excess(scene), self.slope(scene, j)
                if sign in ("<", "<="):
                    over = np.maximum(over + least, 0.0)
                elif sign in (">", ">="):
                    over = np.minimum(over - least, 0.0)
                lacking = np.abs(over) > self.close(scene.space)
                lacking &= (again | ~scene.changed(j)) & (slope != 0)
                if lacking.any():
                    with np.errstate(divide="ignore", invalid="ignore"):
                        scene = scene.moved(_mended(scene, j, over / slope, lacking))
        return scene.points

    def _columns(self, space: Space) -> list[int]:
        """The features in the order in which they are moved."""
        return [space.index(name) for name in self.names]

    def stated(self, excess: Affine, signs: Iterable[str], close: float) -> Formula:
        """That one of some signs holds of a scaled excess, within `close` where it is not whole.

        Where all is whole, so is the excess; else the row's own values lie between the grid's.
        """
        excess = _tidied(excess)
        whole = all(number.is_integer() for number in (*excess.terms.values(), excess.constant))
        close, more = (0.0, 1.0) if whole else (close,) * 2
        formulas = {
            "<": bound(excess, high=-more),
            "<=": bound(excess, high=close),
            "=": bound(excess, -close, close),
            ">=": bound(excess, low=-close),
            ">": bound(excess, low=more),
        }
        return any_of(formulas[sign] for sign in signs)

    def signs(self, wanted: bool) -> list[str]:
        """The signs of which one holds where the relation does or, not wanted, does not."""
        if wanted:
            return [self.sign]
        return [OPPOSITE[self.sign]] if self.sign != "=" else ["<", ">"]


@dataclass(frozen=True)
class Linear(Relation):
    """Two sums, compared."""

    kind: ClassVar[str] = "relation"
    left: tuple[Term, ...]
    sign: str
    right: tuple[Term, ...]

    def __post_init__(self) -> None:
        for side in ("left", "right"):
            terms = tuple((float(times), str(name)) for times, name in getattr(self, side))
            object.__setattr__(self, side, terms or ((0.0, ""),))
        finite = all(math.isfinite(times) for times, _ in (*self.left, *self.right))
        if self.sign not in SIGNS or not finite or not self.factors:
            raise RuleError(
                f"The rule '{self}' compares nothing that can change.",
                "Write it as: debt + loan <= 0.4 * income.",
            )

    @cached_property
    def factors(self) -> dict[str, float]:
        """What multiplies each feature when all stand on the left, where 0.5 - 0.4 is 0.1."""
        total: dict[str, Decimal] = {}
        for way, side in ((1.0, self.left), (-1.0, self.right)):
            for times, name in side:
                if name:
                    total[name] = total.get(name, Decimal()) + Decimal(repr(way * times))
        return {name: float(times) for name, times in total.items() if times}

    @cached_property
    def bound(self) -> float:
        """What stands alone on the right."""
        right, left = (
            sum(Decimal(repr(number)) for number, name in side if not name)
            for side in (self.right, self.left)
        )
        return float(right - left)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for _, name in (*self.left, *self.right) if name))

    def __str__(self) -> str:
        alone = len(self.left) == len(self.right) == 1
        single = alone and bool(self.left[0][1]) != bool(self.right[0][1])
        left, right = (_sum_text(side, single) for side in (self.left, self.right))
        return f"{left} {self.sign} {right}"

    def resolution(self, space: Space) -> float:
        digits = max(
            int(space.decimals[space.index(name)]) + digits_of(times)
            for name, times in self.factors.items()
        )
        return float(10.0 ** -max(digits, digits_of(self.bound)))

    def excess(self, scene: Scene) -> np.ndarray:
        total: Any = -self.bound
        factors = self.factors
        for name in self.names:  # also those that cancel out: missing, they leave it open
            total = total + factors.get(name, 0.0) * scene.amount(scene.space.index(name))
        return np.asarray(total)

    def slope(self, scene: Scene, j: int) -> float:
        feature = scene.space.features[j]
        return self.factors[feature.name] * as_number(feature)[1]

    def tolerance(self, scene: Scene) -> np.ndarray:
        """A few units in the last place of the terms, and far less than a step of the grid."""
        size: Any = abs(self.bound)
        for name, times in self.factors.items():
            size = size + np.abs(times * scene.amount(scene.space.index(name)))
        return np.asarray(self.close(scene.space) + 4 * np.finfo(float).eps * size)

    def _columns(self, space: Space) -> list[int]:
        columns = [(space.index(name), times) for name, times in self.factors.items()]
        columns.sort(key=lambda one: -abs(one[1]) * _mad(space, one[0]))
        return [j for j, _ in columns]

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        resolution, factors = self.resolution(variables.space), self.factors
        largest = max(abs(times) * variables.step(name) for name, times in factors.items())
        scale = min(1.0 / resolution, LARGEST / largest)
        total = Affine.total(amount(variables, name) * (t * scale) for name, t in factors.items())
        close = self.close(variables.space) * scale
        held = self.stated(total - self.bound * scale, self.signs(wanted), close)
        return any_of([*unknown(variables, self.names), held])


def amount(variables: Variables, name: str) -> Affine:
    """A feature of an answer as a number: 0 and 1 of a flag."""
    start, times = as_number(variables.space.features[variables.space.index(name)])
    value = variables.feature(name).value
    return value if (start, times) == (0.0, 1.0) else value * times + start


def unknown(variables: Variables, names: Iterable[str]) -> list[Affine]:
    """The conditions that features stay missing, which leave a relation of them open."""
    features = map(variables.feature, names)
    return [feature.stays for feature in features if math.isnan(feature.own)]


def _mad(space: Space, j: int) -> float:
    """The MAD of a number; a flag changes by 1."""
    return float(getattr(space.features[j], "mad", 1.0))


def _tidied(sums: Affine) -> Affine:
    """A sum whose numbers are whole where they are but for rounding."""

    def tidy(number: float) -> float:
        near = float(round(number))
        return near if abs(number - near) <= 1e-9 + 1e-13 * abs(number) else number

    terms = {column: tidy(times) for column, times in sums.terms.items()}
    return Affine(terms, tidy(sums.constant), tidy(sums.least), tidy(sums.most))


def _mended(scene: Scene, j: int, over: np.ndarray, lacking: np.ndarray) -> np.ndarray:
    """The points with feature j lower by `over`, or as near to that as the box allows."""
    step = scene.step(j)
    value = scene.value(j)
    exact = (value - over) / step
    near = np.round(exact)
    whole = np.where(
        np.abs(exact - near) < 1e-6, near, np.where(over > 0, np.floor(exact), np.ceil(exact))
    )
    target = np.round(whole * step, int(scene.space.decimals[j]))
    if not scene.space.continuous[j]:
        target = np.clip(target, 0, len(scene.space.features[j].levels) - 1)  # type: ignore[union-attr]
    found = scene.moved(scene.with_value(j, target)).between(j, -np.inf, np.inf)
    return scene.with_value(j, np.where(lacking, found, np.nan))


def digits_of(number: float) -> int:
    """How many decimals a number is written with."""
    text = repr(float(number))
    if "e-" in text:
        mantissa, power = text.split("e-")
        return int(power) + len(mantissa.partition(".")[2])
    return 0 if text.endswith(".0") or "e" in text else len(text.partition(".")[2])


def _sum_text(terms: tuple[Term, ...], single: bool) -> str:
    """The terms as text; a single feature keeps its factor 1, since 'age <= 30' is a Compare."""
    text = ""
    for times, name in terms:
        size = number_text(abs(times))
        if not name:
            word = size
        else:
            bare = times == -1 or (times == 1 and not single)
            word = name_text(name) if bare else f"{size} * {name_text(name)}"
        sign = "-" if times < 0 else "+"
        text += f" {sign} {word}" if text else ("-" if times < 0 else "") + word
    return text
