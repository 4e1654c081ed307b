"""Rules on what follows from an action: the row may break them as it is, and consequences obey."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.status import Status

RNG = np.random.default_rng(0)
AGE, DEGREE = RNG.integers(20, 60, 500), RNG.integers(0, 4, 500)
DATA = pd.DataFrame(
    {
        "age": AGE,
        "degree": DEGREE,
        "income": 300 * AGE + 4000 * DEGREE + RNG.integers(-2000, 2000, 500),
    }
)
ROW = pd.DataFrame({"age": [30], "degree": [1], "income": [13500]})
MODEL = ifonly.as_model(lambda f: (f["income"] > 26000).astype(float), classes=["no", "yes"])
RULES = [
    ["income at least 20000"],
    ["income increases"],
    ["income increases by at least 5000"],
    ["income between 26001 and 30000"],
]


def explain(rules: list[str], actions: list[str] | None) -> ifonly.Answers:
    equations = {"income": lambda causes: 300 * causes["age"] + 4000 * causes["degree"]}
    causes = ifonly.CausalModel({"income": ("age", "degree")}, equations, actions=actions)
    return ifonly.explain(MODEL, ROW, data=DATA, k=2, target="yes", causes=causes, rules=rules)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules[0])
@pytest.mark.parametrize(
    "actions", [["age", "degree"], None], ids=["causes alone", "every feature"]
)
def test_a_rule_that_the_row_breaks_is_obeyed_by_consequence(
    rules: list[str], actions: list[str] | None
) -> None:
    answers = explain(rules, actions)
    assert answers.status[0] is Status.FOUND
    assert (answers.frame()["income"] > 26000).all()


@pytest.mark.parametrize("rules", RULES[:3], ids=lambda rules: rules[0])
def test_answers_by_consequence_are_found_where_the_effect_can_be_acted_on(
    rules: list[str],
) -> None:
    acted = explain(rules, None).acted_features()[0]
    free = explain([], None).acted_features()[0]
    assert not acted[:, 2].all(), "some answer lets the income follow"
    assert np.array_equal(acted, free)


def test_a_consequence_that_no_action_reaches_is_infeasible() -> None:
    stuck = explain(["income at least 20000", "age fixed", "degree fixed"], ["age", "degree"])
    assert stuck.status[0] is Status.INFEASIBLE
    apart = explain(["income at least 20000", "age fixed"], ["age"])
    assert apart.status[0] is Status.INFEASIBLE
    other = explain(["income at least 20000", "age fixed"], ["age", "degree"])
    assert other.notes[0] == "Every allowed change was tried: none is enough."


def test_the_answers_of_a_row_do_not_depend_on_the_rules_of_others() -> None:
    rows = pd.concat([ROW, ROW.assign(age=25)])
    equations = {"income": lambda causes: 300 * causes["age"] + 4000 * causes["degree"]}
    causes = ifonly.CausalModel({"income": ("age", "degree")}, equations)
    asked: dict[str, Any] = {"data": DATA, "k": 2, "target": "yes", "causes": causes}
    alone = ifonly.explain(MODEL, rows, **asked)
    beside = ifonly.Explainer(MODEL, data=DATA, causes=causes).explain(
        rows, k=2, target="yes", row_rules={1: ["income at least 27000"]}
    )
    assert np.array_equal(alone.points[0], beside.points[0])
    assert (beside.frame().query("query == 1")["income"] >= 27000).all()
