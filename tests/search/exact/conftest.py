"""Small spaces, rows and rules of every kind, and what trying every point says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pytest

from ifonly.rules import Box, Rule
from ifonly.rules.change_rules import AtMost, Changes, Fixed, OnlyChange, Steps
from ifonly.rules.intervals import SIGNS, WAYS, Between, Compare, Monotone, Shift
from ifonly.rules.joint.products import Products
from ifonly.rules.levels import OneOf
from ifonly.rules.linear import Linear
from ifonly.rules.logic import And, Implies, Not, Or
from ifonly.rules.percent import PercentShift
from ifonly.rules.shorthands import Causes, Forbid, Together
from ifonly.rules.transitions import Takes
from ifonly.space import Categorical, Continuous, Feature, Ordinal, Space


@dataclass(frozen=True, eq=False)
class Case:
    """A row, and all that it may become."""

    space: Space
    x: np.ndarray
    """[d]"""

    @cached_property
    def box(self) -> Box:
        return Box.whole(self.space, self.x[None])

    @cached_property
    def points(self) -> np.ndarray:
        """[m, d] every point of the box that is not the row."""
        choices = [
            [*_values(feature), own, np.nan]
            for feature, own in zip(self.space.features, self.x, strict=True)
        ]
        points = np.unique(np.array(list(product(*choices))), axis=0)
        same = (points == self.x) | (np.isnan(points) & np.isnan(self.x))
        inside = self.box.contains(points[None])[0].all(axis=-1)
        return np.asarray(points[inside & ~same.all(axis=-1)])

    def obeying(self, *rules: Rule) -> np.ndarray:
        """[n, d] the points that obey all rules."""
        held = np.ones(len(self.points), dtype=bool)
        for rule in rules:
            held &= rule.holds(self.space, self.x[None], self.points[None])[0]
        return self.points[held]


@pytest.fixture(scope="session")
def random_case() -> Callable[[np.random.Generator], Case]:
    return _random_case


@pytest.fixture(scope="session")
def random_rule() -> Callable[..., Rule]:
    return _random_rule


def _random_case(rng: np.random.Generator) -> Case:
    """A space of two to four features with few values, and a row that need not lie in it."""
    makers = (_number, _number, _category)
    features = [makers[rng.integers(3)](rng, name) for name in "abcd"[: int(rng.integers(2, 5))]]
    return Case(Space(tuple(features)), np.array([_own(rng, feature) for feature in features]))


def _gaps(rng: np.random.Generator) -> dict[str, Any]:
    missing = bool(rng.random() < 0.4)
    return {
        "missing": missing,
        "fillable": missing and bool(rng.random() < 0.6),
        "erasable": missing and bool(rng.random() < 0.6),
    }


def _number(rng: np.random.Generator, name: str) -> Feature:
    decimals = int(rng.integers(3))
    first = int(rng.integers(-6, 12))
    ends = first / 10**decimals, (first + int(rng.integers(6))) / 10**decimals
    return Continuous(name, *ends, decimals=decimals, **_gaps(rng))


def _category(rng: np.random.Generator, name: str) -> Feature:
    kind = Ordinal if rng.random() < 0.5 else Categorical
    return kind(name, tuple("pqrs"[: int(rng.integers(1, 5))]), **_gaps(rng))


def _values(feature: Feature) -> list[float]:
    """Every code of a feature."""
    if isinstance(feature, Continuous):
        power = 10**feature.decimals
        return [
            i / power for i in range(round(feature.low * power), round(feature.high * power) + 1)
        ]
    return [float(i) for i in range(len(feature.levels))]


def _own(rng: np.random.Generator, feature: Feature) -> float:
    """A code of a row: on the grid, beside it, out of its range, or missing."""
    if feature.missing and rng.random() < 0.4:
        return np.nan
    own = float(rng.choice(_values(feature)))
    if isinstance(feature, Continuous) and rng.random() < 0.4:
        away = rng.choice([0.5, 0.37, -0.25, 2.0, 7.0, -3.0, 7.6])
        own = float(np.round(own + away * feature.step, feature.decimals + 2))
    return own


def _random_rule(rng: np.random.Generator, case: Case, depth: int = 2) -> Rule:
    """A rule of any kind that fits the space, with rules inside rules to some depth."""
    if depth and rng.random() < 0.5:
        parts = tuple(_random_rule(rng, case, depth - 1) for _ in range(int(rng.integers(2, 4))))
        joined = (
            And(parts),
            Or(parts),
            Not(parts[0]),
            ~parts[0],
            Implies(*parts[:2]),
            Forbid(parts),
        )
        return joined[rng.integers(len(joined))]
    makers = [_on_changes, _on_changes, *([_on_features] * 4)]
    while True:
        rule = makers[rng.integers(len(makers))](rng, case)
        try:
            rule.check(case.space)
        except ValueError:  # steps that leave no value, levels for a number
            continue
        return rule


def _on_changes(rng: np.random.Generator, case: Case) -> Rule:
    names = case.space.names
    some = tuple(rng.permutation(names)[: int(rng.integers(1, len(names) + 1))].tolist())
    one, other = rng.choice(names), rng.choice(names)
    count = int(rng.integers(len(names)))
    rules = (
        Fixed(str(one)),
        Changes(str(one)),
        OnlyChange(some),
        AtMost(count, some if rng.random() < 0.5 else ()),
        Causes(str(one), str(other)),
        Together(some if len(some) > 1 else names),
    )
    return rules[rng.integers(len(rules))]


def _on_features(rng: np.random.Generator, case: Case) -> Rule:
    space = case.space
    numbers = [f for f in space.features if isinstance(f, Continuous)]
    feature = space.features[rng.integers(len(space))]
    if isinstance(feature, Categorical):
        return _on_level(rng, feature, numbers)
    if rng.random() < 0.3:
        return (_relation if rng.random() < 0.6 else _ratio)(rng, numbers)
    return _on_number(rng, feature)


def _amount(rng: np.random.Generator, step: float) -> float:
    return float(np.round(rng.choice([0, 0.5, 1, 1, 1.7, 2, 3]) * step, 6))


def _on_number(rng: np.random.Generator, feature: Continuous) -> Rule:
    values, step, name = _values(feature), feature.step, feature.name
    near = [float(np.round(rng.choice(values) + _amount(rng, step) - step, 6)) for _ in range(2)]
    rules: tuple[Rule, ...] = (
        Between(name, *sorted(near)),
        Between(name, low=near[0]),
        Compare(name, str(rng.choice(SIGNS)), near[0]),
        Monotone(name, bool(rng.random() < 0.5)),
        _shift(rng, name, step),
        PercentShift(name, str(rng.choice(WAYS)), float(rng.choice([0, 10, 35.5])), 60.0),
        Steps(name, float(np.round(rng.choice([0.5, 1, 1.5, 2, 3]) * step, 6))),
    )
    return rules[rng.integers(len(rules))]


def _shift(rng: np.random.Generator, name: str, step: float) -> Rule:
    amounts = sorted((_amount(rng, step), _amount(rng, step)))
    most = amounts[1] if rng.random() < 0.5 else np.inf
    return Shift(name, str(rng.choice(WAYS)), amounts[0], most)


def _on_level(rng: np.random.Generator, feature: Categorical, numbers: list[Any]) -> Rule:
    levels = feature.levels
    name, some = feature.name, rng.permutation(levels)[: int(rng.integers(1, len(levels) + 1))]
    of = numbers[rng.integers(len(numbers))] if numbers and rng.random() < 0.7 else None
    moves = tuple(
        (str(rng.choice(levels)), str(rng.choice(levels)), _amount(rng, of.step) if of else 0.0)
        for _ in range(int(rng.integers(1, 5)))
    )
    rules: list[Rule] = [
        OneOf(name, tuple(map(str, some)), bool(rng.random() < 0.5)),
        Takes(name, moves, of.name if of else "", bool(rng.random() < 0.5)),
    ]
    if isinstance(feature, Ordinal):
        rules += [Monotone(name, bool(rng.random() < 0.5)), _shift(rng, name, 1.0)]
    return rules[rng.integers(len(rules))]


def _relation(rng: np.random.Generator, numbers: list[Any]) -> Rule:
    """A relation that some point meets exactly, or not."""
    times = [float(rng.choice([1, -1, 2, 0.5, 0.25, -1.5])) for _ in numbers]
    values = [float(rng.choice(_values(feature))) for feature in numbers]
    total = sum(t * v for t, v in zip(times, values, strict=True))
    alone = float(np.round(total + rng.choice([0, 0, 0.1, -0.25, 1]), 6))
    left = tuple((t, feature.name) for t, feature in zip(times, numbers, strict=True))
    return Linear(left, str(rng.choice(SIGNS)), ((alone, ""),))


def _ratio(rng: np.random.Generator, numbers: list[Any]) -> Rule:
    """A ratio, linear after multiplication, whose divisor may be 0 or below."""
    over, under = (numbers[i] for i in rng.integers(len(numbers), size=2))
    values = [float(rng.choice(_values(feature))) for feature in (over, under)]
    bound = float(np.round(values[0] / (values[1] or 1.0) + rng.choice([0, 0, 0.1, -0.5]), 2))
    left = [(1.0, (over.name,), (under.name,)), (float(rng.choice([1, -2])), (), (under.name,))]
    left = left[: int(rng.integers(1, 3)) if over is not under else 2]
    return Products(tuple(left), str(rng.choice(SIGNS)), ((bound, (), ()),))
