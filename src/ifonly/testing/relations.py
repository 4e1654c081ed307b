"""Random relations between the numbers and flags of a space."""

from __future__ import annotations

import math

import numpy as np

from ifonly.errors import RuleError
from ifonly.rules import Rule
from ifonly.rules.intervals import SIGNS
from ifonly.rules.joint.products import Product, Products
from ifonly.rules.linear import Linear, Term
from ifonly.rules.scene import is_flag
from ifonly.space import Continuous, Space

FACTORS = (1, 1, 2, 0.5, 0.4, 1.5)


def value_of(feature: Continuous, rng: np.random.Generator) -> float:
    """A value, on the grid of the feature more often than beside it."""
    away = 0.1 * span_of(feature) * (rng.random() < 0.1)
    value = rng.uniform(feature.low - away, feature.high + away)
    return float(np.round(value, feature.decimals + int(rng.choice([0, 0, 0, 1, 2]))))


def span_of(feature: Continuous) -> float:
    return (feature.high - feature.low) or feature.step


def linear(space: Space, rng: np.random.Generator) -> Rule:
    """Two sums of up to three features, which are about equal somewhere in the space."""
    numbers = [feature for feature in space.features if isinstance(feature, Continuous)]
    chosen = [numbers[i] for i in rng.permutation(len(numbers))[: int(rng.integers(2, 4))]]
    sides: tuple[list[Term], list[Term]] = [], []
    total = 0.0
    again = chosen[: int(len(chosen) > 1 and rng.random() < 0.1)]  # one of them twice, at times
    for feature in chosen + again:
        even = 10.0 ** round(-math.log10(span_of(feature) / 10))  # so that each has its weight
        times = float(f"{rng.choice([2, 0.5, 0.4, 1.5] if len(chosen) < 2 else FACTORS) * even:g}")
        side = int(rng.random() < 0.5) if sides[0] else 0
        sides[side].append((times, feature.name))
        total += (-times if side else times) * value_of(feature, rng)
    alone = float(np.round(total, int(rng.integers(3))))
    sign = str(rng.choice([*SIGNS, "<=", ">="]))
    return Linear(tuple(sides[0]), sign, (*sides[1], (alone, "")))


def flag_sum(space: Space, rng: np.random.Generator) -> Rule:
    """How many of some flags are set."""
    flags = [feature.name for feature in space.features if is_flag(feature)]
    chosen = rng.permutation(flags)[: int(rng.integers(1, 5))]
    count = float(rng.integers(0, len(chosen) + 1))
    return Linear(tuple((1.0, name) for name in chosen), str(rng.choice(SIGNS)), ((count, ""),))


def products(space: Space, rng: np.random.Generator) -> Rule:
    """A product or a ratio of two numbers, with a third at times, about equal to a bound."""
    numbers = [feature for feature in space.features if isinstance(feature, Continuous)]
    one, two, three = (numbers[i] for i in rng.integers(len(numbers), size=3))
    times = float(rng.choice(FACTORS))
    first, second, third = (value_of(feature, rng) for feature in (one, two, three))
    ratio = bool(rng.random() < 0.6)
    term: Product = (
        (times, (one.name,), (two.name,)) if ratio else (times, (one.name, two.name), ())
    )
    total = times * (first / (second or two.step) if ratio else first * second)
    left = [term]
    if rng.random() < 0.4:
        left.append((1.0, (three.name,), (two.name,) if ratio else ()))
        total += third / (second or two.step) if ratio else third
    bound = float(f"{total:.3g}")
    sign = str(rng.choice([*SIGNS, "<=", ">="]))
    try:
        return Products(tuple(left), sign, ((bound, (), ()),))
    except RuleError:  # a number divided by itself
        return Products(((1.0, (one.name, two.name), ()),), sign, ((bound, (), ()),))
