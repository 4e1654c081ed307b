"""Answers that are as usual as real rows: a preference, or a demand that every answer meets."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor

import ifonly
from ifonly.errors import OptionError
from ifonly.plausible import AsUsual, Usual
from ifonly.plausible.isolation import Forest
from ifonly.plausible.neighbours import Neighbourhood
from ifonly.plausible.reasons import reasons
from ifonly.solve.demanding import _sample
from ifonly.testing import random_codes, random_problem

RNG = np.random.default_rng(1)
N = 600
AGE = RNG.integers(18, 70, N)
DATA = pd.DataFrame(
    {
        "age": AGE,
        "years": np.maximum(0, AGE - 18 - RNG.integers(0, 8, N)),
        "income": np.round(20 * AGE + RNG.normal(0, 60, N), 0),
        "job": np.where(AGE < 30, "trainee", RNG.choice(["clerk", "cook"], N)),
    }
)
CODED = pd.get_dummies(DATA, dtype=float)
WANTED = np.asarray(DATA["income"] + 15 * DATA["years"] + RNG.normal(0, 100, N) > 1300)
MODELS: dict[str, Any] = {
    "linear": LogisticRegression(max_iter=2000).fit(CODED, WANTED),
    "forest": RandomForestClassifier(20, max_depth=6, random_state=0).fit(CODED, WANTED),
}


def model(name: str) -> Any:
    columns = CODED.columns

    def ask(frame: pd.DataFrame) -> np.ndarray:
        coded = pd.get_dummies(frame, dtype=float).reindex(columns=columns, fill_value=0.0)
        return np.asarray(MODELS[name].predict_proba(coded))

    return ifonly.as_model(ask, classes=["no", "yes"])


FORMER = ifonly.search.Engine(needed=False, tight=False)
REFUSED = DATA[~WANTED][:25]


def test_paths_are_those_of_scikit_learn() -> None:
    units = RNG.normal(size=(500, 4))
    ours = Forest.fit(units).paths(units)
    theirs = IsolationForest(n_estimators=50, random_state=0).fit(units).score_samples(units)
    assert np.corrcoef(ours, np.log2(-theirs))[0, 1] < -0.9999


def test_the_same_rows_have_the_same_forest_and_others_another() -> None:
    units = RNG.normal(size=(60, 3))
    assert Forest.fit(units) is Forest.fit(units.copy())
    assert Forest.fit(units) is not Forest.fit(units.reshape(-1, 2))


def test_densities_are_those_of_scikit_learn() -> None:
    units, others = RNG.normal(size=(300, 4)), RNG.normal(size=(50, 4))
    theirs = LocalOutlierFactor(20, novelty=True).fit(units)
    ours = Neighbourhood.fit(units)
    assert np.allclose(1 / ours.share(others), -theirs.score_samples(others))
    assert np.allclose(1 / ours.known, -theirs.negative_outlier_factor_)


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("measure", ["auto", "isolation", "neighbours"])
@pytest.mark.parametrize("level", [0.05, 0.3])
def test_every_answer_meets_the_demand(name: str, measure: str, level: float) -> None:
    demand = ifonly.Plausible(measure, level)
    answers = ifonly.explain(model(name), REFUSED[:8], data=DATA, k=3, plausible=demand)
    assert answers.filled.any()
    assert answers.usual is not None
    space = answers.space
    known = Usual.fit(demand, space, _references(name))
    assert np.allclose(
        known.quantile(answers.points)[answers.filled], answers.usual[answers.filled]
    )
    held = AsUsual(known, level).holds(space, answers.x, answers.points)
    assert held[answers.filled].all()
    enough = np.maximum(level - 1e-9, 0.0) <= answers.usual
    own = known.quantile(answers.x)[:, None] <= answers.usual
    assert (enough | own)[answers.filled].all()
    again = ifonly.explain_again(answers.record, model(name), REFUSED[:8], data=DATA)
    assert again.frame().equals(answers.frame())


def _references(name: str) -> np.ndarray:
    explainer = ifonly.Explainer(model(name), data=DATA)
    return _sample(explainer.setting.readable.data)


def test_a_share_does_not_depend_on_the_points_beside_it() -> None:
    space = ifonly.Space.infer(DATA)
    codes = space.codes(DATA)
    usual = Usual.fit(ifonly.Plausible(), space, codes)
    together = usual.quantile(codes)
    for size in (1, 7, 64):
        parts = [usual.quantile(codes[at : at + size]) for at in range(0, N, size)]
        assert np.array_equal(np.concatenate(parts), together)


def test_odd_answers_are_fewer_by_preference_and_fewest_by_demand() -> None:
    odd = {}
    for stated in (False, None, 0.2):
        answers = ifonly.explain(model("forest"), REFUSED, data=DATA, k=4, plausible=stated)
        usual = Usual.fit(ifonly.Plausible(), answers.space, _references("forest"))
        odd[stated] = (usual.quantile(answers.points)[answers.filled] < 0.05).mean()
    assert odd[0.2] <= odd[None] <= odd[False]
    assert odd[0.2] < odd[False]


@pytest.mark.parametrize("name", MODELS)
def test_the_nearest_answer_stays_the_nearest(name: str) -> None:
    near = {
        stated: ifonly.explain(model(name), REFUSED, data=DATA, plausible=stated).distance()[:, 0]
        for stated in (False, None)
    }
    assert np.mean(near[None] > near[False] + 1e-9) <= 0.05


def test_a_measure_of_ones_own_is_asked_with_frames() -> None:
    young = ifonly.Plausible(lambda frame: -frame["age"].to_numpy(), level=0.5)
    answers = ifonly.explain(model("linear"), REFUSED, data=DATA, k=2, plausible=young)
    frame = answers.frame()
    own = answers.x[frame["query"], 0]
    assert ((frame["age"] <= DATA["age"].median() + 2) | (frame["age"] <= own)).all()


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (lambda frame: frame["height"], "KeyError"),
        (lambda frame: frame[["age", "years"]].to_numpy(), "one number per row"),
        (lambda frame: np.full(len(frame), np.nan), "missing"),
    ],
)
def test_a_measure_that_cannot_be_used_is_refused(measure: Any, said: str) -> None:
    demand = ifonly.Plausible(measure, level=0.5)
    with pytest.raises(OptionError, match=said):
        ifonly.explain(model("linear"), REFUSED[:2], data=DATA, plausible=demand)


def test_a_sentence_says_that_an_answer_is_rare() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(0, 1, N).round(2), "b": rng.normal(0, 1, N).round(2)})
    far = ifonly.as_model(lambda frame: frame["a"] > 4.5, classes=["no", "yes"])
    wide = pd.concat([table, pd.DataFrame({"a": [5.0], "b": [0.0]})])
    (one,) = ifonly.explain(far, table[:1], data=wide, k=1).sentences()[0]
    assert re.search(r"Fewer than 1 % of real rows are as unusual: a 4\.\d+ is rare\.$", one)
    near = ifonly.as_model(lambda frame: frame["a"] > 0, classes=["no", "yes"])
    (one,) = ifonly.explain(near, table[:1], data=wide, k=1, target="yes").sentences()[0]
    assert "unusual" not in one


@given(seed=st.integers(0, 5_000))
@settings(max_examples=30, deadline=None)
def test_what_makes_a_point_odd_is_one_rare_value_or_two_that_are_rare_together(seed: int) -> None:
    problem = random_problem(seed, q=6)
    rows, points = (random_codes(problem.space, n, seed + n) for n in (300, 6))
    found = reasons(problem.space, rows, problem.x, points)
    width = 0.05 * np.where(problem.space.continuous, problem.space.high - problem.space.low, 0.0)
    for point, x, odd in zip(points, problem.x, found, strict=True):
        like = (np.abs(rows - point) <= width) | (np.isnan(rows) & np.isnan(point))
        rare = like.sum(axis=0) < 3
        changed = (point != x) & ~(np.isnan(point) & np.isnan(x))
        assert odd.sum() <= 2
        assert (odd.sum() == 1) == (rare & changed).any()
        assert not odd.any() or (like[:, odd].all(axis=1).sum() < 3 and (odd & changed).any())
        alone = reasons(problem.space, rows, x[None], point[None])[0]
        assert np.array_equal(alone, odd)


def test_a_pair_that_no_row_has_is_named() -> None:
    age = RNG.integers(17, 70, N)
    work = np.where(age < 25, "school", np.where(np.arange(N) % 2, "firm", "own"))
    table = pd.DataFrame({"age": age, "work": work, "other": RNG.integers(0, 3, N)})
    young = ifonly.as_model(lambda frame: frame["work"] == "firm", classes=["no", "yes"])
    row = pd.DataFrame({"age": [18], "work": ["school"], "other": [1]})
    answers = ifonly.explain(young, row, data=table, k=1, rules=["age fixed", "other fixed"])
    assert [answers.space.names[j] for j in np.flatnonzero(answers.odd[0, 0])] == ["age", "work"]
    assert answers.sentences()[0][0].endswith("unusual: age 18 with work firm is rare.")


def test_a_row_without_plausible_answers_says_which_demand_it_was() -> None:
    table = pd.DataFrame({"a": np.arange(N) % 10, "b": RNG.integers(0, 10, N)})
    never = ifonly.as_model(lambda frame: frame["a"] + frame["b"] > 17, classes=["no", "yes"])
    rows = pd.DataFrame({"a": [5], "b": [5]})
    answers = ifonly.explain(never, rows, data=table, plausible=0.9, k=1)
    assert not answers.filled.any()
    assert "at least as usual as 90 % of the rows" in str(answers.why(0))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"plausible": 1.5}, "share of the rows"),
        ({"plausible": "much"}, "share of the rows"),
        ({"plausible": True, "method": "gradient"}, "gradient"),
        ({"plausible": True, "method": FORMER}, "no effect"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ifonly.errors.IfonlyError) as caught:
        ifonly.explain(model("linear"), REFUSED[:1], data=DATA, **options)
    assert said in str(caught.value)


def test_it_needs_rows_and_a_known_measure() -> None:
    with pytest.raises(OptionError, match="isolation"):
        ifonly.Plausible("isolatoin")
    few = DATA[:30]
    with pytest.raises(OptionError, match="50 rows"):
        ifonly.explain(model("linear"), REFUSED[:1], data=few, plausible=0.05)
    assert ifonly.explain(model("linear"), REFUSED[:1], data=few).usual is None


def test_a_proof_is_not_made_where_the_measure_cannot_be_proved() -> None:
    linear = MODELS["linear"]
    rows = CODED[~linear.predict(CODED)][:2]
    for options in ({"method": "exact", "k": 1}, {"certify": True}):
        with pytest.raises(ifonly.errors.IfonlyError, match=r"plausible=0\.05"):
            ifonly.explain(linear, rows, data=CODED, plausible=0.05, **options)
