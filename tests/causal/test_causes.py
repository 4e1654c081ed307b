"""With a causal model an answer is an action, and everything downstream follows."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.datasets import make_lender
from ifonly.errors import OptionError
from ifonly.solve.method import SEARCHERS

LENDER = make_lender(2000, seed=3)
MODEL = ifonly.as_model(LENDER.approves, classes=["refused", "approved"])
REFUSED = LENDER.frame[LENDER.outcome == "refused"][:8]
ACTIONS = ["education", "job", "debt", "loan"]
TRUE = ifonly.CausalModel(LENDER.graph, LENDER.equations, actions=ACTIONS)


def explain(causes: Any, rows: pd.DataFrame = REFUSED, **options: Any) -> ifonly.Answers:
    return ifonly.explain(MODEL, rows, data=LENDER.frame, causes=causes, k=3, **options)


@cache
def known(method: str = "auto") -> ifonly.Answers:
    return explain(TRUE, method=method)


def consequences(answers: ifonly.Answers) -> np.ndarray:
    """By how much each number of each answer is off the true result of its actions."""
    frame, changes = answers.frame().reset_index(drop=True), answers.changes()
    off = []
    for place, line in frame.iterrows():
        mine = changes[(changes["query"] == line["query"]) & (changes["answer"] == line["answer"])]
        acted = mine[~mine["follows"]]
        actions = dict(zip(acted["feature"], acted["after"], strict=True))
        row = REFUSED.iloc[[line["query"]]]
        true = LENDER.intervene(row, **actions).iloc[0]
        numbers = ["age", "income", "savings", "debt", "loan"]
        off.append((frame.loc[place, numbers] - true[numbers]).to_numpy(float))
        assert (frame.loc[place, ["education", "job"]] == true[["education", "job"]]).all()
    return np.array(off)


@pytest.mark.parametrize(
    "method", [name for name in SEARCHERS if name not in ("gradient", "exact", "surrogate")]
)
def test_what_follows_is_what_the_true_equations_say(method: str) -> None:
    answers = known(method)
    assert answers.filled.sum() >= 12
    assert (consequences(answers) == 0).all()
    assert LENDER.approves(answers.frame()[list(LENDER.frame)]).all()


def test_fitted_equations_are_off_by_little() -> None:
    """Linear ones by at most 700 of incomes around 30,000: two thousand rows tell them so well."""
    fitted = ifonly.CausalModel.fit(LENDER.graph, LENDER.frame, actions=ACTIONS)
    off = np.abs(consequences(explain(fitted)))
    assert off.max() < 700
    assert off.mean() < 60


def test_only_actions_cost_and_only_what_can_be_acted_on_is() -> None:
    answers = known()
    assert answers.acted is not None
    acted = np.array(answers.space.names)[answers.acted.any(axis=(0, 1))]
    assert set(acted) <= set(ACTIONS)
    follows = answers.changed() & ~answers.acted
    assert follows.any()
    done = np.where(answers.acted, answers.points, answers.x[:, None])
    assert np.array_equal(answers.distance(), answers.metric.distance(done, answers.x[:, None]))
    every = answers.metric.distance(answers.points, answers.x[:, None])
    assert (answers.distance() <= every + 1e-12).all()
    assert (answers.distance() < every)[follows.any(axis=-1)].all()


def test_rules_bind_what_follows_too() -> None:
    rules = ["income at most 30000", "savings only increases", "age fixed"]
    answers = explain(TRUE, rules=rules)
    frame = answers.frame()
    own = REFUSED.iloc[frame["query"]]
    assert len(frame) > 8
    assert (frame["income"] <= 30_000).all()
    assert (frame["savings"] >= own["savings"]).all()
    assert (consequences(answers) == 0).all()


def test_actions_and_consequences_are_told_apart_everywhere() -> None:
    answers = known()
    row, place = np.argwhere((answers.changed() & ~answers.acted).any(axis=-1))[0]
    sentence = answers.sentences()[row][place]
    assert ", so that " in sentence
    assert " would be " in sentence
    assert "(follows)" in answers.to_html()
    again = ifonly.Answers.from_json(answers.to_json())
    assert np.array_equal(again.acted, answers.acted)
    assert again.changes().equals(answers.changes())
    assert np.array_equal(again.distance(), answers.distance())
    assert json.loads(answers.to_json())["acted"] is not None


def test_a_row_gets_the_same_answers_alone() -> None:
    together = known()
    for place in range(4):
        alone = explain(TRUE, rows=REFUSED[place : place + 1])
        assert np.array_equal(alone.points[0], together.points[place])


def test_no_two_answers_are_the_same_row() -> None:
    frame = known().frame()
    assert not frame.duplicated(["query", *LENDER.frame]).any()


def test_a_frontier_keeps_what_follows() -> None:
    answers = known()
    for chosen in answers.frontier([0, 1]).values():
        assert (consequences(chosen) == 0).all()


def test_causes_of_another_kind_are_refused() -> None:
    with pytest.raises(OptionError, match="education causes age"):
        explain({"income": ["age"]})
    with pytest.raises(OptionError, match="'edukation'"):
        explain(ifonly.CausalModel(LENDER.graph, LENDER.equations, actions=["edukation"]))
