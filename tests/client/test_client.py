"""A client has the answers of the `Explainer` behind the server."""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ifonly
from ifonly import Answers
from ifonly.answers.save import from_plain
from ifonly.client.request import request_of
from ifonly.contract import Handler, Limits
from ifonly.serve.exchange import Sight
from ifonly.serve.sight import seen

from .conftest import Server
from .models import FRAME, IRIS

Serve = Callable[[Handler], Server]


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


def test_a_part_that_the_server_cut_short_is_asked_again_in_halves(
    forest: ifonly.Explainer, serve: Serve
) -> None:
    server = serve(Handler(forest))
    client, whole = ifonly.connect(server.url), forest.explain(IRIS[:5], k=1, target=1)
    client.space  # noqa: B018
    reply = json.loads(server.handler.respond("explain", {"rows": [], "target": 1})[1])
    late = {**reply, "record": {**reply["record"], "interrupted": True}}
    skipped = {"rows": [{"status": "skipped"}], "answers": None}
    timed = {**skipped, "record": {**reply["record"], "budget": {"pairs": [["seconds", 1.0]]}}}
    server.first = [(200, json.dumps(one), {}) for one in (late, timed)]
    check_equal(whole, client.explain(IRIS[:5], k=1, target=1), costs=False)
    sizes = [len(body["rows"]) for path, _, body in server.seen if path.endswith("explain")]
    assert (sizes[:3], sum(sizes[2:])) == ([5, 2, 1], 5)


def test_a_budget_is_that_of_all_parts(forest: ifonly.Explainer, serve: Serve) -> None:
    server = serve(Handler(forest, Limits(rows=1)))
    budget = {"seconds": 100.0, "model_rows": 5000}
    client = ifonly.connect(server.url)
    client.explain(IRIS[:3], k=1, target=1, budget=budget)
    alone = [forest.explain(IRIS[i : i + 1], k=1, target=1, budget=budget) for i in (0, 1)]
    spent = sum(answers.record["model_rows"] for answers in alone)
    left = [body["budget"] for _, _, body in server.seen[1:]]
    rows = [one["model_rows"] for one in left]
    assert rows[0] == 5000 > rows[1] > rows[2] == 5000 - spent
    assert left[0]["seconds"] > left[1]["seconds"] > left[2]["seconds"]


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
