"""Single rows have rules of their own, and no other row feels them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly.errors import RuleError

RNG = np.random.default_rng(1)
DATA = pd.DataFrame(
    {"income": RNG.integers(10, 100, 300), "debt": RNG.integers(0, 60, 300), "age": 30}
)
MODEL = ifonly.as_model(lambda f: f["income"] - f["debt"] > 40, classes=["no", "yes"])
ROWS = DATA[DATA["income"] - DATA["debt"] <= 40][:6]


def explain(row_rules: Any = None, rows: pd.DataFrame = ROWS, **options: Any) -> ifonly.Answers:
    return ifonly.Explainer(MODEL, data=DATA).explain(rows, k=3, row_rules=row_rules, **options)


OWN = {0: ["income fixed"], 2: ["debt fixed", "income at most 95"], 3: ["debt + income <= 80"]}


def test_each_row_obeys_its_own_rules() -> None:
    frame = explain(OWN).frame()
    own = ROWS.reset_index(drop=True)
    first, third, fourth = (frame[frame["query"] == row] for row in (0, 2, 3))
    assert len(first)
    assert (first["income"] == own["income"][0]).all()
    assert len(third)
    assert (third["debt"] == own["debt"][2]).all()
    assert (third["income"] <= 95).all()
    assert len(fourth)
    assert (fourth["debt"] + fourth["income"] <= 80).all()


def test_rules_of_others_change_nothing_for_a_row() -> None:
    free, bound = explain(), explain(OWN)
    for row in (1, 4, 5):
        assert np.array_equal(free.points[row], bound.points[row])
    for row, rules in OWN.items():
        alone = explain({0: rules}, rows=ROWS[row : row + 1])
        assert np.array_equal(alone.points[0], bound.points[row])
        assert np.array_equal(explain(rules=rules).points[row], bound.points[row])


def test_a_list_with_an_entry_a_row_says_the_same() -> None:
    listed = [OWN.get(row) for row in range(len(ROWS))]
    assert np.array_equal(explain(listed).points, explain(OWN).points)


def test_the_record_holds_them() -> None:
    answers = ifonly.Answers.from_json(explain(OWN).to_json())
    assert answers.record["row_rules"][3] == ["debt + income <= 80"]
    assert str(answers.plan(3))


@pytest.mark.parametrize(
    ("row_rules", "told"),
    [
        ({900: ["debt fixed"]}, "row 900"),
        ({"0": ["debt fixed"]}, "row '0'"),
        ([["debt fixed"]], "6 rows"),
        ("debt fixed", "6 rows"),
        ({0: ["dept fixed"]}, "dept"),
    ],
)
def test_row_rules_that_mean_nothing_are_told(row_rules: Any, told: str) -> None:
    with pytest.raises(RuleError, match=told):
        explain(row_rules)
