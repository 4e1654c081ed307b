"""The text of rules on dates: what is read, written as JSON, suggested, and refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import ifonly
from ifonly import Space
from ifonly.errors import RuleError
from ifonly.rules import as_rules
from ifonly.rules.json import to_plain

TIMES = pd.DataFrame(
    {
        "start": pd.date_range("2023-01-01", periods=30),
        "end": pd.date_range("2023-02-01", periods=30),
        "seen": pd.date_range("2023-01-01 10:30:05", periods=30, tz="Europe/Berlin"),
        "wait": pd.to_timedelta(np.arange(30), unit="D"),
        "income": np.arange(30),
        "job": ["a", "b"] * 15,
    }
)


@pytest.mark.parametrize(
    "line",
    [
        *("start >= 2023-01-05", "wait at most 3 weeks", "start = 2023-01-09"),
        *("seen between 2023-01-05 12:00 and 2023-01-08 12:00+02:00", "start in steps of 7 days"),
        *("start >= 1960-01-01", "start + wait >= 1960-01-01", "end - 3 days >= start + 1 week"),
        *("end - start <= 40 days", "start <= end", "start + wait <= end", "end >= start + 1 day"),
        *("seen increases by between 2 hours and 36 hours", "job: a -> b takes 40 days of start"),
        *("forbid job=a, start<2023-01-05", "job determines start: a -> 2023-01-05"),
    ],
)
def test_a_rule_on_dates_is_its_own_text(line: str) -> None:
    space = Space.infer(TIMES)
    (rule,) = as_rules([line], space)
    assert str(rule) == line
    assert as_rules([rule], space) == (rule,)
    if "determines" not in line:
        (read,) = as_rules([json.loads(json.dumps(to_plain(rule)))], space)
        assert (read, str(read)) == (rule, line)


def test_python_states_dates_as_python_has_them() -> None:
    rules = as_rules(
        [
            ifonly.between("start", date(2023, 1, 1), "2023-01-08"),
            ifonly.changes("start", at_most=timedelta(days=3)),
            ifonly.at_least("seen", pd.Timestamp("2023-01-01 12:30", tz="UTC")),
        ],
        Space.infer(TIMES),
    )
    assert [str(rule) for rule in rules] == [
        "start between 2023-01-01 and 2023-01-08",
        "start changes by at most 3 days",
        "seen at least 2023-01-01 12:30+00:00",
    ]
    assert rules[2].low == pd.Timestamp("2023-01-01 12:30").timestamp()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "told", "hint"),
    [
        ("start >= 3", "'start' wants a date", "2024-01-01"),
        ("start changes by at most 3", "'start' wants a duration", "30 days"),
        ("start >= 30 days", "'start' wants a date", "2024-01-01"),
        ("wait >= 2023-01-01", "'wait' wants a duration", "30 days"),
        ("income >= 2023-01-01", "none of its features is a date", "numbers"),
        ("start <= income", "income (a number)", "same unit"),
        ("start <= seen", "seen (seconds)", "same unit"),
        ("start <= wait", "compares dates with durations", "start <= end"),
        ("end - start <= 30", "30 among dates", "30 days"),
        ("start changes by at most 2 months", "no fixed length", "days"),
        ("start >= 2023-02-30", "no date 2023-02-30", "2024-03-01"),
        ("start is 2023-01-05", "'is' is for levels", "start = 2023-01-01"),
        ("start changes by at most 10%", "a share of a date", "30 days"),
        ("wait changes by at most 10 days%", "a share of a date", "30 days"),
        ("start / income <= 3", "multiplies or divides 'start'", "end - start <= 30 days"),
        ("wait * wait <= 30 days", "multiplies or divides 'wait'", "end - start <= 30 days"),
        ("income * income <= 30 days", "none of its features is a date", "numbers"),
        ("end - start <= 2 * 30 days", "not multiplied or divided", "end - start <= 30 days"),
    ],
)
def test_a_rule_that_misses_the_kind_of_date_says_so(
    refused: Callable[..., Exception], line: str, told: str, hint: str
) -> None:
    space = Space.infer(TIMES)
    refused(RuleError, told, hint=hint, ask=lambda: as_rules([line], space))


def test_a_duration_changes_by_a_share_of_its_own() -> None:
    space = Space.infer(TIMES)
    (rule,) = as_rules(["wait changes by at most 10%"], space)
    codes = space.codes(TIMES)[[20, 20]]
    points = codes + np.array([[0, 0, 0, 2, 0, 0], [0, 0, 0, 3, 0, 0]])
    assert rule.holds(space, codes, points[:, None]).ravel().tolist() == [True, False]
    assert as_rules([ifonly.changes("wait", at_most="3 days")], space)


def test_suggested_rules_compare_dates_with_dates_only() -> None:
    random = np.random.default_rng(0)
    start = pd.Series(
        pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, 80), unit="D")
    )
    end = start + pd.to_timedelta(random.integers(0, 400, 80), unit="D")
    amount = random.integers(17_000, 19_500, 80)  # never above the code of a date, about
    data = pd.DataFrame({"start": start, "end": end, "amount": amount})
    assert list(ifonly.suggest_rules(data)) == ["start <= end"]
