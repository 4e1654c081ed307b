"""What trying every point says of a row: by the user's own model, the rules, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

import ifonly
from ifonly.errors import IfonlyError
from ifonly.rules import Rule
from ifonly.space import Categorical, Continuous, Feature, Metric, Ordinal
from ifonly.testing import random_grammar, random_rows

from .fitted import Fitted

MOST = 20_000
"""The most points that are tried."""


@dataclass(frozen=True, eq=False)
class Question:
    """A row, what it wants of a model, and what it obeys and pays."""

    fitted: Fitted
    x: np.ndarray
    """[d]"""
    target: Any
    rules: tuple[Rule, ...] = ()
    weights: dict[str, Any] = field(default_factory=dict)
    threshold: float | None = None

    def ask(self, **options: Any) -> ifonly.Answers:
        """ifonly's answers."""
        space = self.fitted.space
        given = {"method": "exact", "k": 1, **options}
        return ifonly.explain(
            self.fitted.model,
            space.rows(self.x[None]),
            space=space,
            target=self.target,
            rules=self.rules,
            weights=self.weights,
            threshold=self.threshold,
            **given,
        )

    @cached_property
    def metric(self) -> Metric:
        return Metric.of(self.fitted.space, self.weights)

    @cached_property
    def points(self) -> np.ndarray:
        """[n, d] every lawful point that is not the row, in the order of what they cost."""
        features = self.fitted.space.features
        choices = [choices_of(f, own) for f, own in zip(features, self.x, strict=True)]
        points = np.array(list(product(*choices)))
        points = points[self.changed(points).any(axis=1) & self.obeyed(points)]
        return points[np.argsort(self.cost(points), kind="stable")]

    @cached_property
    def answers(self) -> np.ndarray:
        """[n, d] every answer, the nearest first."""
        return self.points[self.met(self.points)] if len(self.points) else self.points

    @cached_property
    def already(self) -> bool:
        """Whether the row is as wanted, and lawful, as it is."""
        return bool(self.met(self.x[None])[0] and self.obeyed(self.x[None])[0])

    @property
    def best(self) -> float:
        """What the nearest answer costs; infinite where there is none."""
        return float(self.cost(self.answers[:1])[0]) if len(self.answers) else np.inf

    def met(self, points: np.ndarray) -> np.ndarray:
        """bool [n]: whether the user's model says what is wanted."""
        if self.threshold is not None:
            assert self.fitted.share is not None
            over = self.fitted.share(points) >= self.threshold
            return over == (self.target == self.classes[1])
        said = self.fitted.predict(points)
        if isinstance(self.target, tuple):
            return np.asarray((said >= self.target[0]) & (said <= self.target[1]))
        return np.asarray(said == self.target)

    @property
    def classes(self) -> tuple[Any, ...]:
        model = self.fitted.model
        return tuple(getattr(model, "classes_", getattr(model, "classes", ())))

    def obeyed(self, points: np.ndarray) -> np.ndarray:
        """bool [n]: whether all rules hold."""
        held = np.ones(len(points), dtype=bool)
        for rule in self.rules:
            held &= rule.holds(self.fitted.space, self.x[None], points[None])[0]
        return held

    def changed(self, points: np.ndarray) -> np.ndarray:
        """bool [n, d]"""
        return np.asarray((points != self.x) & ~(np.isnan(points) & np.isnan(self.x)))

    def cost(self, points: np.ndarray) -> np.ndarray:
        """[n] what points cost the row."""
        return np.asarray(self.metric.cost(points, self.x[None]))


def choices_of(feature: Feature, own: float) -> list[float]:
    """Every code that a feature of a row may have, by what the space says."""
    values = [own]
    if not np.isnan(own) or feature.fillable:
        values += [value for value in grid(feature) if value != own]
    if feature.erasable and not np.isnan(own):
        values.append(np.nan)
    return values


def grid(feature: Feature) -> list[float]:
    """Every value of a feature."""
    if isinstance(feature, Categorical):
        return [float(level) for level in range(len(feature.levels))]
    power = 10**feature.decimals
    return [i / power for i in range(round(feature.low * power), round(feature.high * power) + 1)]


def random_question(fitted: Fitted, rng: np.random.Generator, *, rules: bool = True) -> Question:
    """A row of any kind with a target that some points have, rules and weights at random."""
    space = fitted.space
    x = random_rows(space, 1, int(rng.integers(2**31)))[0]
    known = random_rows(space, 40, int(rng.integers(2**31)))
    said = fitted.predict(known)
    threshold = None
    if said.dtype.kind == "f":
        low, high = np.sort(rng.choice(said, 2) + 0.01)
        ends = [(low, high + 0.1), (low, np.inf), (-np.inf, low)]
        target: Any = tuple(float(end) for end in ends[rng.integers(3)])
    else:
        own = fitted.predict(x[None])[0]
        others = [
            label for label in np.unique(said.astype(object)) if label not in (own, "neither")
        ]
        target = others[rng.integers(len(others))] if others else own
        target = target.item() if isinstance(target, np.generic) else target
        if fitted.share is not None and len(_classes(fitted)) == 2 and rng.random() < 0.3:
            threshold = float(np.round(rng.uniform(0.2, 0.8), 2))
    chosen = _rules(space, rng) if rules and rng.random() < 0.7 else ()
    return Question(fitted, x, target, chosen, _weights(space, rng), threshold)


def _classes(fitted: Fitted) -> tuple[Any, ...]:
    return tuple(getattr(fitted.model, "classes_", getattr(fitted.model, "classes", ())))


def _rules(space: ifonly.Space, rng: np.random.Generator) -> tuple[Rule, ...]:
    """Up to three rules of the whole grammar that leave each feature a value."""
    while True:
        rules = tuple(random_grammar(space, int(rng.integers(2**31)), int(rng.integers(1, 4))))
        try:
            for rule in rules:
                rule.check(space)
        except IfonlyError:
            continue
        return rules


def _weights(space: ifonly.Space, rng: np.random.Generator) -> dict[str, Any]:
    """A weight or a cost for some features."""
    weights: dict[str, Any] = {}
    for feature in space.features:
        draw, factors = rng.random(), np.round(rng.uniform(0.2, 4, 3), 2).tolist()
        if draw < 0.25:
            weights[feature.name] = factors[0]
        elif draw < 0.5 and isinstance(feature, Continuous | Ordinal):
            weights[feature.name] = ifonly.cost(up=factors[0], down=factors[1])
        elif draw < 0.5:
            levels = feature.levels
            moves = {
                (a, b): float(np.round(rng.uniform(0.2, 4), 2))
                for a in levels
                for b in levels
                if a != b and rng.random() < 0.5
            }
            weights[feature.name] = ifonly.cost(moves=moves, other=factors[2]) if moves else 2.0
    return weights
