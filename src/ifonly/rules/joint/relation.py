"""Two sides of numbers, compared: what sums and products have in common.

Whether they hold, how they are repaired and what a solver is given all follow from the *excess*: by
how much the left side is over the right.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ifonly.rules.box import CLOSE
from ifonly.rules.formula import Affine, Formula, Variables, any_of, bound
from ifonly.rules.intervals import OPPOSITE, check_number
from ifonly.rules.rule import Condition, Rule, feature_of, truth_values
from ifonly.rules.scene import Scene, as_number, is_flag
from ifonly.space import Space

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
        equal = self.sign == "="
        return super().__invert__() if equal else replace(self, sign=OPPOSITE[self.sign])

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
        for j in self.columns(scene.space):
            scale = np.fmax(scale, np.abs(self.slope(scene, j)) * mad(scene.space, j))
        away = np.maximum(np.abs(self.excess(scene)), self.resolution(scene.space))
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.where(scale > 0, away / scale, 1.0)
        return np.where(self.truth(scene) < 0, far, 0.0)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        if wanted or self.sign != "=":
            return self._moved(scene, *self.signs(wanted))
        points = scene.points
        for sign in (">", "<"):
            equal = self.truth(scene.moved(points)) > 0
            points = np.where(equal[:, None], self._moved(scene, sign), points)
        return points

    def _moved(self, scene: Scene, sign: str) -> np.ndarray:
        """Numbers that the point has left alone are moved first, the one that moves least first."""
        least = self.resolution(scene.space) if sign in "<>" else 0.0
        for again in (False, True):
            for j in self.columns(scene.space):
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

    def columns(self, space: Space) -> list[int]:
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


def amount(variables: Variables, name: str) -> Affine:
    """A feature of an answer as a number: 0 and 1 of a flag."""
    start, times = as_number(variables.space.features[variables.space.index(name)])
    value = variables.feature(name).value
    return value if (start, times) == (0.0, 1.0) else value * times + start


def unknown(variables: Variables, names: Iterable[str]) -> list[Affine]:
    """The conditions that features stay missing, which leave a relation of them open."""
    features = map(variables.feature, names)
    return [feature.stays for feature in features if math.isnan(feature.own)]


def mad(space: Space, j: int) -> float:
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
