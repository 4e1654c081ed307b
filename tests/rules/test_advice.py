"""A rule that demands a change, and may be meant as a limit, is explained in the row's note."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.rules import Rule, parse
from ifonly.rules.language.advice import said_of_broken
from ifonly.space import Space

DATA = pd.DataFrame({"income": [10, 20, 30, 60, 80, 90], "debt": [5, 4, 3, 2, 1, 9]})
RICH = ifonly.as_model(lambda frame: frame["income"] > 50, classes=["no", "yes"])


@given(
    name=st.text(min_size=1, max_size=12),
    way=st.sampled_from([ifonly.increases, ifonly.decreases]),
    amount=st.integers(1, 10**6).map(lambda n: n / 8),
    percent=st.booleans(),
    joined=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_what_is_advised_limits_the_change_and_demands_none(
    name: str, way: object, amount: float, percent: bool, joined: bool
) -> None:
    space = Space.describe({"name": name, "low": 1, "high": 10**7, "mad": 1, "decimals": 3})
    rule: Rule = way(name, at_most=f"{amount}%" if percent else amount)  # type: ignore[operator]
    limits = said_of_broken([rule & ifonly.fixed(name) if joined else rule]).partition("write '")[2]
    advised = [parse(text, space) for text in limits.removesuffix("'.").split("' and '")]
    x = np.array([[10**6 + 0.125]])
    points = x[:, None] + np.linspace(-2.0, 2.0, 41).reshape(1, -1, 1) * amount
    held = np.all([one.holds(space, x, points) for one in advised], axis=0)
    same = (points == x[:, None])[:, :, 0]
    assert held[same].all()
    assert (held == (rule.holds(space, x, points) | same)).all()


@pytest.mark.parametrize("way", ["increases", "decreases"])
def test_the_note_says_that_a_change_is_demanded(way: str) -> None:
    rule = f"debt {way} by at most 3"
    answers = ifonly.explain(RICH, DATA[1:2], data=DATA, k=1, rules=[rule])
    assert answers.notes[0].startswith(
        f"The row itself breaks '{rule}'. '{rule}' demands that debt {way}. "
        f"For a limit write 'debt only {way}' and 'debt changes by at most 3'."
    )


@pytest.mark.parametrize(
    "rule",
    [
        "debt changes by at most 3",
        "debt increases",
        "debt increases by at least 1",
        "debt increases by between 1 and 3",
        "income increases => debt decreases by at most 3",
        "not (debt only decreases)",
    ],
)
def test_what_cannot_be_misread_gets_no_advice(rule: str) -> None:
    answers = ifonly.explain(RICH, DATA[1:2], data=DATA, k=1, rules=[rule])
    assert not re.search("demands|For a limit", answers.notes[0])
