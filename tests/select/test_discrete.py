"""Columns that have few values: answers take one of these, where outcome and rules allow it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import ifonly
from ifonly import Space
from ifonly.search import Engine
from ifonly.select.discrete import between
from ifonly.space import Continuous
from ifonly.space.infer import discrete_values

RNG = np.random.default_rng(0)
CODES = {
    "school": [9, 12, 14, 16, 20],
    "children": [0.0, 1.0, 2.0, 3.0, 5.5],
    "years": [0.5, 6, 23],
}
DATA = pd.DataFrame({name: RNG.choice(values, 600) for name, values in CODES.items()}).assign(
    income=RNG.integers(20, 90, 600)
)
GAIN = DATA["school"] - 2 * DATA["children"] + DATA["years"] / 4 + DATA["income"] / 10
OUTCOME = np.where(GAIN + RNG.normal(0, 2, 600) > GAIN.median() + 3, "yes", "no")
MODELS = {
    "linear": LogisticRegression(max_iter=1000),
    "forest": RandomForestClassifier(40, min_samples_leaf=3, random_state=0),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> Any:
    return MODELS[request.param].fit(DATA, OUTCOME)


def asked(model: Any, count: int = 40) -> pd.DataFrame:
    return DATA[model.predict(DATA) == "no"][:count].reset_index(drop=True)


def test_columns_of_discrete_values_are_found() -> None:
    space = Space.infer(DATA)
    found = {one.name: one.discrete for one in space.features}  # type: ignore[union-attr]
    assert found == {
        **{name: tuple(map(float, values)) for name, values in CODES.items()},
        "income": (),
    }
    assert Space.from_json(space.to_json()) == space


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3, 4],  # none is left out
        [1, 2, 3, 4, 6],  # hardly any is
        list(range(0, 42, 2)),  # not few
        [7],
    ],
)
def test_columns_of_other_values_are_not(values: list[int]) -> None:
    assert discrete_values(np.repeat(np.array(values, float), 30), decimals=0) == ()


def test_a_value_that_is_rare_is_no_code() -> None:
    assert discrete_values(np.array([0.0] * 30 + [5.0] * 30 + [9.0] * 2), decimals=0) == ()


@pytest.mark.parametrize("precision", [0, 1])
def test_a_stated_precision_leaves_no_codes(precision: int) -> None:
    space = Space.infer(DATA, precision={"children": precision})
    children = space.features[1]
    assert isinstance(children, Continuous)
    assert children.discrete == ()


def test_every_answer_takes_known_values(model: Any) -> None:
    answers = ifonly.explain(model, asked(model), data=DATA, k=3)
    assert answers.filled.all()
    found = answers.frame()[lambda frame: ~frame["extra"]]
    odd = pd.DataFrame({name: ~found[name].isin(values) for name, values in CODES.items()})
    assert not odd.to_numpy().any()


def test_law_what_is_between_known_values_stays_only_where_the_next_one_fails(model: Any) -> None:
    answers = ifonly.explain(model, asked(model), data=DATA, k=3)
    kept = answers.filled & ~answers.extra
    points, x = answers.points[kept], np.repeat(answers.x, kept.sum(axis=1), axis=0)
    for j, values in enumerate(CODES.values()):
        known = np.array(values, float)
        off = (points[:, j] != x[:, j]) & ~np.isin(points[:, j], known)
        for point, own in zip(points[off], x[off], strict=True):
            beyond = known[known > point[j]] if point[j] > own[j] else known[known < point[j]][::-1]
            further = point.copy()
            further[j] = beyond[0]
            assert model.predict(answers.space.rows(further[None])) == "no"


def test_law_no_known_value_in_the_middle_of_the_way_is_enough(model: Any) -> None:
    answers = ifonly.explain(model, asked(model), data=DATA, k=3)
    kept = answers.filled & ~answers.extra
    points, x = answers.points[kept], np.repeat(answers.x, kept.sum(axis=1), axis=0)
    for j, values in enumerate(CODES.values()):
        for known in values:
            inside = (known - x[:, j]) * (points[:, j] - known) > 0
            trial = points[inside].copy()
            trial[:, j] = known
            if len(trial):
                assert (model.predict(answers.space.rows(trial)) == "no").all()


def test_a_rule_comes_before_known_values() -> None:
    model = MODELS["linear"].fit(DATA, OUTCOME)
    rows = asked(model)[lambda frame: frame["school"] < 13][:5]
    rules = [ifonly.fixed("children", "years", "income"), "school at most 19"]
    answers = ifonly.explain(model, rows, data=DATA, k=1, rules=rules)
    odd = answers.frame()["school"][lambda one: ~one.isin(CODES["school"])]
    assert (odd > 16).all()
    assert (odd <= 19).all()


def test_with_a_stated_precision_every_value_is_possible(model: Any) -> None:
    every = ifonly.explain(
        model, asked(model), data=DATA, space=Space.infer(DATA, precision={"years": 1}), k=3
    )
    default = ifonly.explain(model, asked(model), data=DATA, k=3)
    assert every.distance()[:, 0].mean() <= default.distance()[:, 0].mean() + 1e-9
    assert (~every.frame()["years"].isin(CODES["years"])).any()


def test_values_are_those_of_the_column_without_round_numbers_too(model: Any) -> None:
    exactly = ifonly.explain(
        model, asked(model), data=DATA, k=3, method=Engine(round_numbers=False)
    )
    found = exactly.frame()[lambda frame: ~frame["extra"]]
    odd = pd.DataFrame({name: ~found[name].isin(values) for name, values in CODES.items()})
    assert not odd.to_numpy().any()


def test_a_record_asked_again_gives_the_same_answers(model: Any) -> None:
    answers = ifonly.explain(model, asked(model, 5), data=DATA, k=2)
    again = ifonly.explain_again(answers.record, model, asked(model, 5), data=DATA)
    assert (again.points == answers.points).all()


@pytest.mark.parametrize("kind", ["linear", "forest"])
def test_on_a_device_answers_take_known_values_too(kind: str) -> None:
    pytest.importorskip("torch")
    model = MODELS[kind].fit(DATA, OUTCOME)
    answers = ifonly.explain(model, asked(model), data=DATA, k=3, method=Engine(device="cpu"))
    found = answers.frame()[lambda frame: ~frame["extra"]]
    odd = pd.DataFrame({name: ~found[name].isin(values) for name, values in CODES.items()})
    assert len(found) > 100
    assert odd.to_numpy().mean() < 0.01


@given(
    st.lists(st.integers(-20, 20), min_size=2, max_size=12, unique=True),
    st.integers(-25, 25),
    st.integers(-25, 25),
    st.integers(1, 9),
)
def test_law_what_lies_between_is_known_in_order_and_all_of_it_where_it_fits(
    codes: list[int], low: int, high: int, n: int
) -> None:
    known = np.sort(np.array(codes, float))
    ends = np.full((1, 1), float(low)), np.full((1, 1), float(high))
    found = between({0: known}, np.zeros((1, 1), int), *ends, np.zeros((1, 1, n)))[0, 0]
    inside = known[(known - low) * (high - known) > 0]
    inside = inside if high > low else inside[::-1]
    if not len(inside):
        assert (found == low).all()
    else:
        places = np.searchsorted(inside if high > low else -inside, found if high > low else -found)
        assert set(found) <= set(inside)
        assert (np.diff(places) >= 0).all()
        assert len(inside) > n or set(found) == set(inside)
