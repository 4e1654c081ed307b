"""A plan orders the changes of an answer so that no rule is broken on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.answers.plan import Plan, plan
from ifonly.errors import OptionError
from ifonly.rules import as_rules
from ifonly.testing import random_codes, random_space
from ifonly.testing.grammar import random_grammar

SPACE = ifonly.Space.describe(
    {"name": "age", "low": 18, "high": 70},
    {"kind": "ordinal", "name": "education", "levels": ["school", "bachelor", "master"]},
    {"name": "job", "levels": ["clerk", "engineer", "doctor"]},
    {"name": "income", "low": 0, "high": 200},
)
NOW, THEN = np.array([30.0, 0, 0, 50]), np.array([38.0, 2, 1, 90])


def planned(rules: list[str], then: np.ndarray = THEN) -> Plan:
    return plan(SPACE, as_rules(rules, SPACE), NOW, then)


def order(made: Plan) -> list[list[str]]:
    return [[c.feature for c in step.changes if not c.follows] for step in made.steps]


def test_the_degree_comes_before_the_job() -> None:
    made = planned(["if job is engineer then education is master"])
    flat = [name for step in order(made) for name in step]
    assert flat.index("education") < flat.index("job")
    assert all(len(step) == 1 for step in order(made))


def test_changes_that_rules_tie_together_are_one_step() -> None:
    made = planned(["job and income change together or not at all"])
    assert ["job", "income"] in order(made)
    assert sum(len(step) for step in order(made)) == 4


def test_time_passes_with_the_moves_that_take_it() -> None:
    made = planned(["education: school -> bachelor takes 4, bachelor -> master takes 2 of age"])
    step = next(step for step in made.steps if step.takes)
    assert (step.takes, step.of) == (6.0, "age")
    assert ("age", 36) in [(c.feature, c.after) for c in step.changes]
    assert made.takes == {"age": 6.0}
    assert "takes 6 of age" in str(made)
    last = made.steps[-1].changes
    assert ("age", 38) in [(c.feature, c.after) for c in last]


def test_of_two_times_for_one_move_the_longer_passes() -> None:
    lines = [f"education: school -> master takes {time} of age" for time in (3, 5, 2)]
    made = planned(lines)
    assert made.takes == {"age": 5.0}
    step = next(step for step in made.steps if step.takes)
    assert ("age", 35) in [(c.feature, c.after) for c in step.changes]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_no_rule_is_broken_on_the_way_unless_all_must_change_at_once(seed: int) -> None:
    space = random_space(seed)
    x, then = random_codes(space, 2, seed)
    then = np.where(np.isnan(x) | np.isnan(then), x, then)
    rules = [
        rule
        for rule in random_grammar(space, seed, 3)
        if rule.holds(space, x[None], then[None, None]).all()
    ]
    made = plan(space, rules, x, then)
    here, named = x.copy(), {name: j for j, name in enumerate(space.names)}
    for step in made.steps:
        for change in step.changes:
            j = named[change.feature]
            feature = space.features[j]
            levels = getattr(feature, "levels", None)
            here[j] = change.after if levels is None else levels.index(change.after)
        for rule in rules:
            assert rule.holds(space, x[None], here[None, None]).all(), f"{rule} after {step}"
    assert np.allclose(here, then, equal_nan=True)


def test_answers_plan_themselves_fresh_and_saved() -> None:
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"debt": rng.integers(0, 50, 99), "income": rng.integers(0, 99, 99)})
    model = ifonly.as_model(lambda f: f["income"] - f["debt"] > 30, classes=["no", "yes"])
    rules = ["debt + 10 <= income"]
    rows = data[(data["income"] - data["debt"]).between(10, 30)][:3]
    answers = ifonly.explain(model, rows, data=data, k=2, rules=rules)
    made = answers.plan(0, 1)
    assert made == ifonly.Answers.from_json(answers.to_json()).plan(0, 1)
    for bad in ((0, 2), (0, -1), (3, 0)):
        with pytest.raises(OptionError):
            answers.plan(*bad)


def test_actions_are_planned_and_their_consequences_shown() -> None:
    lender = ifonly.datasets.make_lender(800, seed=1)
    model = ifonly.as_model(lender.approves, classes=["refused", "approved"])
    causes: Any = ifonly.CausalModel(lender.graph, lender.equations, actions=["education", "job"])
    rows = lender.frame[lender.outcome == "refused"]
    answers = ifonly.explain(model, rows[:30], data=lender.frame, causes=causes, k=2)
    row = int(np.flatnonzero(answers.filled[:, 0])[0])
    made = answers.plan(row, 0)
    assert {c.feature for s in made.steps for c in s.changes if not c.follows} <= {
        "education",
        "job",
    }
    assert any(c.follows for s in made.steps for c in s.changes)
    with pytest.raises(OptionError, match="causal model"):
        ifonly.Answers.from_json(answers.to_json()).plan(row, 0)
