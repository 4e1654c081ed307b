"""Solving finds what trying every point finds: the same price, or that there is none."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ifonly
from ifonly import Space
from ifonly.models import Dense
from ifonly.rules import between

from .fitted import CASES, Fitted, fitted, scored
from .tried import Question, check, random_question


@pytest.mark.sample(5)
@pytest.mark.parametrize(("kind", "task"), CASES, ids=map(" ".join, CASES))
def test_a_model_of_any_kind_is_solved_as_trying_every_point_solves_it(
    kind: str, task: str
) -> None:
    rng = np.random.default_rng(zlib.crc32(f"{kind} {task}".encode()))
    for _ in range(6):  # until a row has an answer: a model may say the same of every point
        question = random_question(fitted(kind, task, rng), rng)
        if check(question.ask(), question)["found"]:
            return
    raise AssertionError("no row had an answer")


@pytest.mark.sample(4)
@given(seed=st.integers(0, 2**32 - 1), case=st.sampled_from(CASES))
@settings(max_examples=20, deadline=None)
def test_so_is_one_of_any_table(seed: int, case: tuple[str, str]) -> None:
    rng = np.random.default_rng(seed)
    question = random_question(fitted(*case, rng), rng, q=3)
    check(question.ask(), question)


def test_a_missing_value_that_adds_nothing_is_in_the_range_of_a_hidden_unit() -> None:
    space = Space.describe(
        {"name": "a", "low": 0, "high": 9, "missing": True, "fillable": True},
        {"name": "b", "low": 0, "high": 4},
    )
    # With a at 5 or more, or missing: the unit is on where it is missing alone.
    layers = [(np.array([[-6.0], [2.0]]), np.array([-1.0])), (np.array([[4.0]]), np.array([-2.0]))]
    model = Dense(layers, space, ("no", "yes"))
    question = Question(
        scored(model, model, space, ("no", "yes")),
        np.array([[np.nan, 0.0], [np.nan, 2.0], [7.0, 1.0]]),
        ["yes", "yes", "yes"],
        (between("a", 5, 9),),
    )
    counts = check(question.ask(), question)
    assert counts == {"found": 2, "infeasible": 1, "already": 0}


def compas(model: Any, space: Space, rows: Any) -> None:
    """Assert that each row's answer is the nearest of all that the space has."""
    adapted = ifonly.models.adapt(model, space, space.codes(rows[:1]))

    def predict(codes: np.ndarray) -> np.ndarray:
        decided = adapted.decide(codes)
        if decided is None:
            return scored(model, adapted, space, adapted.classes).predict(codes)
        return np.array(adapted.classes, dtype=object)[decided]

    x = space.codes(rows)
    own = predict(x)
    targets = [next(one for one in adapted.classes if one != said) for said in own]
    question = Question(Fitted(model, space, adapted.classes, predict), x, targets)
    assert check(question.ask(), question)["found"] > len(rows) / 2


PAPER = os.environ.get("IFONLY_PAPER")


@pytest.mark.skipif(not PAPER, reason="IFONLY_PAPER is not set: the paper's models are not here")
@pytest.mark.parametrize("kind", ["linear", "ann"])
def test_the_papers_models_of_compas_are_solved_as_all_of_its_points_say(kind: str) -> None:
    records = json.loads((Path(str(PAPER)) / "models.json").read_text())["compas"]
    queries = json.loads((Path(str(PAPER)) / "queries.json").read_text())["compas"]
    data = ifonly.datasets.load("compas")
    space = Space.infer(data.split()[0].features, categorical=data.categorical)
    own = [(one["feature"], str(one.get("level"))) for one in records["columns"]]
    wanted = [
        (feature.name, str(level))
        for feature in space.features
        for level in getattr(feature, "levels", (None,))
    ]
    layers = [
        (np.array(one["kernel"]), np.array(one["bias"]))
        for one in records["models"][kind]["layers"]
    ]
    layers[0] = layers[0][0][[own.index(column) for column in wanted]], layers[0][1]
    compas(Dense(layers, space, (0, 1)), space, data.features.iloc[queries["rows"]][:25])


def test_a_forest_of_compas_is_solved_as_all_of_its_points_say() -> None:
    train, test = ifonly.datasets.load("compas").split()
    names = list(train.categorical)
    encode = make_column_transformer((OneHotEncoder(), names), remainder="passthrough")
    forest = RandomForestClassifier(8, max_depth=6, random_state=0)
    model = make_pipeline(encode, forest).fit(train.features, train.outcome)
    compas(model, Space.infer(train.features, categorical=names), test.features[:25])
