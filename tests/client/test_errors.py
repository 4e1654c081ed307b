"""A client refuses what the `Explainer` behind the server refuses, and says what cannot be sent."""

from __future__ import annotations

from typing import Any

import pytest

import ifonly
from ifonly import errors
from ifonly.client import Client
from ifonly.client.request import request_of

from .models import FRAME


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
    ids=lambda options: str(options).partition(" at 0x")[0],
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
    (told,) = shared.reasons(FRAME[5:6])
    own = mixed.explain(FRAME[5:6], k=1).reasons(0)
    assert [one["sentence"] for one in told["reasons"]] == [one.sentence for one in own] != []
    said = shared.predict(FRAME[5:7], threshold=0.3)
    assert [one["prediction"] for one in said["rows"]] == [0, 0]
    assert shared.model["task"] == "classification"
    assert shared.ask("check_rules", rules=["age fixed"])["rules"][0]["text"] == "age fixed"
    answers = shared.explain(FRAME[5:6], k=1)
    assert str(answers.plan(0)).startswith("1. ")
    with pytest.raises(errors.OptionError, match="no model"):
        answers.region(0)
