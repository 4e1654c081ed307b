"""A record can be derived again from itself, the model and the row, whatever was asked."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.contract import DecisionRecord, Handler
from ifonly.contract.question import Question, ask
from ifonly.contract.records.rederive import rederive, rederive_all
from ifonly.solve.method import method_of

from .asking import as_json

ASKED: dict[str, dict[str, Any]] = {
    "default": {},
    "rules and prices": {"rules": ["job_a fixed"], "weights": {"age": 3.0}, "diversity": 0.9},
    "threshold": {"threshold": 0.6, "margin": 0.05},
    "usual": {"plausible": {"measure": "isolation", "level": 0.05}, "seed": 7},
    "proof": {"certify": True, "k": 1},
    "class": {"target": 1},
    "row rules": {"row_rules": [["age fixed"], ["pay fixed", "member fixed"]]},
    "model rows": {"budget": {"model_rows_per_row": 400}},
    "seconds": {"budget": {"seconds": 60.0}, "rules": ["pay fixed"]},
}


def decided(handler: Handler, rows: list[dict[str, Any]], **options: Any) -> list[DecisionRecord]:
    """Records as they are after they were stored."""
    answers = ask(handler, Question(**{"rows": rows, "k": 2} | options))
    made = [
        DecisionRecord.of(one, row, time="2026-01-02T12:00:00Z", key=b"key")
        for one, row in zip(answers, rows, strict=True)
    ]
    return [DecisionRecord.model_validate_json(one.model_dump_json()) for one in made]


@pytest.fixture(scope="module")
def rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return as_json(frame[:2])


@pytest.fixture(scope="module")
def records(mixed: Handler, rows: list[dict[str, Any]]) -> dict[str, list[DecisionRecord]]:
    return {name: decided(mixed, rows, **options) for name, options in ASKED.items()}


def test_records_of_any_question_are_derived_again(
    mixed: Handler, rows: list[dict[str, Any]], records: dict[str, list[DecisionRecord]]
) -> None:
    every = [record for some in records.values() for record in some]
    assert any(record.ways for record in every)
    assert rederive_all(every, mixed.explainer, rows * len(records)) == [[] for _ in every]


def test_rules_and_method_are_those_of_the_record(
    mixed: Handler, rows: list[dict[str, Any]], records: dict[str, list[DecisionRecord]]
) -> None:
    """An explainer without rules, and with another method, derives the same."""
    other = copy.copy(mixed.explainer)
    other.method, other.setting = method_of("neighbours"), replace(other.setting, rules=())
    assert rederive(records["default"][0], other, rows[0]) == []
    assert (other.method, other.setting.rules) == (method_of("neighbours"), ())


@pytest.mark.parametrize("name", ["default", "seconds"])
def test_whatever_a_record_says_wrongly_is_found(
    mixed: Handler, rows: list[dict[str, Any]], records: dict[str, list[DecisionRecord]], name: str
) -> None:
    record, draws = records[name][0], np.random.default_rng(0)
    (way, *rest) = record.ways
    feature = draws.choice(list(way.changes))
    wrong: list[dict[str, Any]] = [
        {"predicted": 1},
        {"wanted": 0},
        {"score": (record.score or 0) + 1e-6},
        {"threshold": 0.4},
        {"ways": [way.model_copy(update={"score": 0.987}), *rest]},
        {"ways": [way.model_copy(update={"prediction": 0}), *rest]},
        {"ways": [way.model_copy(update={"distance": way.distance + 0.001}), *rest]},
        {"ways": [way.model_copy(update={"changes": {}}), *rest]},
        {"ways": [way.model_copy(update={"changes": {**way.changes, "age": 17}}), *rest]},
        {"ways": [way.model_copy(update={"changes": {feature: "nonsense"}}), *rest]},
        {"run": {**record.run, "classes": ["a", "b"]}},
        {"run": {**record.run, "decides_from": 0.25}},
    ]
    if record.reproducible:
        wrong += [{"status": "partial"}, {"ways": rest}, {"ways": [*rest, way]}]
        wrong += [{"ways": [way.model_copy(update={"extra": not way.extra}), *rest]}]
    forged = [record.model_copy(update=update) for update in wrong]
    found = rederive_all(forged, mixed.explainer, [rows[0]] * len(forged))
    assert [update for update, said in zip(wrong, found, strict=True) if not said] == []


def test_a_rule_that_a_late_answer_breaks_is_found(
    mixed: Handler, rows: list[dict[str, Any]], records: dict[str, list[DecisionRecord]]
) -> None:
    record = records["seconds"][0]
    way = next(way for way in record.ways)
    rules = [*record.run["rules"], f"{next(iter(way.changes))} fixed"]
    broken = record.model_copy(update={"run": {**record.run, "rules": rules}})
    assert any("breaks a rule" in said for said in rederive(broken, mixed.explainer, rows[0]))


def test_answers_with_causes_are_derived_and_judged() -> None:
    lender = ifonly.datasets.make_lender(120, seed=0)
    rich = ifonly.as_model(lambda f: f["savings"] > 15_000, classes=["no", "yes"])
    causes = ifonly.CausalModel(lender.graph, lender.equations)
    handler = Handler(ifonly.Explainer(rich, data=lender.frame, causes=causes))
    rows = as_json(lender.frame[lender.frame["savings"] < 12_000][:2])
    for budget in (None, {"seconds": 60.0}):
        records = decided(handler, rows, k=2, budget=budget)
        assert max(len(way.changes) for record in records for way in record.ways) > 1
        assert rederive_all(records, handler.explainer, rows) == [[], []]
        (way, *rest) = records[0].ways
        forged = {"ways": [way.model_copy(update={"changes": {"loan": 5000}}), *rest]}
        assert rederive(records[0].model_copy(update=forged), handler.explainer, rows[0])


def test_what_was_another_is_said(
    mixed: Handler,
    small: Handler,
    rows: list[dict[str, Any]],
    records: dict[str, list[DecisionRecord]],
) -> None:
    record = records["default"][0]
    (said,) = rederive(record, small.explainer, {"income": 10, "job": "a"})
    assert "another model" in said
    for name, what in (("space_fingerprint", "features"), ("causes", "causes")):
        other = record.model_copy(update={"run": {**record.run, name: "0" * 16}})
        (said,) = rederive(other, mixed.explainer, rows[0])
        assert what in said
    robust = record.model_copy(update={"run": {**record.run, "robust": {"models": 2}}})
    assert "must agree" in rederive(robust, mixed.explainer, rows[0])[0]
    own = record.model_copy(update={"run": {**record.run, "method": "Mine()"}})
    assert "cannot be derived again" in rederive(own, mixed.explainer, rows[0])[0]


def test_a_row_that_is_not_the_records_own_is_found(
    mixed: Handler, rows: list[dict[str, Any]], records: dict[str, list[DecisionRecord]]
) -> None:
    assert rederive(records["default"][0], mixed.explainer, rows[1])
    assert rederive(records["default"][0], mixed.explainer, {"nonsense": 1})
