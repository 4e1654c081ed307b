"""Questions answered as one batch have the replies that each has alone."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import ifonly
from ifonly.contract import Handler, Refused, Reply
from ifonly.contract.together import SHARED, Answered, answer_together, key_of_group

from .asking import as_json

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
ROWS = as_json(IRIS[::7])


@pytest.fixture(scope="module")
def forest() -> Handler:
    model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(IRIS, SPECIES)
    return Handler(ifonly.Explainer(model, data=IRIS))


def shown(answered: Answered, digits: int | None = None) -> Any:
    """What a reply says, without what is counted for a batch; its numbers with so many digits.

    The sums of a linear model have other last digits in a larger batch.
    """
    if isinstance(answered.reply, Refused):
        return answered.reply.problem.model_dump_json()
    assert isinstance(answered.reply, Reply)
    number = float if digits is None else lambda text: round(float(text), digits)
    reply = json.loads(answered.reply.model_dump_json(), parse_float=number)
    if "record" in reply:
        reply["record"] = {n: v for n, v in reply["record"].items() if n not in SHARED}
    return json.dumps(reply)


def check_same(handler: Handler, bodies: list[Any], digits: int | None = None) -> list[int]:
    """That requests have the same replies together as alone; how many each was answered with."""
    requests = [handler.read("explain", body) for body in bodies]
    groups: dict[Any, list[int]] = {}
    for place, request in enumerate(requests):
        key = key_of_group(handler, "explain", request)
        groups.setdefault(place if key is None else key, []).append(place)
    together = [0] * len(bodies)
    for places in groups.values():
        joined = answer_together(handler, "explain", [requests[place] for place in places])
        for place, one in zip(places, joined, strict=True):
            (alone,) = answer_together(handler, "explain", [requests[place]])
            assert shown(one, digits) == shown(alone, digits)
            together[place] = one.together
    return together


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """A question that shares its options with some others, or has an error of its own."""
    rows = draw(st.lists(st.sampled_from(ROWS), min_size=0, max_size=3))
    target: Any = draw(st.sampled_from(["other", 1, 1, [1], "opposite"]))
    body: dict[str, Any] = {"rows": rows, "k": draw(st.sampled_from([1, 2])), "target": target}
    if isinstance(target, list):
        body["target"] = draw(st.sampled_from([[0], [1, "other", 2][: len(rows)]]))
    if draw(st.booleans()):
        rules = draw(st.sampled_from([["'petal width (cm)' fixed"], [], ["at most 1 features"]]))
        body["row_rules"] = [rules] * draw(st.sampled_from([len(rows), len(rows), 1]))
    if draw(st.integers(0, 9)) == 0:
        body["rows"] = [{**row, "petal width (cm)": "wide"} for row in rows]
    if draw(st.integers(0, 5)) == 0:
        body["budget"] = draw(st.sampled_from([{"model_rows_per_row": 400}, {"model_rows": 9000}]))
    return body


@settings(max_examples=12, deadline=None)
@given(st.lists(questions(), min_size=2, max_size=5))
def test_together_is_as_alone(forest: Handler, bodies: list[Any]) -> None:
    check_same(forest, bodies)


def test_questions_that_share_options_are_one_batch(forest: Handler) -> None:
    bodies = [{"rows": [row], "k": 2, "target": 1} for row in ROWS[:4]]
    other = {**bodies[0], "rows": ROWS[4:6], "row_rules": [["'petal width (cm)' fixed"], []]}
    alone = [{**bodies[0], "k": 1}, {**bodies[0], "budget": {"seconds": 60}}]
    assert check_same(forest, [*bodies, other, *alone]) == [5, 5, 5, 5, 5, 1, 1]


def test_columns_of_every_kind_and_carried_ones(mixed: Handler, frame: pd.DataFrame) -> None:
    rows = as_json(frame[:4])
    rows[3]["customer"] = 17  # a text, as in the data, alone and together
    bodies = [{"rows": [row], "k": 1} for row in rows]
    assert check_same(mixed, bodies, digits=12) == [4, 4, 4, 4]


def test_a_row_that_the_model_fails_for_is_an_error_of_its_own_question() -> None:
    def rich(frame: pd.DataFrame) -> Any:
        if (frame["income"] == 13).any():
            raise ValueError("thirteen")
        return frame["income"] > 40

    data = pd.DataFrame({"income": [10, 30, 50]})
    model = ifonly.as_model(rich, classes=["no", "yes"])
    handler = Handler(ifonly.Explainer(model, data=data))
    bodies = [{"rows": [{"income": income}], "k": 1} for income in (10, 13, 30)]
    check_same(handler, bodies)
    many = [handler.read("explain", {**body, "rules": ["income <"]}) for body in bodies]
    alone = [answer_together(handler, "explain", [one])[0] for one in many]
    assert [shown(one) for one in answer_together(handler, "explain", many)] == [
        shown(one) for one in alone
    ]


def test_a_batch_calls_the_model_hardly_more_often_than_one_question() -> None:
    calls = 0

    def rich(frame: pd.DataFrame) -> Any:
        nonlocal calls
        calls += 1
        return frame["income"] > 40

    data = pd.DataFrame({"income": range(60), "debt": range(60)})
    model = ifonly.as_model(rich, classes=["no", "yes"])
    handler = Handler(ifonly.Explainer(model, data=data))
    bodies = [{"rows": [{"income": i, "debt": i}], "k": 2} for i in range(16)]
    requests = [handler.read("explain", body) for body in bodies]
    calls = 0
    for request in requests:
        answer_together(handler, "explain", [request])
    alone, calls = calls, 0
    answer_together(handler, "explain", requests)
    assert 4 * calls < alone
