"""Worst subgroups: what is searched, measured and tested, beside slow and plain versions."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.errors import OptionError
from ifonly.fairness.subgroups import Conditions, worst_subgroups
from ifonly.fairness.subgroups.gaps import Gaps, chance_of_gap, chances, gaps, intervals
from ifonly.fairness.subgroups.search import conjunctions
from ifonly.space import Space

COSTS = st.sampled_from([0.1, 0.2, 0.4, 0.8, np.inf])


def curve_gap(cost: Any, side: Any, *, by: str = "curve") -> float:
    """By how much the side's curve is below that of the others, one budget at a time."""
    a = [c for c, s in zip(cost, side, strict=True) if s]
    b = [c for c, s in zip(cost, side, strict=True) if not s]
    budgets = [c for c in cost if c < np.inf] if by == "curve" else [1e9]
    return max(
        (sum(c <= x for c in b) / len(b) - sum(c <= x for c in a) / len(a) for x in budgets),
        default=0.0,
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(COSTS, st.booleans()), min_size=4, max_size=9), st.booleans())
def test_gap_and_p_value_are_those_of_all_assignments(
    pairs: list[tuple[float, bool]], curve: bool
) -> None:
    cost, side = (np.array(part) for part in zip(*pairs, strict=True))
    by, n = ("curve" if curve else "reach"), int(side.sum())
    if not 0 < n < len(side):
        return
    found = gaps(cost, side[None], ~side[None], by=by)
    assert found.difference[0] == pytest.approx(curve_gap(cost, side, by=by))
    every = []
    for chosen in combinations(range(len(cost)), n):
        other = np.isin(np.arange(len(cost)), chosen)
        every.append(curve_gap(cost, other, by=by) >= found.difference[0] - 1e-9)
    if by == "reach":
        assert chances(found, by=by)[0] == pytest.approx(np.mean(every))
    elif found.difference[0] > 0:
        exact = chance_of_gap(cost, n, float(found.difference[0]))
        assert exact == pytest.approx(np.mean(every))


@settings(max_examples=60, deadline=None)
@given(st.integers(5, 60), st.integers(5, 60), st.floats(0.05, 1.0), st.integers(1, 200))
def test_the_p_value_that_is_not_counted_is_a_bound(n: int, m: int, gap: float, ties: int) -> None:
    cost = np.arange(n + m) // ties * 1.0
    zeros = np.zeros((1, 2), dtype=int)
    bound = chances(
        Gaps(np.array([gap]), np.zeros(1), np.array([[n, m]]), zeros, zeros), by="curve"
    )
    assert chance_of_gap(cost, n, gap) <= bound[0]


def table(seed: int, n: int = 90) -> tuple[Space, np.ndarray, np.ndarray, pd.DataFrame]:
    """A random table with a number, a category and missing values, costs, and a group."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "pay": random.integers(0, 9, n).astype(float),
            "job": random.choice(["x", "y", "z"], n),
        }
    )
    frame.loc[random.random(n) < 0.2, "pay"] = np.nan
    space = Space.infer(frame)
    groups = pd.DataFrame(
        {"sex": random.choice(["f", "m"], n), "old": random.choice(["n", "o"], n)}
    )
    cost = random.choice([0.1, 0.2, 0.3, 0.5, np.inf], n)
    hit = (frame["job"] == "x").to_numpy() & (groups["sex"] == "f").to_numpy()
    cost = np.where(hit & (random.random(n) < 0.7), np.inf, cost)
    return space, space.codes(frame), cost, groups


def conditions_by_hand(space: Space, x: np.ndarray, groups: pd.DataFrame) -> dict[str, np.ndarray]:
    """The text of each condition and the rows that meet it."""
    pay, job = x[:, 0], x[:, 1]
    known = np.sort(pay[~np.isnan(pay)])
    found = {}
    for share in (0.25, 0.5, 0.75):
        cut = known[int(np.ceil(share * len(known))) - 1]
        found[f"pay <= {cut:.0f}"], found[f"pay > {cut:.0f}"] = pay <= cut, pay > cut
    found["pay is missing"] = np.isnan(pay)
    found |= {f"job is {level}": job == place for place, level in enumerate("xyz")}
    for name in groups:
        found |= {
            f"{name} is {v}": (groups[name] == v).to_numpy() for v in sorted(set(groups[name]))
        }
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("by", ["curve", "reach"])
def test_the_worst_subgroup_is_that_of_a_plain_search(seed: int, by: str) -> None:
    space, x, cost, groups = table(seed)
    known, least = conditions_by_hand(space, x, groups), 8
    seen, tests = set(), []
    usable = {t: m for t, m in known.items() if least <= m.sum() <= len(m) - least}
    for size in (1, 2, 3):
        for texts in combinations(usable, size):
            rows = np.logical_and.reduce([usable[text] for text in texts])
            if rows.tobytes() in seen or min(rows.sum(), (~rows).sum()) < least:
                continue
            seen.add(rows.tobytes())
            tests.append((curve_gap(cost, rows, by=by), texts))
    found = worst_subgroups(space, x, cost, groups, by=by, least=least, most=50)
    assert found.comparisons == len(tests)
    worst = max(gap for gap, _ in tests)
    beyond = [one for one in found.found if one.adjusted <= found.level]
    assert max(one.difference for one in found.found) <= worst + 1e-12
    for one in found.found:
        rows = np.logical_and.reduce([known[text] for text in one.conditions])
        assert one.difference == pytest.approx(curve_gap(cost, rows, by=by))
        assert np.array_equal(np.flatnonzero(rows), one.members)
        assert one.low <= one.difference <= one.high
    assert list(found.found[: len(beyond)]) == beyond, "those beyond chance come first"


@pytest.mark.parametrize("attribute", ["", "sex"])
def test_the_order_of_the_rows_changes_nothing(attribute: str) -> None:
    space, x, cost, groups = table(5)
    order = np.random.default_rng(0).permutation(len(x))
    ask: dict[str, Any] = {"attribute": attribute, "least": 8}
    one = worst_subgroups(space, x, cost, groups, **ask).frame()
    groups = groups.iloc[order].reset_index(drop=True)
    other = worst_subgroups(space, x[order], cost[order], groups, **ask).frame()
    pd.testing.assert_frame_equal(one, other)


def test_groups_are_compared_within_a_subgroup() -> None:
    space, x, cost, groups = table(1, n=400)
    found = worst_subgroups(space, x, cost, groups, attribute="sex")
    first = found.found[0]
    assert (first.conditions, first.side) == (("job is x",), "f")
    assert found.alarms[0] is first
    inside, female = x[:, 1] == 0, (groups["sex"] == "f").to_numpy()
    assert np.array_equal(first.members, np.flatnonzero(inside & female))
    assert np.array_equal(first.others, np.flatnonzero(inside & ~female))
    n, m = first.rows
    assert f"Where job is x, f: {first.share[0]:.0%} of {n} rows have an answer" in first.sentence
    assert f", and {first.share[1]:.0%} of the {m} others. That is " in first.sentence
    assert "sex" not in " ".join(text for one in found.found for text in one.conditions)


def test_a_subgroup_is_compared_with_rows_elsewhere() -> None:
    space, x, cost, groups = table(1, n=400)
    first = worst_subgroups(space, x, cost, groups).found[0]
    assert f"{first.share[1]:.0%} of the {first.rows[1]} rows elsewhere. " in first.sentence


def test_a_group_that_reaches_nobody_is_the_worst() -> None:
    space, x, cost, groups = table(2, n=400)
    nobody = (groups["sex"] == "f").to_numpy()
    cost = np.where(nobody, np.inf, np.minimum(cost, 5.0))
    for by in ("curve", "reach"):
        first = worst_subgroups(space, x, cost, groups, attribute="sex", by=by).found[0]
        assert (first.conditions, first.side, first.share[0], first.reach[0]) == ((), "f", 0.0, 0.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20))
def test_conjunctions_have_enough_rows_each_set_once(seed: int, least: int) -> None:
    random = np.random.default_rng(seed)
    members = random.random((7, 60)) < random.random((7, 1))
    sets = conjunctions(members, 3, least, whole=True)
    rows = sets.members(members, np.arange(len(sets)))
    assert (rows.sum(axis=1) >= least).all()
    assert len({one.tobytes() for one in rows}) == len(rows)
    every = {
        np.logical_and.reduce([members[i] for i in parts], initial=True).tobytes()
        if parts
        else np.ones(60, dtype=bool).tobytes()
        for size in range(4)
        for parts in combinations(range(7), size)
    }
    wanted = {one for one in every if np.frombuffer(one, dtype=bool).sum() >= least}
    assert {one.tobytes() for one in rows} == wanted


def test_a_condition_that_adds_nothing_is_not_shown() -> None:
    """Where a whole group is worse off, no condition within it is worth a word."""
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"pay": random.integers(0, 50, 600), "job": random.choice(["x", "y"], 600)}
    )
    groups = pd.DataFrame({"sex": random.choice(["f", "m"], 600)})
    cost = random.random(600) + 0.8 * (groups["sex"] == "f").to_numpy()
    space = Space.infer(frame)
    found = worst_subgroups(space, space.codes(frame), cost, groups, attribute="sex")
    assert [(one.conditions, one.side) for one in found.alarms] == [((), "f")]


def test_labels_and_columns_that_are_one_category_name_conditions() -> None:
    flags = pd.get_dummies(pd.Series(["a", "b", "c"] * 20), prefix="job", dtype=int)
    frame = flags.assign(pay=range(60))
    space = Space.infer(frame, labels={"pay": "Income"})
    texts = Conditions.of(space, space.codes(frame)).texts
    assert {"job is a", "job is b", "job is c", "Income <= 14", "Income > 44"} <= set(texts)


def test_an_interval_of_nothing_and_everything_has_a_width() -> None:
    low, high = intervals(np.array([[0, 40]]), np.array([[40, 40]]), np.ones(1))
    assert 0.8 < low[0] < 0.95
    assert high[0] == pytest.approx(1.0)


def test_what_cannot_be_compared_is_an_error_or_no_comparison() -> None:
    space, x, cost, groups = table(0)
    with pytest.raises(OptionError, match="There are no groups 'sexx'"):
        worst_subgroups(space, x, cost, groups, attribute="sexx")
    with pytest.raises(OptionError, match="by is 'price'"):
        worst_subgroups(space, x, cost, groups, by="price")
    none = worst_subgroups(space, x, cost, groups, attribute="sex", least=80)
    assert (none.found, none.alarms, none.comparisons, len(none.frame())) == ((), (), 0, 0)
    assert not worst_subgroups(space, x[:0], cost[:0], groups[:0], attribute="sex").found
