"""By default, the user's own model and the rules reject every smaller set of changes, and every
number that lies a step, or half of the way, nearer to the row's.

Models and rules are drawn at random, with and without causes; every proper subset of the changes
of every answer is tried by brute force, on the frames that the model itself is asked with.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ifonly
from ifonly.errors import RuleError
from ifonly.search import Engine
from ifonly.testing import random_rules

NUMBERS, CATEGORIES = ["age", "income", "debt", "visits"], ["job", "plan", "home"]
CAUSES = {"income": ("age", "visits")}


def drawn(seed: int) -> tuple[pd.DataFrame, Any]:
    """A table, and a model that was fitted on a rule of its own with interactions."""
    rng = np.random.default_rng(seed)
    n = 300
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.integers(5, 60, n) * 100,
            "debt": rng.normal(3, 1, n).round(1),
            "visits": rng.integers(0, 6, n),
            "job": rng.choice(list("xyz"), n),
            "plan": rng.choice(["p", "q"], n),
            "home": rng.choice(["own", "rent", "none"], n),
        }
    )
    numbers = (data[NUMBERS] - data[NUMBERS].mean()) / data[NUMBERS].std()
    levels = np.column_stack([data[name] == data[name].iloc[0] for name in CATEGORIES])
    parts = np.column_stack([numbers, 2.0 * levels - 1])
    crossed = parts @ rng.normal(size=7) + 2 * (parts @ rng.normal(size=7)) * parts[:, 4]
    makers: list[Callable[[], Any]] = [
        lambda: LogisticRegression(max_iter=500),
        lambda: GradientBoostingClassifier(n_estimators=15, random_state=seed),
        lambda: DecisionTreeClassifier(random_state=seed),
        lambda: MLPClassifier((8,), max_iter=60, random_state=seed),
        lambda: RandomForestClassifier(4, random_state=seed),  # half of the votes are common
    ]
    encode = make_column_transformer((OneHotEncoder(), CATEGORIES), (StandardScaler(), NUMBERS))
    model = make_pipeline(encode, makers[seed % len(makers)]())
    return data, model.fit(data, np.asarray(crossed > np.median(crossed)).astype(int))


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.draws(40)
def test_no_set_of_changes_can_be_reverted(seed: int, tally: Callable[[str, int], None]) -> None:
    data, model = drawn(seed)
    causes = None
    if seed % 3 == 0:
        causes = ifonly.CausalModel.fit(CAUSES, data)
    space = ifonly.Space.infer(data)
    rules = random_rules(space, seed)[: seed % 4] if causes is None else []
    try:
        explainer = ifonly.Explainer(model, data=data, causes=causes, rules=rules)
    except RuleError:  # rules drawn at random may leave no value
        return
    answers = explainer.explain(data[:20], k=3, seed=seed)
    checked = 0
    acted = answers.acted_features()
    for q, place in np.argwhere(answers.filled & ~answers.extra):
        x = answers.x[q]
        changed = np.flatnonzero(acted[q, place])
        sets = list(chain.from_iterable(combinations(changed, n) for n in range(1, len(changed))))
        if not sets:
            continue
        actions = np.repeat(x[None], len(sets), axis=0)
        for one, kept in zip(actions, sets, strict=True):
            one[list(kept)] = answers.points[q, place][list(kept)]
        points = actions[None]
        if causes is not None:
            points = causes.bind(space).follow(x[None], points)
        wanted = model.predict(space.rows(points[0])) == answers.wanted[q]
        inside = (points[0] >= space.low) & (points[0] <= space.high) | ~space.continuous
        wanted &= (inside | (points[0] == x)).all(axis=1)  # what follows must not leave the range
        for rule in explainer.setting.rules:
            wanted &= rule.holds(space, x[None], points)[0]
        assert not wanted.any(), (q, place, [space.names[j] for j in changed])
        checked += len(sets)
    tally("smaller sets of changes checked", checked)


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.draws(20)
def test_no_number_can_come_nearer(seed: int, tally: Callable[[str, int], None]) -> None:
    data, model = drawn(seed)
    space = ifonly.Space.infer(data)
    rules = random_rules(space, seed)[: seed % 3]
    try:
        explainer = ifonly.Explainer(
            model, data=data, method=Engine(round_numbers=False), rules=rules
        )
    except RuleError:
        return
    answers = explainer.explain(data[:20], k=3, seed=seed)
    step = 10.0**-space.decimals
    nearer, wanted = [], []
    for q, place in np.argwhere(answers.filled & ~answers.extra):
        x, point = answers.x[q], answers.points[q, place]
        for j in np.flatnonzero(space.continuous & (point != x)):
            for value in (point[j] - np.sign(point[j] - x[j]) * step[j], (point[j] + x[j]) / 2):
                near = point.copy()
                near[j] = space.round(np.where(space.continuous, value, 0.0))[j]
                if abs(near[j] - x[j]) < abs(point[j] - x[j]) and near[j] != x[j]:
                    nearer.append((q, near))
                    wanted.append(answers.wanted[q])
    if not nearer:
        return
    points = np.array([near for _, near in nearer])
    scores = model.predict_proba(space.rows(points))
    # Where the two classes are as good as equal, a faster way to the scores may see the other.
    valid = (scores.argmax(axis=1) == np.array(wanted)) & (np.ptp(scores, axis=1) > 1e-5)
    for rule in explainer.setting.rules:
        rows = answers.x[[q for q, _ in nearer]]
        valid &= rule.holds(space, rows, points[:, None])[:, 0]
    tally("nearer values checked", len(nearer))
    assert not valid.any(), points[valid]
