"""Actions as advice to some rows: their words name only what they change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import ifonly
from ifonly.fairness.actions import Action, ActionSet, FewActions, Step
from ifonly.fairness.actions.tried import Tried
from ifonly.fairness.compared import Terms
from ifonly.fairness.further import Further
from ifonly.fairness.one_pass import Pass


def test_a_step_that_changes_no_row_is_left_out_of_the_words() -> None:
    space = ifonly.Space.describe(
        {"name": "pay", "low": 0, "high": 90},
        {"name": "debt", "low": 0, "high": 90},
        {"name": "job", "levels": ["x", "y"]},
    )
    steps = [(0, "raise", 30.0), (1, "lower", 40.0), (2, "set", 1.0)]
    action = Action(tuple(Step((j,), kind, (value,)) for j, kind, value in steps))
    rows = np.array([[20.0, 10.0, 0.0], [40.0, np.nan, 0.0], [50.0, 60.0, 1.0]])
    here = [action.for_rows(space, rows[part]) for part in ([0, 1], [1], [0, 2], [2])]
    assert [one.text(space) for one in here] == [
        "raise pay to at least 30 and set job to y",
        "set job to y",
        action.text(space),
        "lower debt to at most 40",
    ]
    assert action.for_rows(space, np.array([[30.0, 40.0, 1.0]])) == action


def test_advice_names_only_what_changes_the_rows_it_is_for(monkeypatch: Any) -> None:
    """Half of the rows lack pay, and half have too much debt: two actions, each for both."""
    n, random = 120, np.random.default_rng(0)
    poor, woman = np.arange(n) % 2 == 0, np.arange(n) % 4 < 2
    frame = pd.DataFrame(
        {
            "pay": np.where(poor, random.integers(10, 20, n) + 15 * ~woman, 60),
            "debt": np.where(poor, 5, random.integers(60, 70, n)),
        }
    )

    def granted(rows: pd.DataFrame) -> Any:
        pay, debt = rows["pay"], rows["debt"]
        return ((pay >= 50) & (debt <= 30)) | ((pay >= 40) & (debt <= 10))

    model = ifonly.as_model(granted, classes=["no", "yes"])
    answers = ifonly.explain(model, frame, data=frame, target="yes", k=1, plausible=False)
    done = Pass.of(answers, pd.DataFrame({"sex": pd.Categorical(np.where(woman, "f", "m"))}))
    ends = [(50.0, 30.0), (40.0, 10.0)]
    actions = [Action((Step((0,), "raise", (a,)), Step((1,), "lower", (b,)))) for a, b in ends]
    pool = Tried.of(done, np.arange(n), actions)
    texts = tuple(one.text(done.space) for one in pool.actions)
    both = ActionSet((0, 1), texts, pool.cost.argmin(axis=1), pool.cost.min(axis=1))
    few = FewActions((both,), pool.actions, texts, pool.cost, 2)
    monkeypatch.setattr("ifonly.fairness.further.few_actions", lambda done, seed: few)
    further = Further.of(done, Terms(least=8))
    assert further.tree is not None
    assert {leaf.action for leaf in further.tree.leaves} == {
        "raise pay to at least 40",
        "lower debt to at most 30",
    }
    assert all(leaf.effectiveness == 1 for leaf in further.tree.leaves)
    search, seen = further.worst["sex"], set()
    for one, advice in further.advised(search):
        rows = np.concatenate([one.members, one.others])
        for line in advice:
            seen.add(line.action)
            assert ("raise pay" in line.action) == poor[rows].any()
            assert ("lower debt" in line.action) == (~poor[rows]).any()
            assert line.effectiveness == (1, 1)
    assert seen - {*texts}, "some subgroup has only one of the two kinds of rows"
