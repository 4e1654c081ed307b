"""What was planted in the lender is found, with its size; where nothing was, nothing is found.

The loan alone may change here, in hundreds, so that the cost of each applicant is known by
arithmetic: the audit is compared with 200,000 applicants who were never searched.
"""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Any

import pandas as pd
import pytest

import ifonly
from ifonly.datasets import make_lender
from ifonly.fairness.one_pass import Pass
from ifonly.fairness.subgroups import Subgroups, worst_subgroups
from ifonly.search import Engine
from planted import FIXED, audited, true_difference


@cache
def passed(bias: str, seed: int, n: int = 1000) -> tuple[Pass, pd.DataFrame]:
    """The pass over the refused applicants, and their groups."""
    return audited(n, seed, bias)


def worst(bias: str, seed: int, n: int = 1000, **options: Any) -> Subgroups:
    """The worst subgroups of the refused applicants."""
    done, groups = passed(bias, seed, n)
    return worst_subgroups(done.space, done.rows, done.cost, groups, **options)


def test_an_extra_cost_of_one_group_is_found_with_its_size() -> None:
    found = worst("cost", 0, attribute="group")
    assert found.alarms
    assert {one.side for one in found.alarms} == {"b"}
    first = found.alarms[0]
    true = true_difference("cost", first, passed("cost", 0)[0].space)
    assert true > 0.1
    assert first.low <= true <= first.high


def test_a_hidden_proxy_is_found_though_the_model_does_not_know_the_group() -> None:
    found = worst("proxy", 0, attribute="group")
    assert "group" not in passed("proxy", 0)[0].space.names
    assert found.alarms
    assert {one.side for one in found.alarms} == {"b"}
    first = found.alarms[0]
    true = true_difference("proxy", first, passed("proxy", 0)[0].space)
    assert true > 0.1
    assert first.low <= true <= first.high
    # What stands for the group explains it: within a district, nothing is left.
    assert not any("district" in " ".join(one.conditions) for one in found.alarms)
    by_district = worst("proxy", 0).alarms
    assert any("district is south" in one.conditions for one in by_district)


@pytest.mark.parametrize("by", ["reach", "curve"])
def test_a_subgroup_of_two_conditions_without_any_way_is_found(by: str) -> None:
    found = worst("blocked", 0, by=by, least=20)
    first = found.alarms[0]
    assert set(first.conditions) == {"job is manual", "district is south"}
    assert first.reach[0] == 0
    true = true_difference("blocked", first, passed("blocked", 0)[0].space)
    assert true > 0.95
    assert first.low <= true <= first.high
    assert (passed("blocked", 0)[0].proved_none[first.members]).all()


def test_an_audit_and_its_report_name_those_who_have_no_way_at_all() -> None:
    lender = make_lender(600, seed=0, bias="blocked")
    result = ifonly.audit(
        ifonly.as_model(lender.approves, classes=["refused", "approved"]),
        lender.frame,
        data=lender.frame,
        target="approved",
        groups=["group"],
        rules=[f"{name} fixed" for name in FIXED],
        k=1,
        least=20,
        method=Engine(effort="small"),
    )
    first = result.further.unreached[""].alarms[0]
    assert set(first.conditions) == {"job is manual", "district is south"}
    # Nine of ten in that district are of group b, so that the groups differ there too.
    assert {one.side for one in result.further.unreached["group"].alarms} == {"b"}
    page = result.to_html().partition("All subgroups, by whether there is an answer at all")[2]
    assert escape(first.sentence) in page


@pytest.mark.parametrize("seed", range(5))
def test_no_alarm_is_raised_where_nothing_is_planted(seed: int) -> None:
    for by in ("curve", "reach"):
        found = worst("none", seed, 800, attribute="group", by=by)
        assert found.comparisons > 100
        assert not found.alarms
