"""Linear relations between numbers: `debt + loan <= 0.4 * income`, `words_unique <= words`.

Flags count as numbers: `a + b + c = 1` of columns of False and True.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.formula import Affine, Formula, Variables, any_of
from ifonly.rules.intervals import SIGNS
from ifonly.rules.joint.relation import LARGEST, Relation, amount, mad, unknown
from ifonly.rules.language.dates import is_negative, to_number
from ifonly.rules.language.names import name_text, number_text
from ifonly.rules.scene import Scene, as_number
from ifonly.space import Space
from ifonly.space.table.dtypes import number_dtype

EPS = float(np.finfo(float).eps)
Term = tuple[float, str]
"""A number and the feature that it multiplies; an empty name for the number alone."""


@dataclass(frozen=True)
class Linear(Relation):
    """Two sums, compared."""

    kind: ClassVar[str] = "relation"
    left: tuple[Term, ...]
    sign: str
    right: tuple[Term, ...]

    def __post_init__(self) -> None:
        for side in ("left", "right"):
            terms = tuple((to_number(times), str(name)) for times, name in getattr(self, side))
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
        """A few units in the last place of the terms, and far less than a step of the grid.

        A row's own value in single precision stands for the number that is written.
        """
        slack: Any = 4 * EPS * abs(self.bound)
        for name, times in self.factors.items():
            j = scene.space.index(name)
            dtype = number_dtype(scene.space.features[j].column.dtype)
            single = dtype is not None and dtype.kind == "f" and dtype.itemsize < 8
            eps = float(np.finfo(dtype).eps) / 2 if single else 0.0
            slack = slack + (4 * EPS + eps) * np.abs(times * scene.amount(j))
        return np.asarray(self.close(scene.space) + slack)

    def columns(self, space: Space) -> list[int]:
        columns = [(space.index(name), times) for name, times in self.factors.items()]
        columns.sort(key=lambda one: -abs(one[1]) * mad(space, one[0]))
        return [j for j, _ in columns]

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        resolution, factors = self.resolution(variables.space), self.factors
        largest = max(abs(times) * variables.step(name) for name, times in factors.items())
        scale = min(1.0 / resolution, LARGEST / largest)
        total = Affine.total(amount(variables, name) * (t * scale) for name, t in factors.items())
        close = self.close(variables.space) * scale
        held = self.stated(total - self.bound * scale, self.signs(wanted), close)
        return any_of([*unknown(variables, self.names), held])


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
        sign = "-" if is_negative(times) else "+"
        text += f" {sign} {word}" if text else sign.strip("+") + word
    return text
