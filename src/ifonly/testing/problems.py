"""Small random problems, made from a seed: rows, rules, a model and a wanted outcome."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ifonly.errors import RuleError
from ifonly.models import Counted, Differentiable, Model
from ifonly.problem.goal import Goal, resolve
from ifonly.problem.problem import Problem
from ifonly.rules import Rule, between, fixed, one_of, only_decreases, only_increases
from ifonly.solve.pose import pose
from ifonly.solve.prepare import prepare, provided
from ifonly.space import Categorical, Continuous, Ordinal, Space
from ifonly.space.table.dtypes import holds_whole
from ifonly.testing.grammar import fits, rule_of
from ifonly.testing.models import MODEL_KINDS, random_model
from ifonly.testing.spaces import CODED, random_codes, random_frame

RELATIONS = (
    "at most",
    "steps",
    "linear",
    "takes",
    "together",
    "causes",
    "or",
    "implies",
    "forbid",
)
"""The kinds of rules that no box can express, and that leave each feature a value."""


def random_problem(seed: int, kind: str | None = None, q: int = 6) -> Problem:
    """A posed problem.

    The first row has a value outside the known range, where a feature has one.

    Parameters
    ----------
    seed
        The same seed gives the same problem.
    kind
        One of `MODEL_KINDS`; by default by turns, with the seed.
    q
        The number of rows.

    Returns
    -------
    Problem

    Examples
    --------
    >>> len(random_problem(seed=0, q=3).x)
    3
    """
    kind = kind or MODEL_KINDS[seed % len(MODEL_KINDS)]
    data = random_frame(seed)
    space = Space.infer(data, categorical=[CODED] if CODED in data else [])
    model = random_model(space, kind, seed)
    open_model = isinstance(model, Differentiable)
    setting = prepare(model, data if seed % 4 else None, space)
    with suppress(RuleError):  # rules that no row can satisfy are left out
        setting = setting.with_rules(random_rules(space, seed)[: seed % 3])
    setting = provided(setting, frozenset({"gradient", "reading"} if open_model else ()))
    x = _with_outlier(space, random_codes(space, q, seed + 1))
    return pose(setting, Counted(setting.model, setting.route), x, _goal(model, x), seed)


def random_rules(space: Space, seed: int) -> list[Rule]:
    """Rules of every kind that some feature of the space can have, in random order.

    Parameters
    ----------
    space
        The features.
    seed
        The same seed gives the same rules.

    Returns
    -------
    list of Rule

    Examples
    --------
    >>> space = Space.describe({"name": "age", "low": 20, "high": 60})
    >>> random_rules(space, seed=0) == random_rules(space, seed=0)
    True
    """
    rng = np.random.default_rng(seed)
    rules: list[Rule] = [fixed(str(rng.choice(space.names)))]
    for feature in space.features:
        if isinstance(feature, Continuous):
            # On the value grid, so that two such rules leave a value between them.
            low, high = np.sort(
                np.round(rng.uniform(feature.low, feature.high, 2), feature.decimals)
            )
            rules.append(between(feature.name, feature.low, float(high)))
            rules.append(between(feature.name, float(low), float("inf")))
        elif isinstance(feature, Categorical):
            count = int(rng.integers(1, len(feature.levels) + 1))
            chosen = rng.permutation(len(feature.levels))[:count]
            rules.append(one_of(feature.name, [feature.levels[i] for i in chosen]))
        if isinstance(feature, Continuous | Ordinal):
            rules += [only_increases(feature.name), only_decreases(feature.name)]
    rules += [rule_of(kind, space, rng) for kind in RELATIONS if fits(kind, space)]
    return [rules[i] for i in rng.permutation(len(rules))]


def random_rows(space: Space, n: int, seed: int) -> np.ndarray:
    """Codes of rows as users have them: some out of range, some beside the value grid.

    Parameters
    ----------
    space
        The features.
    n
        The number of rows.
    seed
        The same seed gives the same rows.

    Returns
    -------
    np.ndarray
        [n, d].

    Examples
    --------
    >>> random_rows(Space.describe({"name": "age", "low": 20, "high": 60}), 5, seed=0).shape
    (5, 1)
    """
    rng = np.random.default_rng(seed)
    x = random_codes(space, n, seed)
    for j, feature in enumerate(space.features):
        if not isinstance(feature, Continuous):
            continue
        far = np.round(rng.uniform(-1, 1, n) * (feature.high - feature.low), feature.decimals)
        x[:, j] += np.where(rng.random(n) < 0.15, far, 0.0)
        if not holds_whole(feature.column.dtype):
            beside = rng.integers(1, 100, n) * feature.step / 100
            x[:, j] += np.where(rng.random(n) < 0.25, beside, 0.0)
        x[:, j] = np.round(x[:, j], feature.decimals + 2)
    return space.codes(space.rows(x))


def _with_outlier(space: Space, x: np.ndarray) -> np.ndarray:
    numbers = np.flatnonzero(space.continuous)
    if len(numbers):
        j = int(numbers[0])
        x[0, j] = space.high[j] + 3 * 10.0 ** -space.decimals[j]
    return np.asarray(space.round(x))


def _goal(model: Model, x: np.ndarray) -> Goal:
    scores = np.asarray(model.scores(x))
    if not model.classes:
        # Not the median itself, on which a point can lie exactly and the last bit then decides.
        target: Any = (float(np.median(scores) + 0.0137 * scores.std()), float("inf"))
        return resolve(target, (), scores[:, 0])
    decided = scores.argmax(axis=1)
    wanted = [model.classes[(i + 1) % len(model.classes)] for i in decided]
    return resolve(wanted, model.classes, decided)
