"""Products and ratios of numbers, compared: `rate * loan <= 1000`, `loan / income <= 0.5`.

Both sides are multiplied by all that they are divided by, so that sums of products are compared;
where an odd number of divisors is negative, the sign turns. What is divided by 0 is infinite, with
its own sign, so that nobody obeys a ratio by having no income; 0 / 0 is unknown.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, reduce
from itertools import product
from typing import Any, ClassVar

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules.formula import (
    NO,
    YES,
    Affine,
    CategoryVariable,
    Formula,
    NumberVariable,
    Variables,
    all_of,
    any_of,
)
from ifonly.rules.intervals import SIGNS
from ifonly.rules.joint.relation import LARGEST, Relation, amount, unknown
from ifonly.rules.language.dates import is_negative, to_number
from ifonly.rules.language.names import name_text, number_text
from ifonly.rules.linear import Term, digits_of
from ifonly.rules.scene import Scene, as_number
from ifonly.space import Space

Product = tuple[float, tuple[str, ...], tuple[str, ...]]
"""A number, the features that multiply it, and those that divide it."""
TURNED = {"<": ">", "<=": ">=", "=": "=", ">=": "<=", ">": "<"}
LOOSE = {"<": "<=", ">": ">="}
SMALLEST = 5e-324


@dataclass(frozen=True)
class Products(Relation):
    """Two sums of products, compared."""

    kind: ClassVar[str] = "products"
    left: tuple[Product, ...]
    sign: str
    right: tuple[Product, ...]

    def __post_init__(self) -> None:
        for side in ("left", "right"):
            products = tuple(
                (to_number(times), tuple(map(str, over)), tuple(map(str, under)))
                for times, over, under in getattr(self, side)
            )
            object.__setattr__(self, side, products or ((0.0, (), ()),))
        terms = (*self.left, *self.right)
        finite = all(math.isfinite(times) for times, *_ in terms)
        if all(len(over) < 2 and not under for _, over, under in terms):
            raise RuleError(
                f"The rule '{self}' has no product and no ratio.", "State it as a 'relation'."
            )
        if (
            self.sign not in SIGNS
            or not finite
            or not (any(self.sums) or (self.under and self.sums))
        ):
            raise RuleError(
                f"The rule '{self}' compares nothing that can change.",
                "Write it as: loan / income <= 0.5, or rate * loan <= 1000.",
            )

    @cached_property
    def under(self) -> tuple[str, ...]:
        """The features that something is divided by, as often as any term is divided by them."""
        each = [Counter(under) for *_, under in (*self.left, *self.right)]
        return tuple(reduce(lambda one, other: one | other, each).elements())

    @cached_property
    def sums(self) -> dict[tuple[str, ...], float]:
        """What multiplies each product when all stand on the left, multiplied by `under`."""
        total: dict[tuple[str, ...], Decimal] = {}
        for way, side in ((1.0, self.left), (-1.0, self.right)):
            for times, over, under in side:
                rest = Counter(self.under) - Counter(under)
                names = tuple(sorted([*over, *rest.elements()]))
                total[names] = total.get(names, Decimal()) + Decimal(repr(way * times))
        return {names: float(times) for names, times in total.items() if times}

    @property
    def names(self) -> tuple[str, ...]:
        terms = (*self.left, *self.right)
        return tuple(dict.fromkeys(n for _, over, under in terms for n in (*over, *under)))

    def __str__(self) -> str:
        return f"{_text(self.left)} {self.sign} {_text(self.right)}"

    def resolution(self, space: Space) -> float:
        digits = (
            digits_of(times) + sum(int(space.decimals[space.index(name)]) for name in names)
            for names, times in self.sums.items()
        )
        return float(10.0 ** -max(digits))

    def close(self, space: Space) -> float:
        """The row's own values may have two more digits, each of them."""
        return super().close(space) * 100.0 ** -max(0, *(len(names) - 1 for names in self.sums))

    def excess(self, scene: Scene) -> np.ndarray:
        """Multiplied by the size of what the sides are divided by."""
        values = self._values(scene)
        total = self._sum(values)
        for value in values.values():  # also those that cancel out: missing, they leave it open
            total = total + 0.0 * value
        zero, turned = np.zeros((2, *total.shape), dtype=bool)
        for name in self.under:
            zero, turned = zero | (values[name] == 0), turned ^ (values[name] < 0)
        nothing = zero & (np.abs(total) <= self.tolerance(scene))
        return np.where(nothing, np.nan, np.where(turned, -total, total))

    def slope(self, scene: Scene, j: int) -> np.ndarray:
        """Exact where no feature is multiplied by itself, and keeps its sign where it divides."""
        feature, values = scene.space.features[j], self._values(scene)
        turned = np.zeros(scene.value(j).shape, dtype=bool)
        for name in self.under:
            turned = turned ^ (values[name] < 0)
        start, times = as_number(feature)
        low, high = (
            self._sum({**values, feature.name: np.full_like(values[feature.name], value)})
            for value in (start, start + times)
        )
        return np.asarray(np.where(turned, low - high, high - low))

    def tolerance(self, scene: Scene) -> np.ndarray:
        """A few units in the last place of the terms, and far less than a step of the grid."""
        size = self._sum(self._values(scene), absolute=True)
        return np.asarray(self.close(scene.space) + 8 * np.finfo(float).eps * size)

    def reach(self, scene: Scene, wanted: bool) -> np.ndarray:
        """A point that cannot be moved to where the rule is as wanted comes back as it is."""
        moved = super().reach(scene, wanted)
        truth = self.truth(scene.moved(moved))
        met = (truth if wanted else -truth) >= 0
        return np.where(met[:, None], moved, scene.points)

    @property
    def has_formula(self) -> bool:
        """Of a product of two numbers only where all but one of them stay, which a row decides."""
        return max(map(len, self.sums)) < 2

    def formula(self, variables: Variables, wanted: bool) -> Formula:
        amounts = {name: amount(variables, name) for name in self.names}
        terms = [self._term(names, amounts) for names in self.sums]
        steps = [abs(times) * variables.step(name) for times, name in terms if name]
        scale = min(1.0 / self.resolution(variables.space), LARGEST / max([1e-300, *steps]))
        parts = (amounts[name] if name else YES for _, name in terms)
        excess = Affine.total(p * (t * scale) for p, (t, _) in zip(parts, terms, strict=True))
        close, ways = self.close(variables.space) * scale, []
        for signs in product((1, 0, -1), repeat=len(self.under)):
            divisors = zip(self.under, signs, strict=True)
            met = [_has_sign(variables, name, amounts[name], sign) for name, sign in divisors]
            held = self.signs(wanted)
            if 0 in signs:  # 0 / 0 is unknown
                held = [LOOSE.get(sign, sign) for sign in held]
            if signs.count(-1) % 2:
                held = [TURNED[sign] for sign in held]
            ways.append(all_of([*met, self.stated(excess, held, close)]))
        return any_of([*unknown(variables, self.names), *ways])

    def _term(self, names: tuple[str, ...], amounts: dict[str, Affine]) -> Term:
        """A product as a number and the one feature that can change, or none."""
        moving = [name for name in names if amounts[name].terms]
        if len(moving) > 1:
            raise RuleError(
                f"The rule '{self}' multiplies {' by '.join(map(repr, moving))}, and both can "
                "change: no solver can be given that, so nothing is proved.",
                "Fix one of them, or use method='auto' without `certify`.",
            )
        stay = (amounts[name].constant for name in names if name not in moving)
        return math.prod(stay, start=self.sums[names]), moving[0] if moving else ""

    def _values(self, scene: Scene) -> dict[str, np.ndarray]:
        return {name: scene.amount(scene.space.index(name)) for name in self.names}

    def _sum(self, values: dict[str, np.ndarray], *, absolute: bool = False) -> np.ndarray:
        """[...] the products, multiplied and added; with `absolute`, their sizes."""
        total: Any = 0.0
        for names, times in self.sums.items():
            term = math.prod((values[name] for name in names), start=np.float64(times))
            total = total + (np.abs(term) if absolute else term)
        return np.asarray(total)


def _has_sign(variables: Variables, name: str, value: Affine, sign: int) -> Formula:
    """That a divisor is positive, negative or 0."""
    least, most = np.sign(value.least), np.sign(value.most)
    if not least < most or not least <= sign <= most:
        return YES if least == most == sign else NO
    variable = variables.feature(name)
    if isinstance(variable, CategoryVariable):
        levels = variables.space.features[variables.space.index(name)].levels  # type: ignore[union-attr]
        return variable.among(np.sign(np.array(levels, dtype=float)) == sign)
    low, high = {1: (SMALLEST, np.inf), 0: (0.0, 0.0), -1: (-np.inf, -SMALLEST)}[sign]
    assert isinstance(variable, NumberVariable)
    return variable.between(low, high)


def _text(terms: tuple[Product, ...]) -> str:
    """The terms as text."""
    text = ""
    for times, over, under in terms:
        size = number_text(abs(times))
        parts = [*([size] if abs(times) != 1 or not over else []), *map(name_text, over)]
        word = " / ".join([" * ".join(parts), *map(name_text, under)])
        sign = "-" if is_negative(times) else "+"
        text += f" {sign} {word}" if text else sign.strip("+") + word
    return text
