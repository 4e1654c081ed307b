"""Rows without any answer are known at once, and only they, by bounds of the model."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeRegressor
from xgboost import XGBClassifier

import ifonly
from ifonly.solve.short import dead_ends

NAMES = list("abcde")
RULES = {
    "{} fixed": lambda new, old: new == old,
    "{} only increases": lambda new, old: new >= old,
    "{} only decreases": lambda new, old: new <= old,
}


def models(seed: int) -> tuple[pd.DataFrame, dict[str, tuple[Any, Any]]]:
    """A small table, and models of it with what is wanted of them."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(rng.integers(0, 5, (200, 5)), columns=NAMES)
    value = data @ rng.normal(size=5) + rng.normal(size=200)
    yes = (value > np.quantile(value, 0.8)).astype(int)
    three = pd.cut(value, 3, labels=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a network need not be fitted to the end
        network = MLPClassifier((8, 6), solver="lbfgs", max_iter=200, random_state=seed)
        network.fit(data, yes)
    middle = tuple(np.quantile(value, [0.9, 0.93]))
    return data, {
        "linear": (LogisticRegression().fit(data, yes), 1),
        "network": (network, 1),
        "forest": (RandomForestClassifier(8, random_state=seed, max_depth=4).fit(data, yes), 1),
        "xgboost": (XGBClassifier(n_estimators=8, n_jobs=1).fit(data, yes), 1),
        "three": (LogisticRegression().fit(data, three), 2),
        "range": (DecisionTreeRegressor(max_depth=5, random_state=seed).fit(data, value), middle),
    }


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["linear", "network", "forest", "xgboost", "three", "range"])
def test_law_no_row_with_an_answer_is_a_dead_end(kind: str, seed: int) -> None:
    data, fitted = models(seed)
    model, target = fitted[kind]
    rng, asked = np.random.default_rng(seed), ifonly.Explainer(model, data=data)
    every = pd.DataFrame(list(product(range(5), repeat=5)), columns=NAMES)
    low, high = target if kind == "range" else (target, target)
    good = every[(model.predict(every) >= low) & (model.predict(every) <= high)]
    known = without = 0
    for _ in range(12):
        rows = data.iloc[rng.choice(200, 6, replace=False)]
        own = {name: list(RULES)[rng.integers(3)] for name in NAMES if rng.random() < 0.7}
        most = int(rng.integers(1, 4))
        rules = [rule.format(name) for name, rule in own.items()]
        rules += [f"at most {most} feature{'s' * (most > 1)} change{'s' * (most == 1)}"]
        answers = asked.explain(rows, k=1, target=target, rules=rules, budget={"harder": False})
        for row, status in zip(rows.to_numpy(), answers.status, strict=True):
            allowed = (good != row).sum(axis=1) <= most
            for name, rule in own.items():
                allowed &= RULES[rule](good[name], row[NAMES.index(name)])
            without += not allowed.any()
            known += status == "infeasible"
            assert not (allowed.any() and status == "infeasible"), (row, rules)
    assert without > 10
    assert known >= 0.9 * without, (known, without)


def test_a_dead_end_is_told_without_a_search_that_goes_on() -> None:
    data, fitted = models(0)
    asked = ifonly.Explainer(fitted["network"][0], data=data)
    rules = [f"{name} fixed" for name in NAMES[1:]]
    rows = data[fitted["network"][0].predict(data) == 0][:20]
    soon = asked.explain(rows, k=1, rules=rules, budget={"harder": False})
    assert "infeasible" in soon.status
    row = soon.status.index("infeasible")
    assert "prove" in soon.notes[row]
    assert soon.record["finished_by"][row] == "bounds"
    assert asked.explain(rows, k=1, rules=rules).status[row] == "infeasible"


def test_choices_of_features_are_bounded_only_where_they_are_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dead_ends, "CHOICES", 0)
    data, fitted = models(1)
    rules = ["at most 1 feature changes"]
    answers = ifonly.explain(
        fitted["forest"][0], data[:5], data=data, k=1, rules=rules, budget={"harder": False}
    )
    assert set(answers.status) <= {"found", "already", "not_found", "infeasible"}
