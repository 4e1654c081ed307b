"""The outcome of an answer stays if its changed numbers end up off, proved or sampled."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ifonly
from ifonly import Answers, Explainer, Status, as_model
from ifonly.errors import OptionError

RNG = np.random.default_rng(1)
DATA = pd.DataFrame(
    {
        "income": RNG.integers(10, 90, 200),
        "debt": RNG.integers(0, 40, 200),
        "rate": np.round(RNG.uniform(0, 5, 200), 1),
    }
)
GRANTED = (DATA["income"] - DATA["debt"] - 4 * DATA["rate"] + RNG.normal(0, 4, 200) > 25).astype(
    int
)
MODELS: dict[str, Callable[[], Any]] = {
    "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": lambda: RandomForestClassifier(12, max_depth=6, random_state=0),
    "network": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((8,), solver="lbfgs", max_iter=2000, random_state=0)
    ),
}


@cache
def explainer(kind: str) -> Explainer:
    return Explainer(MODELS[kind]().fit(DATA, GRANTED), data=DATA)


@cache
def refused(kind: str) -> pd.DataFrame:
    return DATA[explainer(kind).setting.model.decide(DATA.to_numpy(float)) == 0][:6]


def within(answers: Answers, off: Callable[[float, str], float]) -> list[pd.DataFrame]:
    """For each answer, all whole numbers and many others within the tolerance of its changes."""
    space, found = answers.space, []
    for q, a in zip(*np.nonzero(answers.filled), strict=True):
        sides = []
        for j, name in enumerate(space.names):
            value, own = answers.points[q, a, j], answers.x[q, j]
            room = off(abs(value - own), name) if value != own else 0.0
            low, high = max(value - room, space.low[j]), min(value + room, space.high[j])
            if name == "rate":
                sides.append(np.linspace(low, high, 7) if room else [value])
            else:
                sides.append(np.arange(np.ceil(low), high + 1e-9) if room else [value])
        points = pd.DataFrame(np.array(list(product(*sides))), columns=space.names)
        found.append(points.astype(DATA.dtypes))
    return found


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("tolerance", [{"income": 5, "debt": 3, "rate": 0.4}, 0.3])
def test_every_point_within_the_tolerance_has_the_outcome(kind: str, tolerance: Any) -> None:
    answers = explainer(kind).explain(refused(kind), k=3, tolerance=tolerance)
    amounts = tolerance if isinstance(tolerance, dict) else {}
    for points in within(answers, lambda change, name: amounts.get(name, 0.3 * change)):
        said = explainer(kind).setting.model.decide(points.to_numpy(float))
        assert (np.asarray(said) == 1).all()
    assert (answers.tolerated[answers.filled] == 1).all()
    assert answers.filled.sum() >= 12
    assert (answers.metrics()["tolerated"] == 1).all()
    assert answers.sentences()[0][0].endswith("It stays everywhere within the tolerance, proved.")


@pytest.mark.parametrize("kind", MODELS)
def test_without_the_demand_some_answers_are_lost_within_the_tolerance(kind: str) -> None:
    answers = explainer(kind).explain(refused(kind), k=3)
    assert answers.tolerated is None
    assert "tolerated" not in answers.metrics()
    lost = [
        (np.asarray(explainer(kind).setting.model.decide(points.to_numpy(float))) == 0).any()
        for points in within(answers, lambda change, name: 5.0)
    ]
    assert any(lost)


def test_an_answer_stays_the_nearest_that_holds_within_the_tolerance() -> None:
    model = as_model(lambda f: f["income"] > 40, classes=["no", "yes"])
    plain = ifonly.explain(model, DATA[:1].assign(income=20), data=DATA, k=1)
    held = ifonly.explain(
        model, DATA[:1].assign(income=20), data=DATA, k=1, tolerance={"income": 5}
    )
    assert plain.frame()["income"][0] == 41
    assert 45 <= held.frame()["income"][0] <= 46


def test_a_function_is_sampled_and_called_so() -> None:
    model = as_model(lambda f: f["income"] - f["debt"] > 30, classes=["no", "yes"])
    rows = DATA[:2].assign(income=20)
    answers = ifonly.explain(model, rows, data=DATA, k=2, tolerance={"income": 5, "debt": 2})
    assert ((answers.tolerated > 0.98) & (answers.tolerated < 1))[answers.filled].all()
    assert "by a sample with 95 % confidence" in answers.sentences()[0][0]
    assert (answers.metrics()["tolerated"] < 1).all()


def test_rules_hold_for_answers_and_not_for_what_is_within_the_tolerance() -> None:
    rules = ["debt fixed", "income at most 80"]
    answers = explainer("linear").explain(refused("linear"), k=1, rules=rules, tolerance=0.2)
    assert (answers.frame()["income"] <= 80).all()
    assert answers.filled.any()


def test_a_row_left_short_names_the_tolerance() -> None:
    model = as_model(lambda f: (f["income"] > 40) & (f["income"] < 46), classes=["no", "yes"])
    row = DATA[:1].assign(income=20)
    answers = ifonly.explain(model, row, data=DATA, k=1, tolerance={"income": 5})
    assert answers.status[0] is Status.NOT_FOUND
    demand = "income may end up 5 off"
    assert f"Without the demand that {demand}, 1 answer would be found" in answers.notes[0]
    assert answers.why(0).rejected[demand] > 0


def test_the_record_asks_again_and_saved_answers_keep_what_was_proved() -> None:
    answers = explainer("linear").explain(refused("linear")[:2], k=2, tolerance={"debt": 2})
    assert answers.record["tolerates"] == {"debt": 2.0}
    model = MODELS["linear"]().fit(DATA, GRANTED)
    again = ifonly.explain_again(answers.record, model, refused("linear")[:2], data=DATA)
    assert again.frame().equals(answers.frame())
    saved = Answers.from_json(answers.to_json())
    assert np.array_equal(saved.tolerated, answers.tolerated, equal_nan=True)
    assert saved.sentences() == answers.sentences()


def test_a_rows_answers_do_not_depend_on_the_rows_beside_it() -> None:
    rows = refused("forest")
    together = explainer("forest").explain(rows, k=2, tolerance=0.2)
    alone = explainer("forest").explain(rows[2:3], k=2, tolerance=0.2)
    assert np.array_equal(together.points[2], alone.points[0])


def test_a_tolerance_combines_with_certificates() -> None:
    answers = explainer("forest").explain(refused("forest")[:1], k=1, tolerance=0.3, certify=5.0)
    certificate = answers.certificates()
    assert (certificate["bound"] <= certificate["price"] + 1e-9).all()
    assert answers.tolerated[0, 0] == 1


def test_demands_combine() -> None:
    rows, other = refused("linear")[:2], MODELS["forest"]().fit(DATA, GRANTED)
    options: dict[str, Any] = {"robust": [other], "margin": 0.05, "plausible": 0.01}
    answers = explainer("linear").explain(rows, k=1, tolerance={"income": 4}, **options)
    frame = answers.frame()[list(DATA)].astype(DATA.dtypes)
    assert answers.filled.all()
    assert (other.predict(frame) == 1).all()
    assert (answers.score >= 0.55 - 1e-9).all()
    assert (answers.tolerated == 1).all()
    for points in within(answers, lambda change, name: 4.0 if name == "income" else 0.0):
        said = explainer("linear").setting.model.decide(points.to_numpy(float))
        assert (np.asarray(said) == 1).all()


def test_with_causes_the_tolerance_is_around_what_an_answer_leads_to() -> None:
    causes = ifonly.CausalModel.fit({"rate": ["income"]}, DATA)
    model = MODELS["linear"]().fit(DATA, GRANTED)
    answers = ifonly.explain(
        model, refused("linear")[:2], data=DATA, k=1, causes=causes, tolerance={"income": 4}
    )
    for points in within(answers, lambda change, name: 4.0 if name == "income" else 0.0):
        assert (model.predict(points) == 1).all()


@pytest.mark.parametrize(
    ("tolerance", "words", "hint"),
    [
        ({"incom": 5}, ["'incom'"], "income"),
        ({"income": -1}, ["'income'", "-1"], "positive"),
        (0, ["0"], "share"),
        (True, ["True"], "share"),
        ("much", ["'much'"], "share"),
    ],
)
def test_an_invalid_tolerance_is_refused(
    tolerance: Any, words: list[str], hint: str, refused: Callable[..., Exception]
) -> None:
    ask = lambda: explainer("linear").explain(DATA[:1], k=1, tolerance=tolerance)  # noqa: E731
    refused(OptionError, *words, hint=hint, ask=ask)


def test_a_category_has_no_tolerance(refused: Callable[..., Exception]) -> None:
    data = DATA.assign(job=["a", "b"] * 100)
    model = as_model(lambda f: f["income"] > 40, classes=["no", "yes"])
    ask = lambda: ifonly.explain(model, data[:1], data=data, tolerance={"job": 1})  # noqa: E731
    refused(OptionError, "'job'", "category", hint="number", ask=ask)


def test_a_solver_is_refused_the_demand(refused: Callable[..., Exception]) -> None:
    model = MODELS["linear"]().fit(DATA, GRANTED)
    options: dict[str, Any] = {"data": DATA, "method": "exact", "tolerance": 0.1}
    ask = lambda: ifonly.explain(model, DATA[:1], **options)  # noqa: E731
    refused(OptionError, "each changed number may end up 0.1 of it off", hint="auto", ask=ask)
