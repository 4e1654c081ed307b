"""MixedIntegerCF: against enumeration on small spaces, and on the paper's linear models."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

import ifonly
from ifonly import recipes
from ifonly.errors import ModelError, OptionError
from ifonly.models import Dense
from ifonly.models.reading import read
from ifonly.search.exact.mixed_integer import MixedInteger
from ifonly.space import Categorical, Metric
from ifonly.testing import check_searcher, random_problem

SPACE = ifonly.Space.describe(
    {"name": "income", "low": 0, "high": 6, "mad": 2},
    {"name": "debt", "low": -1, "high": 3, "mad": 1},
    {"name": "job", "levels": ["a", "b", "c"]},
    {"name": "home", "levels": ["own", "rent"]},
)
SPECIAL: dict[str, tuple[float, ...]] = {"debt": (-1.0, 3.0), "income": ()}
EVERY = np.array(list(product(range(7), range(-1, 4), range(3), range(2))), dtype=np.float64)
Moves = frozenset[tuple[int, float | None]]


def linear(seed: int) -> Dense:
    """A linear model over the space that gives each outcome to about half of it."""
    kernel = np.random.default_rng(seed).normal(size=(SPACE.offsets[-1], 1))
    middle = np.median(SPACE.units(EVERY) @ kernel)
    return Dense([(kernel, np.array([-middle]))], SPACE, (0, 1))


def moves(x: np.ndarray, point: np.ndarray, special: dict[str, tuple[float, ...]]) -> Moves:
    """The moves from a row to a point: (feature, level), or (feature, None) within a range."""
    free = [
        bool(number) and code not in special.get(name, ())
        for name, number, code in zip(SPACE.names, SPACE.continuous, point, strict=True)
    ]
    return frozenset(
        (j, None if free[j] else float(code)) for j, code in enumerate(point) if code != x[j]
    )


@given(seed=st.integers(0, 10_000), special=st.sampled_from([{}, SPECIAL]))
@settings(max_examples=40, deadline=None)
def test_each_answer_is_the_nearest_that_makes_no_earlier_move(
    seed: int, special: dict[str, tuple[float, ...]]
) -> None:
    model = linear(seed)
    x = EVERY[np.random.default_rng(seed).integers(len(EVERY))]
    row = SPACE.rows(x[None])
    answers = recipes.mixed_integer_cf(model, row, space=SPACE, k=8, special=special)
    decided = np.asarray(model.scores(EVERY)).argmax(axis=1)
    wanted = EVERY[decided != np.asarray(model.scores(x[None])).argmax()]
    metric, made = Metric.of(SPACE), set()
    for point, filled in zip(answers.points[0], answers.filled[0], strict=True):
        left = np.array([one for one in wanted if not moves(x, one, special) & made])
        assert filled == bool(len(left))
        if not filled:
            break
        assert not moves(x, point, special) & made
        assert metric.cost(point, x) == pytest.approx(metric.cost(left, x[None]).min())
        made |= moves(x, point, special)


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", ["linear", "three classes", "regression"])
def test_the_laws_of_a_searcher_hold(kind: str) -> None:
    problems = [random_problem(seed, kind, q=3) for seed in range(4)]
    told = [
        replace(one, reading=read(one.model.model, one.model.model, one.space, one.x))
        for one in problems
    ]
    check_searcher(MixedInteger(), told)


def test_where_no_answer_is_left_the_row_is_partial_and_the_first_is_proved() -> None:
    answers = recipes.mixed_integer_cf(linear(3), SPACE.rows(EVERY[:1]), space=SPACE, k=9)
    assert answers.status == ("partial",)
    assert answers.filled.sum() >= 1
    table = pd.DataFrame(answers.certificates())
    assert table["proved"].all()


def test_rules_are_obeyed() -> None:
    rules = ["job fixed", "income only increases"]
    rows = SPACE.rows(EVERY[::9])
    answers = recipes.mixed_integer_cf(linear(1), rows, space=SPACE, k=4, rules=rules)
    points, x = answers.points[answers.filled], np.repeat(answers.x[:, None], 4, axis=1)
    x = x[answers.filled]
    assert len(points)
    assert (points[:, 2] == x[:, 2]).all()
    assert (points[:, 0] >= x[:, 0]).all()


def test_a_network_and_trees_are_refused_by_name(refused: Any) -> None:
    rng = np.random.default_rng(0)
    hidden = (rng.normal(size=(SPACE.offsets[-1], 3)), np.zeros(3))
    network = Dense([hidden, (rng.normal(size=(3, 1)), np.zeros(1))], SPACE, (0, 1))
    data = pd.DataFrame({"income": range(20), "debt": [3, 1] * 10})
    forest = RandomForestClassifier(5, random_state=0).fit(data, data["income"] > 9)
    opaque = ifonly.as_model(lambda frame: frame["income"] > 9, classes=["no", "yes"])
    for model, told, given_data in (
        (network, "a network of 2 layers", {"space": SPACE}),
        (forest, "a sum of 5 trees", {"data": data}),
        (opaque, "cannot be read", {"data": data}),
    ):
        rows = SPACE.rows(EVERY[:1]) if "space" in given_data else data[:1]
        refused(
            ModelError,
            told,
            hint="method=",
            ask=partial(recipes.mixed_integer_cf, model, rows, k=2, **given_data),
        )


@pytest.mark.parametrize(
    ("special", "told", "hint"),
    [
        ({"incme": [1]}, "incme", "income"),
        ({"job": [1]}, "category", "leave it out"),
        ({"income": [7]}, "7", "from 0"),
        ({"income": [0.5]}, "0.5", "steps of 1"),
    ],
)
def test_special_levels_that_do_not_fit_are_refused(
    refused: Any, special: dict[str, list[float]], told: str, hint: str
) -> None:
    row = SPACE.rows(EVERY[:1])
    ask = partial(recipes.mixed_integer_cf, linear(0), row, space=SPACE, k=2, special=special)
    refused(OptionError, told, hint=hint, ask=ask)


@pytest.mark.skipif(
    not {"IFONLY_PAPER", "IFONLY_DATA"} <= set(os.environ),
    reason="IFONLY_PAPER and IFONLY_DATA do not name the folders of the paper's records and data",
)
def test_it_runs_out_of_answers_on_compas_and_diverse_cf_does_not() -> None:
    """The paper: no more than four for any row; of its 325 rows a few do have more here."""
    model, rows, space = published("compas")
    mixed = recipes.mixed_integer_cf(model, rows[:80], space=space, k=6)
    found = mixed.filled.sum(axis=1)
    assert (found <= 4).mean() > 0.85
    assert found.mean() < 4
    diverse = recipes.diverse_cf(model, rows[:80], space=space, k=6)
    assert diverse.filled.mean() > 0.99
    full = found >= 4
    spread = [one.metrics()["count_diversity"].to_numpy()[full].mean() for one in (diverse, mixed)]
    assert spread[0] > spread[1]


def published(name: str) -> tuple[Dense, pd.DataFrame, ifonly.Space]:
    """The paper's linear model of a data set, and the rows that it explained."""
    folder = Path(os.environ["IFONLY_PAPER"])
    record = json.loads((folder / "models.json").read_text())[name]
    dataset = ifonly.datasets.load(name)
    train, _ = dataset.split()
    space = ifonly.Space.infer(train.features, categorical=dataset.categorical)
    columns = [(one["feature"], str(one.get("level"))) for one in record["columns"]]
    order = [
        columns.index((feature.name, str(level)))
        for feature in space.features
        for level in (feature.levels if isinstance(feature, Categorical) else [None])
    ]
    layers = record["models"]["linear"]["layers"]
    kernel, bias = np.array(layers[0]["kernel"])[order], np.array(layers[0]["bias"])
    rows = json.loads((folder / "queries.json").read_text())[name]["rows"]
    return Dense([(kernel, bias)], space, (0, 1)), dataset.features.iloc[rows], space
