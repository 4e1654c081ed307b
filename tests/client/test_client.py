"""A client has the answers, and the errors, of the `Explainer` behind the server."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

import ifonly
from ifonly import Answers, errors
from ifonly.answers.save import from_plain
from ifonly.client import Client
from ifonly.client.request import request_of
from ifonly.contract import Handler, Limits
from ifonly.serve.exchange import Sight
from ifonly.serve.sight import seen

from .conftest import Server

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "customer": [f"c{i}" for i in range(80)],
        "age": RNG.integers(18, 70, 80),
        "pay": np.where(RNG.random(80) < 0.1, np.nan, RNG.normal(3000, 800, 80).round(1)),
        "member": RNG.random(80) < 0.5,
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, 80), "D"),
        "grade": RNG.choice(["low", "mid", "high"], 80),
    }
)
"""Whole numbers, decimals with gaps, a flag, dates, an order; and carried identifiers."""


def granted(frame: pd.DataFrame) -> np.ndarray:
    """The probability that a row is granted."""
    days = (frame["since"] - pd.Timestamp("2021-01-01")).dt.days
    grade = frame["grade"].map({"low": -1, "mid": 0, "high": 1})
    pay = (frame["pay"].fillna(3000) - 3000) / 800
    score = (frame["age"] - 44) / 15 + pay + grade - days / 300 + frame["member"]
    return np.asarray(1 / (1 + np.exp(-score.astype(float))))


Asked = tuple[Client, ifonly.Explainer]
Serve = Callable[[Handler], Server]


@pytest.fixture(scope="module")
def mixed() -> ifonly.Explainer:
    order = {"grade": ["low", "mid", "high"]}
    space = ifonly.Space.infer(FRAME, ordinal=order, labels={"pay": "Income", 1: "granted"})
    model = ifonly.as_model(granted, classes=[0, 1])
    return ifonly.Explainer(model, data=FRAME, space=space, rules=["age only increases"])


@pytest.fixture(scope="module")
def forest() -> ifonly.Explainer:
    model = RandomForestClassifier(5, random_state=0).fit(IRIS, SPECIES)
    return ifonly.Explainer(model, data=IRIS)


@pytest.fixture(scope="module")
def line() -> ifonly.Explainer:
    data = IRIS[IRIS.columns[:2]]
    return ifonly.Explainer(LogisticRegression().fit(data, SPECIES > 0), data=data)


@pytest.fixture(scope="module")
def regressor() -> ifonly.Explainer:
    data = IRIS[IRIS.columns[:2]]
    return ifonly.Explainer(LinearRegression().fit(data, IRIS["petal length (cm)"]), data=data)


def check_equal(one: Answers, other: Answers, *, costs: bool = True) -> None:
    """That answers are the same in every field; `costs`: also in what they have cost."""
    for name, value in vars(one).items():
        found = getattr(other, name)
        if name == "source":
            assert found is None or value is None
        elif name == "record":
            left = {*()} if costs else {"model_calls", "model_rows"}
            assert {k: v for k, v in value.items() if k not in left} == {
                k: v for k, v in found.items() if k not in left
            }
        elif name == "carried":
            assert (value is None) == (found is None)
            assert value is None or value.frame.to_native().equals(found.frame.to_native())
        elif isinstance(value, np.ndarray):
            assert value.dtype == found.dtype
            if name != "seconds":  # that a proof took
                np.testing.assert_array_max_ulp(value * 1.0, found * 1.0, 0 if costs else 4)
        else:
            assert value == found, name
            assert type(value) is type(found)
    assert one.sentences() == other.sentences()
    assert str(one.frame()) == str(other.frame())
    assert type(one.frame()) is type(other.frame())


def random_question(rng: np.random.Generator, explainer: ifonly.Explainer, q: int) -> Any:
    """Options as somebody may give them."""
    names, classes = explainer.setting.space.names, explainer.setting.model.classes
    first, second = (str(name) for name in rng.permutation(names)[:2])
    low = float(np.median(explainer.setting.said))
    target: Any = [(low, None), (None, low)] if not classes else ["other", classes[0], classes[-1]]
    two = len(classes) == 2
    chosen: dict[str, Any] = {
        "target": target[rng.integers(len(target))],
        "k": int(rng.integers(1, 4)),
        "seed": int(rng.integers(100)),
    }
    more: dict[str, Any] = {
        "rules": [ifonly.fixed(first), "at most 2 features change"],
        "row_rules": {int(rng.integers(q)): [f"'{second}' fixed"]},
        "weights": {first: 2.5},
        "diversity": float(rng.random()),
        "plausible": [False, 0.05, ifonly.Plausible("neighbours", 0.01)][rng.integers(3)],
        "margin": ifonly.Logit(0.2) if two and chosen["target"] != "other" else 0.05,
        "budget": {"model_rows_per_row": 400},
    }
    if two and chosen["target"] != "other":
        more["threshold"] = 0.4
    return chosen | {name: more[name] for name in more if rng.random() < 0.4}


@pytest.mark.parametrize("kind", ["mixed", "forest", "line", "regressor"])
def test_answers_are_those_of_the_explainer(
    kind: str, serve: Serve, request: pytest.FixtureRequest
) -> None:
    explainer = request.getfixturevalue(kind)
    client = ifonly.connect(serve(Handler(explainer)).url)
    data = FRAME if kind == "mixed" else IRIS[list(explainer.setting.space.names)]
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = data.iloc[rng.permutation(len(data))[:2]]
        options = random_question(rng, explainer, 2)
        check_equal(explainer.explain(rows, **options), client.explain(rows, **options))


def test_costs_proofs_and_a_target_per_row(
    mixed: ifonly.Explainer, line: ifonly.Explainer, serve: Serve
) -> None:
    client = ifonly.connect(serve(Handler(mixed)).url)
    moves = ifonly.cost(moves={("low", "mid"): 0.5}, other=2.0)
    options: Any = {
        "k": 1,
        "weights": {"grade": moves, "age": ifonly.cost(up=3.0)},
        "target": [1, 0],
    }
    rows = FRAME.iloc[[5, 6]]
    check_equal(mixed.explain(rows, **options), client.explain(rows, **options))
    client = ifonly.connect(serve(Handler(line)).url)
    rows = IRIS[IRIS.columns[:2]][:2]
    for options in ({"k": 1, "certify": True}, {"k": 1, "tolerance": {IRIS.columns[0]: 0.2}}):
        check_equal(line.explain(rows, **options), client.explain(rows, **options))
    assert client.explain(rows, k=1, certify=True).certificates()["proved"].all()


def test_rows_of_any_library_keep_their_names_and_columns(
    mixed: ifonly.Explainer, serve: Serve
) -> None:
    client = ifonly.connect(serve(Handler(mixed)).url)
    named = FRAME[5:7].set_index(pd.Index(["ann", "bob"], name="who"))
    for rows in (
        named,
        pl.from_pandas(FRAME[5:7]),
        FRAME.iloc[5].to_dict(),
        FRAME.iloc[5],
        FRAME[:0],
    ):
        own = {"row_rules": {"bob": ["pay fixed"]}} if rows is named else {}
        check_equal(mixed.explain(rows, k=1, **own), client.explain(rows, k=1, **own))


def test_large_batches_are_sent_in_parts(forest: ifonly.Explainer, serve: Serve) -> None:
    rows, options = IRIS[40:61], {"k": 1, "target": [1] * 10 + [2] * 11}
    whole = forest.explain(rows, **options)  # type: ignore[arg-type]
    for limits, least in ((Limits(rows=8), 3), (Limits(body=1500), 4)):
        server = serve(Handler(forest, limits))
        check_equal(whole, ifonly.connect(server.url).explain(rows, **options), costs=False)
        assert len(server.seen) > least
        keys = [headers["Idempotency-Key"] for path, headers, _ in server.seen[1:]]
        assert len(set(keys)) == len(keys)


def test_a_budget_is_that_of_all_parts(forest: ifonly.Explainer, serve: Serve) -> None:
    server = serve(Handler(forest, Limits(rows=1)))
    budget = {"seconds": 100.0, "model_rows": 5000}
    client = ifonly.connect(server.url)
    client.explain(IRIS[:3], k=1, target=1, budget=budget)
    spent = sum(forest.explain(IRIS[i : i + 1], k=1, target=1).record["model_rows"] for i in (0, 1))
    left = [body["budget"] for _, _, body in server.seen[1:]]
    rows = [one["model_rows"] for one in left]
    assert rows[0] == 5000 > rows[1] > rows[2] == 5000 - spent
    assert left[0]["seconds"] > left[1]["seconds"] > left[2]["seconds"]


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0},
        {"k": 1.5},
        {"seed": -1},
        {"certify": "yes"},
        {"rules": ["agee fixed"]},
        {"rules": ["age fixed and"]},
        {"rules": {"age": 3}},
        {"rules": [3]},
        {"rules": "nothing at all"},
        {"row_rules": {9: ["age fixed"]}},
        {"row_rules": [["agee fixed"], []]},
        {"weights": {"agee": 2}},
        {"weights": {"age": -1}},
        {"weights": {"customer": ifonly.cost}},
        {"target": "maybe"},
        {"target": (1.0, 2.0)},
        {"budget": {"hours": 1}},
        {"budget": -1},
        {"margin": -1},
        {"workers": 0},
        {"tolerance": {"pay": 1}},
        {"kk": 3},
        {"minimal": True},
    ],
    ids=str,
)
def test_errors_are_those_of_the_explainer(
    mixed: ifonly.Explainer, shared: Client, options: Any
) -> None:
    with pytest.raises(ifonly.IfonlyError) as here:
        mixed.explain(FRAME[:2], **options)
    with pytest.raises(ifonly.IfonlyError) as there:
        shared.explain(FRAME[:2], **options)
    assert type(there.value) is type(here.value)
    assert there.value.message == here.value.message


@pytest.fixture(scope="module")
def shared(mixed: ifonly.Explainer) -> Any:
    server = Server(Handler(mixed))
    with server.running():
        yield ifonly.connect(server.url)


def test_rows_that_do_not_fit_are_refused_as_by_the_explainer(shared: Client) -> None:
    with pytest.raises(errors.DataError, match="lacks the column 'age'"):
        shared.explain(FRAME[:2].drop(columns="age"))
    with pytest.raises(errors.DataError, match="not a DataFrame"):
        shared.explain(3)
    with pytest.raises(errors.DataError, match="holds 'top', which is not a known level"):
        shared.explain(FRAME[:1].assign(grade="top"))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"robust": [1]}, "robust"),
        ({"workers": 2}, "workers"),
        ({"progress": print}, "progress"),
        ({"keep": True}, "keep"),
        ({"plausible": ifonly.Plausible(len)}, "measure"),
    ],
    ids=["robust", "workers", "progress", "keep", "measure"],
)
def test_what_cannot_be_sent_is_said(shared: Client, options: Any, named: str) -> None:
    with pytest.raises(errors.OptionError, match=f"{named}.* cannot be sent"):
        shared.explain(FRAME[:1], **options)


def test_the_server_has_the_last_word(shared: Client) -> None:
    with pytest.raises(errors.OptionError, match="too many") as caught:
        shared.explain(FRAME[:1], k=50)
    assert (caught.value.field, caught.value.hint) == ("k", "At most 20 are accepted.")
    row = request_of(shared.space, FRAME[:1])["rows"][0]
    with pytest.raises(errors.RuleError, match="cannot be understood") as rule:
        shared.ask("plan", row=row, changes={}, rules=["age fixed and"])
    assert (rule.value.field, rule.value.place) == ("rules[0]", 13)


def test_other_routes(shared: Client, mixed: ifonly.Explainer) -> None:
    (found,) = shared.why(
        FRAME[5:6], rules=[ifonly.only_change("customer" if 0 else "age"), "age fixed"]
    )
    assert found["conflict"] or found["sentence"]
    said = shared.predict(FRAME[5:7], threshold=0.3)
    assert [one["prediction"] for one in said["rows"]] == [0, 0]
    assert shared.model["task"] == "classification"
    assert shared.ask("check_rules", rules=["age fixed"])["rules"][0]["text"] == "age fixed"
    answers = shared.explain(FRAME[5:6], k=1)
    assert str(answers.plan(0)).startswith("1. ")
    with pytest.raises(errors.OptionError, match="no model"):
        answers.region(0)


def test_it_takes_what_an_explainer_takes() -> None:
    own, known = signature(request_of).parameters, signature(ifonly.Explainer.explain).parameters
    assert list(own)[2:] == list(known)[2:]
    assert [own[name].default for name in list(own)[2:]] == [
        known[name].default for name in list(known)[2:]
    ]


@pytest.mark.parametrize("kind", ["mixed", "regressor"])
def test_hidden_scores_are_not_in_answers(kind: str, request: pytest.FixtureRequest) -> None:
    explainer = request.getfixturevalue(kind)
    data = FRAME if kind == "mixed" else IRIS[IRIS.columns[:2]]
    asked = request_of(
        explainer.setting.space, data[5:7], k=1, target=1 if kind == "mixed" else (5.0, None)
    )
    reply = Handler(explainer).answer("explain", {**asked, "as_answers": True})
    for word in ("rounded", "hidden"):
        answers = Answers(**from_plain(seen(reply, Sight(scores=word)).answers))  # type: ignore[arg-type]
        full = Answers(**from_plain(reply.answers))
        assert answers.status == full.status
        shown = answers.score[answers.filled]
        assert np.isnan(shown).all() if word == "hidden" else (shown == np.round(shown, 1)).all()
        if word == "hidden" and kind == "mixed":
            assert "(0." not in answers.sentences()[0][0]
