"""Proofs hold at the edges: rows outside the space, odd weights, distances that just do."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import ifonly
from ifonly.errors import ModelError
from ifonly.search import Exact
from ifonly.space import Metric


def table(names: str, high: int, n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.integers(0, high + 1, n) for name in names})


def check_below(answers: ifonly.Answers, costs: list[np.ndarray]) -> None:
    """Assert that no bound is above what is best, and no proved answer further."""
    proofs = answers.certificates()
    for row, own in enumerate(costs):
        best = own.min(initial=np.inf)
        assert proofs["bound"][row] <= best * (1 + 1e-6)
        if proofs["proved"][row] and np.isfinite(best):
            assert proofs["price"][row] <= best * (1 + 1e-6)


def test_where_a_scaler_clips_a_row_outside_the_space_nothing_false_is_proved() -> None:
    frame = table("ab", 10)
    model = make_pipeline(MinMaxScaler(clip=True), LogisticRegression(C=100))
    model.fit(frame, (frame.a + frame.b > 10).astype(int))
    rows = pd.DataFrame({"a": 40, "b": np.arange(1, 11)})
    answers = ifonly.explain(model, rows, data=frame, method="exact", k=1, target=0)
    grid = np.array(list(product([40.0, *range(11)], range(11))))
    said = model.predict(pd.DataFrame(grid, columns=["a", "b"])) == 0
    metric = Metric.of(answers.space)
    check_below(answers, [metric.price(grid[said], own[None]) for own in answers.x])
    inside = ifonly.explain(model, frame[:5], data=frame, method="exact", k=1)
    assert inside.certificates()["proved"].all()


def test_beyond_the_range_that_trees_are_read_over_nothing_is_called_infeasible() -> None:
    frame = pd.DataFrame({"a": np.arange(400.0) % 101, "b": np.arange(400.0) % 11})
    log = FunctionTransformer(np.log1p, feature_names_out="one-to-one")
    model = make_pipeline(log, DecisionTreeClassifier(random_state=0))
    model.fit(frame, ((frame.a > 70) & (frame.b > 5)).astype(int))
    answers = ifonly.explain(
        model,
        pd.DataFrame({"a": [80.0], "b": [2.0]}),
        data=frame[frame.a <= 50],
        method="neighbours",
        certify=True,
        k=1,
        target=1,
    )
    assert answers.status[0] != "infeasible"


@pytest.mark.sample(4)
@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("unit", [1e-12, 1e-9, 1e-7, 1.0, 1e9])
@pytest.mark.parametrize("kind", ["linear", "network", "tree"])
def test_weights_of_any_size_give_the_nearest(kind: str, unit: float) -> None:
    frame = table("abc", 20)
    outcome = (frame.a + 2 * frame.b - frame.c > 20).astype(int)
    model: Any = {
        "linear": LogisticRegression(max_iter=1000),
        "network": MLPClassifier((6,), random_state=1, max_iter=200),
        "tree": DecisionTreeClassifier(max_depth=5),
    }[kind].fit(frame, outcome)
    weights = {"a": unit, "b": 1.3 * unit, "c": 0.7 * unit}
    answers = ifonly.explain(model, frame[:4], data=frame, method="exact", k=1, weights=weights)
    grid = np.array(list(product(range(21), repeat=3)), dtype=float)
    said = model.predict(pd.DataFrame(grid.astype(int), columns=list("abc")))
    own = model.predict(frame[:4])
    metric = Metric.of(answers.space)
    costs = [metric.price(grid[said != own[i]], answers.x[[i]]) for i in range(4)]
    check_below(answers, costs)
    assert answers.certificates()["proved"].all()


def test_of_prices_too_far_apart_nothing_false_is_proved() -> None:
    frame = table("abc", 20)
    model = LogisticRegression(max_iter=1000).fit(frame, frame.a + 2 * frame.b - frame.c > 20)
    weights = {"a": 1e-8, "b": 2e-8, "c": 1e8}
    answers = ifonly.explain(model, frame[:4], data=frame, method="exact", k=1, weights=weights)
    grid = np.array(list(product(range(21), repeat=3)), dtype=float)
    said, own = model.predict(pd.DataFrame(grid, columns=list("abc"))), model.predict(frame[:4])
    metric = Metric.of(answers.space)
    check_below(answers, [metric.price(grid[said != own[i]], answers.x[[i]]) for i in range(4)])


def test_an_answer_just_so_far_apart_ends_nothing() -> None:
    frame = table("ab", 10)
    model = DecisionTreeClassifier(max_depth=4).fit(frame, (frame.a + frame.b > 10).astype(int))
    refused = frame[model.predict(frame) == 0][:3]
    whole = ifonly.explain(model, refused, data=frame, k=3, method=Exact(apart=0.1))
    metric = Metric.of(whole.space)
    away = [float(metric.distance(one[:1], one[1:2])[0]) for one in whole.points]
    for apart in (away[0], float(np.nextafter(away[0], np.inf))):
        answers = ifonly.explain(model, refused, data=frame, k=3, method=Exact(apart=apart))
        assert answers.filled.all()


def test_a_range_without_ends_leaves_the_rules_alone() -> None:
    frame = table("ab", 10)
    model = DecisionTreeRegressor(max_depth=3).fit(frame, frame.a * 1.0)
    answers = ifonly.explain(
        model,
        pd.DataFrame({"a": [2], "b": [3]}),
        data=frame,
        method="exact",
        k=2,
        target=(-np.inf, np.inf),
        rules=["a >= b"],
    )
    assert answers.filled.all()
    assert (answers.points[0, :, 0] >= answers.points[0, :, 1]).all()


def test_a_model_of_one_class_is_refused() -> None:
    frame = table("ab", 10)
    model = RandomForestClassifier(3).fit(frame, np.zeros(len(frame)))
    with pytest.raises(ModelError, match="only one class"):
        ifonly.explain(model, frame[:1], data=frame, method="exact", k=1, target=0)


def test_ends_of_a_range_are_values_of_it() -> None:
    space = ifonly.Space.describe(
        {"name": "a", "low": 0.1 + 0.2, "high": 1.0, "decimals": 1},
        {"name": "b", "low": 0, "high": 10},
    )
    frame = table("ab", 7)
    frame["a"] = (frame.a + 3) / 10
    model = DecisionTreeClassifier(max_depth=3)
    model.fit(frame, ((frame.a < 0.35) | (frame.b > 6)).astype(int))
    rows = pd.DataFrame({"a": [0.8], "b": [3]})
    answers = ifonly.explain(model, rows, space=space, method="exact", k=1, target=1)
    assert answers.certificates()["proved"].all()
