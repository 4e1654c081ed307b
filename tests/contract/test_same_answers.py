"""A question over JSON has the very answers of `Explainer.explain`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

import ifonly
from ifonly import Answers
from ifonly.contract import Handler
from ifonly.contract.values import finite, plain
from ifonly.space.marks import decode

from .asking import as_json

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
COSTS = {"grade": {"moves": [{"before": "low", "after": "mid", "factor": 0.5}]}, "age": 2}


def check_same(handler: Handler, rows: pd.DataFrame, asked: dict[str, Any], **options: Any) -> None:
    """That a request and a call with the same options have the same answers, to the last bit."""
    answers = handler.explainer.explain(rows, **options)
    body = json.dumps({"rows": as_json(rows), **asked})
    status, text = handler.respond("explain", body)
    assert status == 200, text
    reply = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in a reply"))
    record = {name: decode(value) for name, value in reply["record"].items()}
    assert record.keys() == answers.record.keys()
    same = ("rules", "row_rules", "weights", "target", "seed", "method", "model_fingerprint")
    assert [record[name] for name in same] == [answers.record[name] for name in same]
    for q, row in enumerate(reply["rows"]):
        assert (row["status"], row["note"]) == (answers.status[q], answers.notes[q])
        assert row["prediction"] == plain(answers.predicted[q])
        assert row["score"] == finite(answers.views()[q].score)
        told = [way["sentence"] for way in row["answers"]] or [row["sentence"]]
        assert told == answers.sentences()[q]
    check_ways(reply, answers)


def check_ways(reply: Any, answers: Answers) -> None:
    """That the ways of a reply are those of the tables of answers."""
    ways = [(q, way) for q, row in enumerate(reply["rows"]) for way in row["answers"]]
    frame = answers.frame()
    assert [q for q, _ in ways] == frame["query"].tolist()
    for (_, way), line in zip(ways, frame.to_dict("records"), strict=True):
        assert way["values"] == {name: plain(line[name]) for name in way["values"]}
        for name in ("distance", "price", "extra"):
            assert way[name] == line[name]
        assert way["prediction"] == plain(line["prediction"])
    changes = [list(change.values()) for _, way in ways for change in way["changes"]]
    lines = answers.changes()[["feature", "before", "after"]].to_numpy().tolist()
    assert [change[:3] for change in changes] == [list(map(plain, line)) for line in lines]
    if answers.usual is not None:
        usual = answers.usual[answers.filled]
        assert [way["usual"] for _, way in ways] == [finite(one) for one in usual]
    if answers.tolerated is not None:
        assert [way["tolerated"] for _, way in ways] == answers.tolerated[answers.filled].tolist()
    if answers.bound is not None:
        proofs = answers.certificates()
        for row, line in zip(reply["rows"], proofs.to_dict("records"), strict=True):
            assert row["certificate"]["proved"] == line["proved"]
            assert row["certificate"]["bound"] == finite(line["bound"])


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({"k": 2, "seed": 7, "diversity": 0.2}, {"k": 2, "seed": 7, "diversity": 0.2}),
        (
            {"k": 2, "target": 1, "threshold": 0.7, "margin": {"amount": 0.5}},
            {"k": 2, "target": 1, "threshold": 0.7, "margin": ifonly.Logit(0.5)},
        ),
        (
            {"k": 2, "rules": ["job fixed"], "row_rules": [["pay fixed"], []]},
            {"k": 2, "rules": ["job fixed"], "row_rules": {0: ["pay fixed"]}},
        ),
        (
            {"k": 1, "weights": COSTS, "plausible": 0.05},
            {
                "k": 1,
                "weights": {"grade": ifonly.cost(moves={("low", "mid"): 0.5}), "age": 2},
                "plausible": 0.05,
            },
        ),
        (
            {"k": 1, "budget": {"model_rows_per_row": 300}, "plausible": False, "margin": 0.1},
            {"k": 1, "budget": {"model_rows_per_row": 300}, "plausible": False, "margin": 0.1},
        ),
    ],
    ids=["seed", "threshold", "rules", "weights", "budget"],
)
def test_a_pipeline_over_columns_of_every_kind(
    mixed: Handler, frame: pd.DataFrame, asked: Any, options: Any
) -> None:
    rows = frame[:2].assign(pay=[frame["pay"][0], np.nan])
    check_same(mixed, rows, asked, **options)


def test_three_classes_and_a_target_per_row() -> None:
    forest = RandomForestClassifier(5, random_state=0).fit(IRIS, SPECIES)
    handler = Handler(ifonly.Explainer(forest, data=IRIS))
    rows = IRIS.iloc[[0, 60, 120]].reset_index(drop=True)
    check_same(handler, rows, {"k": 2, "target": [1, "other", 0]}, k=2, target=[1, "other", 0])


def test_a_regressor_and_a_range_with_an_open_end() -> None:
    model = LinearRegression().fit(IRIS[["sepal length (cm)"]], IRIS["petal length (cm)"])
    data = IRIS[["sepal length (cm)"]]
    handler = Handler(ifonly.Explainer(model, data=data))
    check_same(handler, data[:2], {"k": 1, "target": {"low": 4.5}}, k=1, target=(4.5, None))


def test_proofs_and_what_is_proved_to_have_no_answer() -> None:
    data, decided = IRIS[IRIS.columns[:2]], SPECIES > 0
    model = LogisticRegression().fit(data, decided)
    handler = Handler(ifonly.Explainer(model, data=data))
    rules = [[], [f"'{data.columns[0]}' fixed", f"'{data.columns[1]}' fixed"]]
    asked = {"k": 1, "certify": True, "row_rules": rules}
    check_same(handler, data[:2], asked, k=1, certify=True, row_rules=rules)
    off = {data.columns[0]: 0.2}
    check_same(handler, data[:2], {"k": 1, "tolerance": off}, k=1, tolerance=off)


def test_margins_are_told_as_margins() -> None:
    data, decided = IRIS[IRIS.columns[:2]], SPECIES > 0
    model = LinearSVC().fit(data, decided)
    handler = Handler(ifonly.Explainer(model, data=data))
    check_same(handler, data[:2], {"k": 1}, k=1)
    said = handler.answer("predict", {"rows": as_json(data[:2])}).rows
    assert handler.answer("model", {}).scores == "margin"
    assert [one.scores[1] for one in said] == pytest.approx(model.decision_function(data[:2]))
