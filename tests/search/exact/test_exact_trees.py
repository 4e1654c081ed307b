"""Boxes of points are branched over, and the nearest answer of trees comes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ifonly
from ifonly import Space
from ifonly.rules import as_rules, relation
from ifonly.search import Engine
from ifonly.space import Metric

from .fitted import Fitted
from .tried import Question, check


def forest(seed: int) -> tuple[Fitted, np.ndarray]:
    """Few trees, each sure of itself, whose votes are often even; and rows that they refuse."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.integers(0, 5, 80) for name in ("a", "b", "c")})
    outcome = (frame.sum(axis=1) + rng.normal(0, 1, 80) > 6).astype(int)
    model = RandomForestClassifier(4, random_state=seed).fit(frame, outcome)
    space = Space.infer(frame)

    def predict(codes: np.ndarray) -> np.ndarray:
        return np.asarray(model.predict(space.rows(codes)))

    x = space.codes(frame)
    return Fitted(model, space, (0, 1), predict), x[predict(x) == 0][:4]


def test_points_that_votes_leave_even_are_no_answers() -> None:
    for seed in range(5):
        model, x = forest(seed)
        question = Question(model, x, [1] * len(x))
        assert check(question.ask(), question)["found"]


def test_of_a_stretch_between_cuts_a_relation_can_leave_other_values_than_its_ends() -> None:
    model, x = forest(0)
    for rule in (relation({"a": 1, "b": 2}, "=", {"c": 1, "": 5}), relation("a", ">", "b")):
        question = Question(model, x, [1] * len(x), (rule,))
        check(question.ask(), question)


@pytest.fixture(scope="module")
def lent() -> tuple[Any, pd.DataFrame]:
    """A forest that splits incomes, savings and debts finely, and its table."""
    lender = ifonly.datasets.make_lender(1200, seed=0)
    encode = make_column_transformer(
        (OneHotEncoder(), ["education", "job"]), remainder="passthrough", sparse_threshold=0
    )
    forest = RandomForestClassifier(20, max_depth=8, random_state=0)
    return make_pipeline(encode, forest).fit(lender.frame, lender.outcome), lender.frame


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "rules",
    [
        [],
        ["debt <= 0.2 * income"],
        ["savings + debt <= 0.6 * income"],
        ["if education increases then age increases by at least 2"],
        ["at most 1 feature changes"],
    ],
    ids=str,
)
def test_of_points_drawn_from_all_that_cost_less_none_is_an_answer(
    lent: tuple[Any, pd.DataFrame], rules: list[str]
) -> None:
    model, frame = lent
    refused = frame[model.predict(frame) == "refused"][:3]
    asked = {"data": frame, "k": 1, "rules": rules}
    exact = ifonly.explain(model, refused, method="exact", **asked)
    assert exact.certificates()["proved"].all()
    other = ifonly.explain(model, refused, method=Engine("thorough"), **asked)
    cost = np.where(exact.filled, exact.price(), np.inf)[:, 0]
    assert (np.where(other.filled, other.price(), np.inf)[:, 0] >= cost * (1 - 1e-9)).all()
    tried = 0
    for row in np.flatnonzero(exact.filled[:, 0]):
        points = cheaper(exact.space, exact.x[row], exact.points[row, 0], seed=int(row))
        for rule in as_rules(rules, exact.space):
            points = points[rule.holds(exact.space, exact.x[[row]], points[None])[0]]
        tried += len(points)
        assert not len(points) or (model.predict(exact.space.rows(points)) == "refused").all()
    assert tried > 100


def cheaper(space: Space, x: np.ndarray, answer: np.ndarray, seed: int) -> np.ndarray:
    """[n, d] points that cost a row less than an answer does, around both."""
    rng = np.random.default_rng(seed)
    metric = Metric.of(space)
    cost = float(metric.price(answer[None], x[None])[0])
    share = rng.dirichlet(np.full(len(x), 0.05), 6000) * rng.random((6000, 1)) * cost
    near = np.where(rng.random((6000, 1)) < 0.5, x, answer)
    moved = near + rng.choice([-1, 1], share.shape) * share * metric.mad / metric.scale
    points = np.where(space.continuous, moved, np.where(rng.random(share.shape) < 0.9, x, answer))
    points = np.clip(space.round(points), space.low, space.high)
    return points[metric.price(points, x[None]) < cost * (1 - 1e-9)]
