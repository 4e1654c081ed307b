"""Rules that cannot hold are named: for all rows as an error, for one row as its status."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import RuleError
from ifonly.status import Status

DATA = pd.DataFrame(
    {
        "age": [22, 35, 41, 58, 63, 29],
        "income": [1200.5, 3400.0, 5100.25, 2800.0, 900.0, 4100.0],
        "job": ["Sales", "Service", "Sales", "Professional", "Service", "Professional"],
    }
)
LENDER = ifonly.as_model(lambda frame: frame["income"] > 3000, classes=["refused", "granted"])


def explain(rules: Any, rows: Any = None) -> ifonly.Answers:
    rows = DATA[:1] if rows is None else rows
    return ifonly.explain(LENDER, rows, data=DATA, k=2, rules=rules)


@pytest.mark.parametrize(
    ("rule", "told", "hint"),
    [
        ("agee fixed", "'agee'", "'age'"),
        (ifonly.fixed("incom"), "'incom'", "'income'"),
        (ifonly.only_increases("Age"), "'Age'", "'age'"),
        ("jobs in Sales", "'jobs'", "'job'"),
        ("job in Sales, Servise", "'Servise'", "'Service'"),
        ("job between 1 and 2", "'job'", "job in Professional"),
        ("age in 22, 35", "'age'", "age between 22 and 63"),
        ("job only increases", "'job'", "ordinal="),
        ("age between 60 and 30", "reversed", "lower bound first"),
        ("age between young and 30", "'young'", "age between 30 and 60"),
        ("age must rise", "age must rise", "only increases"),
        (17, "17", "ifonly.fixed"),
    ],
)
def test_a_rule_that_does_not_fit_is_named_with_what_would(rule: Any, told: str, hint: str) -> None:
    with pytest.raises(RuleError) as caught:
        explain([rule])
    assert told in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (["age between 30 and 40", "age between 50 and 60"], "age"),
        (["job is Sales", "job is Service"], "job"),
        (["income at least 6000", "income at most 5000.5"], "income"),
    ],
)
def test_rules_that_no_row_can_satisfy_are_all_named(rules: list[Any], name: str) -> None:
    with pytest.raises(RuleError, match="No row can satisfy") as caught:
        explain(rules)
    for rule in rules:
        assert f"'{rule}'" in caught.value.message
    assert repr(name) in caught.value.message
    assert re.search("[Dd]rop or widen", caught.value.hint)


@pytest.mark.parametrize(
    ("rules", "clashing"),
    [
        (["age fixed", "age between 30 and 60"], ["age fixed", "age between 30 and 60"]),
        (["job fixed", "job in Service"], ["job fixed", "job is Service"]),
        (
            ["age only decreases", "age between 30 and 60", "job fixed"],
            ["age only decreases", "age between 30 and 60"],
        ),
        (["age fixed", "income fixed", "job fixed"], ["age fixed", "income fixed", "job fixed"]),
    ],
)
def test_rules_impossible_for_one_row_make_that_row_infeasible(
    rules: list[str], clashing: list[str]
) -> None:
    rows = DATA.iloc[[0, 1]].assign(income=2000.0)
    answers = explain(rules, rows)
    assert answers.status[0] is Status.INFEASIBLE
    for rule in clashing:
        assert f"'{rule}'" in answers.notes[0]
    assert not answers.filled[0].any()
    assert answers.sentences()[0] == [f"No change can give granted. {answers.notes[0]}"]
    if len(rules) == 2:  # the other row may keep its own value
        assert answers.status[1] is Status.FOUND
        assert answers.notes[1] == ""


def test_a_row_beyond_the_range_that_may_not_come_back_is_infeasible() -> None:
    rows = DATA[:2].assign(age=[99, 35], income=2000.0)
    answers = explain(["age between 20 and 60", "age only increases"], rows)
    assert answers.status == (Status.INFEASIBLE, Status.FOUND)


@pytest.mark.parametrize(
    "rule", ["age between 30.2 and 30.8", "income between 6000 and 9000", "age at least 64"]
)
def test_a_rule_that_no_known_value_satisfies_makes_single_rows_infeasible(rule: str) -> None:
    answers = explain([rule], DATA[:2].assign(income=2000.0))
    assert answers.status == (Status.INFEASIBLE, Status.INFEASIBLE)
    assert all(f"'{rule}'" in note for note in answers.notes)


OBEYS = {
    "outside the range": ({"age": 95, "hours": 20, "rate": 5.0}, "age at least 91"),
    "without the value": ({"age": 40, "hours": 20, "rate": None}, "rate at least 200"),
    "between two values": ({"age": 40, "hours": 20, "rate": 5.25}, "rate between 5.2 and 5.3"),
    "out of step": ({"age": 40, "hours": 20, "rate": 5.0}, "age in steps of 1000"),
}


@pytest.mark.parametrize(("row", "rule"), OBEYS.values(), ids=OBEYS.keys())
def test_a_row_that_obeys_is_answered_whatever_the_known_values_are(
    row: dict[str, Any], rule: str
) -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "age": rng.integers(17, 91, 300),
            "hours": rng.integers(1, 99, 300),
            "rate": np.where(rng.random(300) < 0.1, np.nan, rng.integers(0, 150, 300)),
        }
    )
    model = ifonly.as_model(lambda frame: frame["hours"] > 60, classes=["no", "yes"])
    # Another row, which has no way to obey unless it does already.
    rows = pd.concat([pd.DataFrame([row]), data[data["hours"] < 50][:1]])
    asked: dict[str, Any] = {"data": data, "k": 1, "target": "yes"}
    together = ifonly.explain(model, rows.astype(data.dtypes), rules=[rule], **asked)
    alone = ifonly.Explainer(model, data=data).explain(
        rows.astype(data.dtypes), row_rules={0: [rule], 1: [rule]}, k=1, target="yes"
    )
    assert together.status[0] is Status.FOUND
    assert together.status == alone.status


def test_the_outcome_out_of_reach_is_not_found_and_sinks_no_other_row() -> None:
    answers = explain(["income only decreases"], DATA[:1])
    assert answers.status == (Status.NOT_FOUND,)
    assert answers.sentences() == [["No change that gives granted was found."]]
    assert len(answers.frame()) == 0
    assert len(answers.changes()) == 0
