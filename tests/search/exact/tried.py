"""What trying every point says of rows: by the user's own model, the rules, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import ifonly
from ifonly.errors import IfonlyError
from ifonly.rules import Rule
from ifonly.solve.prepare import prepare
from ifonly.space import Categorical, Continuous, Feature, Metric, Ordinal, Space
from ifonly.testing import random_grammar, random_rows

from .fitted import Fitted


@dataclass(frozen=True, eq=False)
class Question:
    """Rows, what each wants of a model, and what they obey and pay."""

    fitted: Fitted
    x: np.ndarray
    """[q, d]"""
    targets: list[Any]
    rules: tuple[Rule, ...] = ()
    weights: dict[str, Any] = field(default_factory=dict)
    threshold: float | None = None

    def ask(self, **options: Any) -> ifonly.Answers:
        """ifonly's answers, by solving unless another method is given."""
        space = self.fitted.space
        with threadpool_limits(1):
            return ifonly.explain(
                self.fitted.model,
                space.rows(self.x),
                space=space,
                target=self.targets,
                rules=self.rules,
                weights=self.weights,
                threshold=self.threshold,
                **{"method": "exact", "k": 1, **options},
            )

    @cached_property
    def tried(self) -> list[Tried]:
        """What trying every point says of each row."""
        return [Tried(self, row) for row in range(len(self.x))]


@dataclass(frozen=True, eq=False)
class Tried:
    """One row of a question, and every point of it."""

    question: Question
    row: int

    @property
    def x(self) -> np.ndarray:
        """[d]"""
        return np.asarray(self.question.x[self.row])

    @cached_property
    def points(self) -> np.ndarray:
        """[n, d] every lawful point that is not the row, in the order of what they cost."""
        features = self.question.fitted.space.features
        choices = [choices_of(f, own) for f, own in zip(features, self.x, strict=True)]
        points = np.stack(np.meshgrid(*choices, indexing="ij"), axis=-1).reshape(-1, len(features))
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
        fitted, target = self.question.fitted, self.question.targets[self.row]
        if self.question.threshold is not None:
            assert fitted.share is not None
            over = fitted.share(points) >= self.question.threshold
            return np.asarray(over == (target == fitted.classes[1]))
        said = fitted.predict(points)
        if isinstance(target, tuple):
            return np.asarray((said >= target[0]) & (said <= target[1]))
        return np.asarray(said == target)

    def obeyed(self, points: np.ndarray) -> np.ndarray:
        """bool [n]: whether all rules hold."""
        held = np.ones(len(points), dtype=bool)
        for rule in self.question.rules:
            held &= rule.holds(self.question.fitted.space, self.x[None], points[None])[0]
        return held

    def changed(self, points: np.ndarray) -> np.ndarray:
        """bool [n, d]"""
        return np.asarray((points != self.x) & ~(np.isnan(points) & np.isnan(self.x)))

    def cost(self, points: np.ndarray) -> np.ndarray:
        """[n] what points cost the row."""
        return np.asarray(self.metric.price(points, self.x[None]))

    @property
    def metric(self) -> Metric:
        return Metric.of(replace(self.question.fitted.space, weights=self.question.weights))


def check(answers: ifonly.Answers, question: Question) -> dict[str, int]:
    """Assert that exact answers are the nearest there are; how many rows had which status."""
    assert answers.bound is not None
    counts = {"found": 0, "infeasible": 0, "already": 0}
    for row, tried in enumerate(question.tried):
        status, best = str(answers.status[row]), tried.best
        wanted = "already" if tried.already else "infeasible" if best == np.inf else "found"
        assert status == wanted, (row, status, best, answers.notes[row])
        counts[status] += 1
        if status == "found":
            assert abs(answers.price()[row, 0] - best) <= 1e-9 * max(1.0, best), row
            assert best - 1e-6 <= answers.bound[row] <= best + 1e-9, row
        else:
            assert answers.bound[row] == (0.0 if status == "already" else np.inf)
    return counts


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


def random_question(
    fitted: Fitted, rng: np.random.Generator, *, q: int = 4, ruled: float = 0.7
) -> Question:
    """Rows of any kind with targets that some points have; prices, and often rules, at random."""
    space = fitted.space
    x = random_rows(space, q, int(rng.integers(2**31)))
    said = fitted.predict(random_rows(space, 40, int(rng.integers(2**31))))
    threshold = None
    if not fitted.classes:
        targets = [_range(said, rng) for _ in x]
    else:
        seen = [label for label in fitted.classes if (said == label).any()]
        targets = [_other(own, seen, rng) for own in fitted.predict(x)]
        if fitted.share is not None and rng.random() < 0.3:
            threshold = float(np.round(rng.uniform(0.2, 0.8), 2))
    rules = _rules(fitted, rng) if rng.random() < ruled else ()
    weights = _weights(space, rng)
    priced = replace(space, sparsity=float(rng.choice([0.0, 0.5, 2.0])))
    return Question(replace(fitted, space=priced), x, targets, rules, weights, threshold)


def _range(said: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    low, high = np.sort(rng.choice(said, 2) + 0.01)
    first, last = [(low, high + 0.1), (low, np.inf), (-np.inf, low)][rng.integers(3)]
    return float(first), float(last)


def _other(own: Any, seen: list[Any], rng: np.random.Generator) -> Any:
    others = [label for label in seen if label != own]
    return others[rng.integers(len(others))] if others else seen[0]


def _rules(fitted: Fitted, rng: np.random.Generator) -> tuple[Rule, ...]:
    """Up to three rules that solvers take and that leave each feature a value."""
    while True:
        count = int(rng.integers(1, 4))
        drawn = random_grammar(fitted.space, int(rng.integers(2**31)), count)
        rules = tuple(rule for rule in drawn if rule.has_formula)
        try:
            prepare(fitted.model, None, fitted.space).with_rules(rules)
        except IfonlyError:
            continue
        return rules


def _weights(space: Space, rng: np.random.Generator) -> dict[str, Any]:
    """A weight, a cost each way, or one a move, for about half of the features."""
    weights: dict[str, Any] = {}
    for feature in space.features:
        kind, factors = rng.random(), np.round(rng.uniform(0.2, 4, 3), 2).tolist()
        if kind < 0.25:
            weights[feature.name] = factors[0]
        elif kind < 0.5 and isinstance(feature, Continuous | Ordinal):
            weights[feature.name] = ifonly.cost(up=factors[0], down=factors[1])
        elif kind < 0.5 and isinstance(feature, Categorical) and len(feature.levels) > 1:
            pairs = [(a, b) for a in feature.levels for b in feature.levels if a != b]
            moves = {pair: float(np.round(rng.uniform(0.2, 4), 2)) for pair in pairs[::2]}
            weights[feature.name] = ifonly.cost(moves=moves, other=factors[2])
    return weights
