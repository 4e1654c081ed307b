"""Causes and rules against every action that there is, in spaces small enough to list them all.

Graphs, equations, actions, rules and models are random; rows may lie outside their space, lack
values, and break the rules as they are. Every answer is one of the actions listed, and `infeasible`
is said only where the list has no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.causal import Causes
from ifonly.errors import RuleError
from ifonly.models import Model
from ifonly.rules import Rule
from ifonly.space import Categorical, Continuous, Feature, Space
from ifonly.testing import random_codes, random_grammar, random_model

ROWS = 8
"""The rows of a draw."""


@dataclass(frozen=True)
class Case:
    """A space with a causal model, rules, a model, and rows to ask about."""

    space: Space
    causal: ifonly.CausalModel
    rules: list[Rule]
    model: Model
    rows: pd.DataFrame
    target: list[Any]


@pytest.mark.draws(320)
def test_infeasible_is_said_only_where_no_action_is_an_answer(
    seed: int, tally: Callable[[str, int], None]
) -> None:
    case = random_case(seed)
    causes = case.causal.bind(case.space)
    try:
        answers = explain(case, seed)
    except RuleError:  # the rules contradict each other, whatever the row is
        for x, wanted in zip(case.space.codes(case.rows), case.target, strict=True):
            assert not list(every_result(case, causes, x, wanted))
        tally("rows with rules that are refused", len(case.rows))
        return
    told: dict[str, int] = {}
    for row, status in enumerate(answers.status):
        x = answers.x[row]
        results = np.array(list(every_result(case, causes, x, case.target[row])))
        for point in answers.points[row][answers.filled[row]]:
            assert (same(results, point)).any(), f"row {row}: no action leads to {point}"
        there = bool(len(results))
        if status is ifonly.Status.INFEASIBLE:
            assert not there, f"row {row} is called infeasible: {answers.notes[row]}"
        if status is not ifonly.Status.ALREADY:
            word = f"{status} with" if there else f"{status} without"
            told[word] = told.get(word, 0) + 1
    for word, count in told.items():
        tally(f"rows {word} an answer in the list", count)
    tally("rows against every action", len(answers))


def explain(case: Case, seed: int) -> ifonly.Answers:
    return ifonly.explain(
        case.model,
        case.rows,
        space=case.space,
        causes=case.causal,
        rules=case.rules,
        target=case.target,
        k=2,
        seed=seed,
    )


def random_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    space = Space(tuple(random_feature(rng, j) for j in range(int(rng.integers(2, 5)))))
    causal = random_causes(space, rng)
    model = random_model(space, str(rng.choice(["linear", "stumps", "labels"])), seed)
    x = random_codes(space, ROWS, seed + 1)
    outside = rng.random(x.shape) < 0.06
    x = np.where(outside & space.continuous, space.high + rng.integers(1, 4, x.shape), x)
    rules = random_grammar(space, seed, int(rng.integers(0, 3)))
    rules += [rule for rule in on_effects(space, causal, rng) if rng.random() < 0.5]
    rows = space.rows(x)
    target = [model.classes[int(rng.integers(len(model.classes)))] for _ in range(ROWS)]
    return Case(space, causal, rules, model, rows, target)


def random_feature(rng: np.random.Generator, j: int) -> Feature:
    """A number of a few values, more often than a category; some may be missing."""
    gaps = {"missing": True, "fillable": bool(rng.random() < 0.5)} if rng.random() < 0.15 else {}
    if j == 0 or rng.random() < 0.7:
        low = int(rng.integers(-3, 5))
        return Continuous(
            f"n{j}", low, low + int(rng.integers(2, 7)), mad=float(rng.integers(1, 4)), **gaps
        )
    kind = ifonly.space.Ordinal if rng.random() < 0.5 else Categorical
    return kind(f"c{j}", tuple("abc"[: int(rng.integers(2, 4))]), **gaps)


def random_causes(space: Space, rng: np.random.Generator) -> ifonly.CausalModel:
    """One to three effects, whose equations are straight, bent or stepped."""
    numbers = [str(name) for name in np.array(space.names)[space.continuous]]
    order = [str(name) for name in rng.permutation(space.names)]
    effects = [name for name in order[1:] if name in numbers][: int(rng.integers(1, 4))]
    graph, equations = {}, {}
    for effect in effects:
        before = order[: order.index(effect)]
        causes = [name for name in before if rng.random() < 0.7] or before[:1]
        graph[effect] = tuple(causes)
        equations[effect] = equation(space, causes, rng)
    acted = [str(name) for name in space.names if rng.random() < 0.7]
    return ifonly.CausalModel(
        graph, equations, actions=acted if acted and rng.random() < 0.7 else None
    )


def equation(
    space: Space, causes: list[str], rng: np.random.Generator
) -> Callable[[pd.DataFrame], np.ndarray]:
    times = rng.integers(-2, 3, len(causes)).astype(float)
    bend = str(rng.choice(["straight", "bent", "stepped"]))
    inner = Space(tuple(space.features[space.index(name)] for name in causes))

    def value(frame: pd.DataFrame) -> np.ndarray:
        total = inner.codes(frame) @ times
        if bend == "bent":
            return np.abs(total)
        return np.asarray(np.floor(total / 2) * 2 if bend == "stepped" else total * 0.7)

    return value


def on_effects(
    space: Space, causal: ifonly.CausalModel, rng: np.random.Generator
) -> Iterator[Rule]:
    """Rules on what follows, many of which rows break as they are."""
    for name in causal.equations:
        feature = space.features[space.index(name)]
        assert isinstance(feature, Continuous)
        at = int(rng.integers(feature.low, feature.high + 1))
        choices: list[Rule] = [
            ifonly.at_least(name, at),
            ifonly.at_most(name, at),
            ifonly.between(name, at, at + 1),
            ifonly.increases(name),
            ifonly.decreases(name, at_least=1, at_most=3),
            ifonly.fixed(name),
            ifonly.only_increases(name),
            ifonly.changes(name),
        ]
        yield choices[int(rng.integers(len(choices)))]


def every_result(case: Case, causes: Causes, x: np.ndarray, wanted: Any) -> Iterator[np.ndarray]:
    """What each action on a row x [d] leads to, where that is an answer."""
    space = case.space
    choices = [values_of(f, x[j], causes.may_act(j)) for j, f in enumerate(space.features)]
    actions = np.array(list(product(*choices)))
    actions = actions[~same(actions, x)]
    if not len(actions):
        return
    results = causes.follow(x[None], actions[None])[0]
    own = (results == x) | (np.isnan(results) & np.isnan(x))
    inside = (results >= space.low) & (results <= space.high) & (space.round(results) == results)
    lawful = (own | inside | np.isnan(results)).all(axis=1)
    for rule in case.rules:
        lawful &= rule.holds(space, x[None], results[None])[0]
    results = results[lawful]
    if len(results):
        scores = np.asarray(case.model.scores(results))
        decided = case.model.decide(results)
        decided = scores.argmax(axis=1) if decided is None else decided
        yield from results[decided == case.model.classes.index(wanted)]


def values_of(feature: Feature, own: float, acts: bool) -> list[float]:
    """The values that an action may give to a feature."""
    if not acts or (np.isnan(own) and not feature.fillable):
        return [own]
    if isinstance(feature, Continuous):
        every = np.arange(feature.low, feature.high + 1).tolist()
    else:
        every = [float(place) for place in range(len(feature.levels))]
    return [own, *(value for value in every if value != own)]


def same(points: np.ndarray, one: np.ndarray) -> np.ndarray:
    """bool [n]: which of points [n, d] are one point [d]."""
    if not len(points):
        return np.zeros(0, dtype=bool)
    return np.asarray(((points == one) | (np.isnan(points) & np.isnan(one))).all(axis=1))
