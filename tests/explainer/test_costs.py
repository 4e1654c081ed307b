"""What is hard to change is said once, and distance, refinement and selection all heed it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import OptionError
from ifonly.space import Metric

GRADES = ["low", "mid", "high"]
RNG = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        "income": RNG.integers(10, 100, 200),
        "hours": RNG.integers(10, 60, 200),
        "job": RNG.choice(["Sales", "Service", "Office"], 200),
        "grade": pd.Categorical(RNG.choice(GRADES, 200), GRADES, ordered=True),
    }
)
EITHER = ifonly.as_model(lambda f: (f["income"] >= 60) | (f["hours"] >= 40), classes=["no", "yes"])
ROWS = DATA[(DATA["income"] < 60) & (DATA["hours"] < 40)][:10]


def explain(weights: Any = None, model: Any = EITHER, **options: Any) -> ifonly.Answers:
    settings = {"k": 1, "diversity": 0.0, **options}
    return ifonly.explain(model, ROWS, data=DATA, weights=weights, **settings)


def test_a_dear_way_up_is_avoided() -> None:
    income, hours = (
        explain({name: ifonly.cost(up=50)}).changes()["feature"] for name in ("income", "hours")
    )
    assert set(income) == {"hours"}
    assert set(hours) == {"income"}


def test_a_dear_way_down_does_not_matter_to_what_goes_up() -> None:
    plain, dear = explain(), explain({"income": ifonly.cost(down=50)})
    assert plain.changes().equals(dear.changes())
    assert np.array_equal(plain.distance(), dear.distance())


def test_the_distance_of_answers_is_what_they_cost() -> None:
    answers = explain({"income": ifonly.cost(up=2, down=3), "hours": 5.0})
    metric = Metric.of(answers.space)
    move = answers.points - answers.x[:, None]
    mad = metric.mad[:2]
    gaps = np.abs(move[:, :, :2]) / mad / 2
    factors = np.where(move[:, :, :2] > 0, [2.0, 5.0], [3.0, 5.0])
    other = answers.changed()[:, :, 2:].sum(axis=-1) / 2
    expected = (gaps * factors).sum(axis=-1) + other
    assert np.allclose(answers.distance()[answers.filled], expected[answers.filled])


def test_moves_between_levels_have_their_own_prices() -> None:
    jobs = ifonly.as_model(lambda f: f["job"] != "Sales", classes=["no", "yes"])
    moves = {("Sales", "Service"): 0.1, ("Sales", "Office"): 3.0}
    rows = DATA[DATA["job"] == "Sales"][:5]
    for cheap, dear in (("Service", "Office"), ("Office", "Service")):
        priced = {("Sales", cheap): 0.1, ("Sales", dear): 3.0}
        weights = {"job": ifonly.cost(moves=priced)}
        answers = ifonly.explain(
            jobs, rows, data=DATA, weights=weights, k=1, rules=["only job change"]
        )
        assert set(answers.frame()["job"]) == {cheap}
        assert np.allclose(answers.distance()[answers.filled], 0.05)
    assert len(moves) == 2


def test_costs_survive_json() -> None:
    weights = {"income": ifonly.cost(up=2), "job": ifonly.cost(moves={("Sales", "Office"): 2.5})}
    answers = explain(weights)
    again = ifonly.Answers.from_json(answers.to_json())
    assert np.array_equal(again.distance(), answers.distance())
    assert again.space.weights == answers.space.weights


def test_a_cost_of_one_each_way_changes_nothing() -> None:
    plain = explain(k=3, diversity=0.5)
    same = explain({"income": ifonly.cost(), "grade": ifonly.cost()}, k=3, diversity=0.5)
    assert np.array_equal(plain.points, same.points, equal_nan=True)


@pytest.mark.parametrize(
    ("weights", "told", "hint"),
    [
        ({"job": ifonly.cost(up=2)}, "'job'", "ordinal="),
        ({"income": ifonly.cost(moves={("a", "b"): 1})}, "'income'", "up=2"),
        ({"job": ifonly.cost(moves={("Sales", "Servise"): 1})}, "'Servise'", "'Service'"),
        ({"incom": ifonly.cost(up=2)}, "'incom'", "'income'"),
    ],
)
def test_a_cost_that_does_not_fit_is_told(weights: Any, told: str, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        explain(weights)
    assert told in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize("factor", [0, -1, float("nan"), "two", True])
def test_a_factor_that_is_not_positive_is_told(factor: Any) -> None:
    with pytest.raises(OptionError, match="cost"):
        ifonly.cost(up=factor)
