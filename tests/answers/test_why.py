"""A row without answers says why: the rules that clash, or those that reject candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import MissingExtra
from ifonly.status import Status

RNG = np.random.default_rng(2)
DATA = pd.DataFrame(
    {
        "age": RNG.integers(20, 60, 200),
        "income": RNG.integers(10, 100, 200),
        "debt": RNG.integers(0, 60, 200),
        "job": RNG.choice(["Sales", "Service"], 200),
    }
)
MODEL = ifonly.as_model(lambda f: f["income"] - f["debt"] > 40, classes=["no", "yes"])
ROW = pd.DataFrame({"age": [30], "income": [50], "debt": [30], "job": ["Sales"]})


def explain(rules: list[str], rows: pd.DataFrame = ROW, **options: Any) -> ifonly.Answers:
    return ifonly.explain(MODEL, rows, data=DATA, k=2, rules=rules, **options)


CLASH = ["income + debt <= 60", "income at least 45", "debt only increases"]
OTHERS = ["job fixed", "age changes by at most 5", "at most 3 features change", "age at most 59"]


def test_the_smallest_clash_is_named_and_nothing_else() -> None:
    answers = explain([*OTHERS[:2], CLASH[0], OTHERS[2], *CLASH[1:], OTHERS[3]])
    assert answers.status == (Status.INFEASIBLE,)
    for rule in CLASH:
        assert f"'{rule}'" in answers.notes[0]
    for rule in OTHERS:
        assert f"'{rule}'" not in answers.notes[0]
    assert set(answers.why(0).conflict) == set(CLASH)
    assert "income is 50" in answers.notes[0]


@pytest.mark.parametrize("dropped", CLASH)
def test_without_any_one_of_them_there_is_a_way(dropped: str) -> None:
    rules = [rule for rule in (*OTHERS, *CLASH) if rule != dropped]
    assert explain(rules).status[0] is not Status.INFEASIBLE


def test_the_rule_that_rejects_most_candidates_comes_first() -> None:
    answers = explain(["income at most 55", "debt at least 25", "age only increases"])
    assert answers.status == (Status.NOT_FOUND,)
    why = answers.why(0)
    assert why.valid > 0
    counts = list(why.rejected.values())
    assert counts == sorted(counts, reverse=True)
    assert set(list(why.rejected)[:2]) == {"income at most 55", "debt at least 25"}
    assert "'income at most 55' rejects" in str(why)


@pytest.mark.parametrize("seed", range(8))
def test_law_enough_lists_the_rules_without_which_alone_there_is_an_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    limit, least = rng.integers(51, 70), rng.integers(5, 31)
    every = [f"income at most {limit}", f"debt at least {least}", "debt only increases"]
    every += ["income only decreases", "age only increases", "job fixed", "debt fixed"]
    rules = [every[place] for place in rng.choice(len(every), 4, replace=False)]
    answers = explain(rules)
    if answers.status[0].answered:
        return
    truth = {
        rule for rule in rules if explain([one for one in rules if one != rule]).status[0].answered
    }
    why = answers.why(0)
    assert set(why.enough) == truth
    for rule in truth:
        assert f"'{rule}'" in str(why).partition("It is enough to lift")[2]


def test_an_outcome_that_no_candidate_has_is_said_to_be_so() -> None:
    never = ifonly.as_model(lambda f: f["income"] > 1e6, classes=["no", "yes"])
    answers = ifonly.explain(never, ROW, data=DATA, rules=["job fixed"])
    why = answers.why(0)
    assert why.valid == 0
    assert why.asked > 100
    assert "none of them" in str(why)


def test_an_answered_row_has_nothing_to_explain() -> None:
    answers = explain([])
    assert str(answers.why(0)) == "Status: found."


def test_saved_answers_keep_the_note() -> None:
    saved = ifonly.Answers.from_json(explain(CLASH).to_json())
    assert CLASH[0] in str(saved.why(0))


def test_a_row_that_breaks_a_rule_itself_is_told_so() -> None:
    answers = explain(["income at least 60"])
    assert answers.status == (Status.FOUND,)
    assert answers.notes == ("The row itself breaks 'income at least 60'.",)


def test_without_a_solver_boxes_still_tell_and_relations_are_not_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(*_: Any) -> None:
        raise MissingExtra("highspy", "exact")

    monkeypatch.setattr("ifonly.search.exact.clash", absent)
    assert explain(CLASH).status == (Status.NOT_FOUND,)
    boxes = explain(["age fixed", "job fixed", "age at least 31"])
    assert boxes.status == (Status.INFEASIBLE,)
    assert boxes.why(0).conflict == ("age fixed", "age at least 31")
