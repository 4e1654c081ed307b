"""Linear relations between numbers: `debt + loan <= 0.4 * income`, `words_unique <= words`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.box import CLOSE
from ifonly.rules.formula import Affine, Formula, Variables, any_of, bound
from ifonly.rules.intervals import OPPOSITE, SIGNS, check_number
from ifonly.rules.language.dates import as_number, is_negative
from ifonly.rules.language.names import name_text, number_text
from ifonly.rules.rule import Condition, Rule, truth_values
from ifonly.rules.scene import Scene
from ifonly.space import Continuous, Space

Term = tuple[float, str]
"""A number and the feature that it multiplies; an empty name for the number alone."""
LARGEST = 1e6
"""What multiplies a variable in a formula, at the most: solvers want moderate numbers."""


@dataclass(frozen=True)
class Linear(Condition):
    """Two sums, compared."""

    kind: ClassVar[str] = "relation"
    left: tuple[Term, ...]
    sign: str
    right: tuple[Term, ...]

    def __post_init__(self) -> None:
        for side in ("left", "right"):
            terms = tuple((as_number(times), str(name)) for times, name in getattr(self, side))
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

    def __invert__(self) -> Rule:
        if self.sign == "=":
            return super().__invert__()
        return Linear(self.left, OPPOSITE[self.sign], self.right)

    def check(self, space: Space) -> None:
        for name in self.names:
            check_number(space, name, self)

    def resolution(self, space: Space) -> float:
        """The least difference that the two sides can have, but for rounding."""
        digits = max(
            int(space.decimals[space.index(name)]) + _digits(times)
            for name, times in self.factors.items()
        )
        return float(10.0 ** -max(digits, _digits(self.bound)))

    def excess(self, scene: Scene) -> np.ndarray:
        """[...] by how much the left side is over the right."""
        total: Any = -self.bound
        factors = self.factors
        for name in self.names:  # also those that cancel out: missing, they leave it open
            total = total + factors.get(name, 0.0) * scene.value(scene.space.index(name))
        return np.asarray(total)

    def truth(self, scene: Scene) -> np.ndarray:
        excess = self.excess(scene)
        close = CLOSE * 1000 * self.resolution(scene.space) + self._rounding(scene)
        true = {
            "<": excess < -close,
            "<=": excess <= close,
            "=": np.abs(excess) <= close,
            ">=": excess >= -close,
            ">": excess > close,
        }[self.sign]
        return truth_values(true, ~np.isnan(excess))

    def _rounding(self, scene: Scene) -> np.ndarray:
        """[...] what the sum may be off by: a few units in the last place of its terms."""
        size: Any = abs(self.bound)
        for name, times in self.factors.items():
            size = size + np.abs(times * scene.value(scene.space.index(name)))
        return np.asarray(4 * np.finfo(float).eps * size)

    def violation(self, scene: Scene) -> np.ndarray:
        """In MADs of the feature that would mend it most cheaply."""
        mads = [f.mad for f in scene.space.features if isinstance(f, Continuous)]
        scale = max(
            abs(times) * getattr(scene.space.features[scene.space.index(name)], "mad", max(mads))
            for name, times in self.factors.items()
        )
        away = np.maximum(np.abs(self.excess(scene)), self.resolution(scene.space))
        return np.where(self.truth(scene) < 0, away / scale, 0.0)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """Numbers that the point has left alone are moved first, the one that moves least first."""
        sign = self.sign if wanted else OPPOSITE.get(self.sign, ">")
        least = self.resolution(scene.space) if sign in "<>" else 0.0
        features = scene.space.features
        columns = [(scene.space.index(name), times) for name, times in self.factors.items()]
        columns.sort(key=lambda one: -abs(one[1]) * features[one[0]].mad)  # type: ignore[union-attr]
        for again in (False, True):
            for j, times in columns:
                over = self.excess(scene)
                if sign in ("<", "<="):
                    over = np.maximum(over + least, 0.0)
                elif sign in (">", ">="):
                    over = np.minimum(over - least, 0.0)
                lacking = np.abs(over) > CLOSE * 1000 * self.resolution(scene.space)
                lacking &= again | ~scene.changed(j)
                if lacking.any():
                    scene = scene.moved(_mended(scene, j, over / times, lacking))
        return scene.points

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        resolution, factors = self.resolution(variables.space), self.factors
        numbers = {name: variables.number(name) for name in self.names}
        unknown = [one.stays for one in numbers.values() if math.isnan(one.own)]
        largest = max(abs(times) * variables.step(name) for name, times in factors.items())
        scale = min(1.0 / resolution, LARGEST / largest)
        total = Affine.total(numbers[name].value * (t * scale) for name, t in factors.items())
        excess = _tidied(total - self.bound * scale)
        # Where all is whole, so is the excess; else the row's own values lie between the grid's.
        whole = all(number.is_integer() for number in (*excess.terms.values(), excess.constant))
        close, more = (0.0, 1.0) if whole else (CLOSE * 1000 * resolution * scale,) * 2
        formulas = {
            "<": bound(excess, high=-more),
            "<=": bound(excess, high=close),
            "=": bound(excess, -close, close),
            ">=": bound(excess, low=-close),
            ">": bound(excess, low=more),
        }
        opposite = [OPPOSITE[self.sign]] if self.sign != "=" else ["<", ">"]
        signs = [self.sign] if wanted else opposite
        return any_of([*unknown, *(formulas[sign] for sign in signs)])


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
    found = scene.moved(scene.with_value(j, target)).between(j, -np.inf, np.inf)
    return scene.with_value(j, np.where(lacking, found, np.nan))


def _digits(number: float) -> int:
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
        sign = "-" if is_negative(times) else "+"
        text += f" {sign} {word}" if text else sign.strip("+") + word
    return text
