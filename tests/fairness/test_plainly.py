"""The measures against a slow, plain reimplementation on random tables."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.fairness.bootstrap import interval, weights
from ifonly.fairness.compared import Terms, compare
from ifonly.fairness.curves import holm, permutation_tests
from ifonly.fairness.facts import Facts
from ifonly.fairness.measures import counted, measured

INF = math.inf
Row = dict[str, Any]
rows = st.fixed_dictionaries(
    {
        "group": st.sampled_from("abc"),
        "accepted": st.booleans(),
        "cost": st.sampled_from([0.5, 1.0, 1.0, 2.0, 3.5, INF]),
        "proved": st.booleans(),
        "changed": st.tuples(st.booleans(), st.booleans()),
        "works": st.tuples(st.booleans(), st.booleans(), st.booleans()),
        "flips": st.sampled_from([0.0, 1.0, math.nan]),
    }
)
tables = st.lists(rows, min_size=2, max_size=25)


def facts_of(table: list[Row]) -> Facts:
    refused = [place for place, row in enumerate(table) if not row["accepted"]]
    own = [table[place] for place in refused]
    return Facts(
        accepted=np.array([row["accepted"] for row in table]),
        refused=np.array(refused, dtype=np.intp),
        cost=np.array([row["cost"] for row in own], dtype=np.float64),
        proved_none=np.array([row["proved"] and row["cost"] == INF for row in own], dtype=bool),
        features=("one", "two"),
        changed=np.array([row["changed"] for row in own], dtype=bool).reshape(-1, 2),
        works=np.array([row["works"] for row in own], dtype=bool).reshape(-1, 3),
        flips={"g": np.array([row["flips"] for row in own], dtype=np.float64)},
        responsive=np.full((len(own), 2), np.nan),
        reasons=np.full((len(own), 2), np.nan),
    )


def plainly(table: list[Row], within: float, share: float) -> dict[str, float]:
    """The measures of the rows of a group, one loop each."""
    refused = [row for row in table if not row["accepted"]]
    reached = [row for row in refused if row["cost"] < INF]
    proved = [row for row in refused if row["cost"] == INF and row["proved"]]
    told = [row["flips"] for row in refused if not math.isnan(row["flips"])]
    mean = {"selection_rate": sum(row["accepted"] for row in table) / len(table)}
    names = ("reach", "proved_none", "not_found", "effectiveness", "burden", "changes")
    if not refused:
        return {**mean, **dict.fromkeys((*names, "cost", "choice", "flips"), math.nan)}
    n = len(refused)
    budgets = sorted({row["cost"] for row in refused})
    enough = [b for b in budgets if sum(row["cost"] <= b for row in refused) / n >= share - 1e-12]
    working = [sum(row["works"][s] for row in refused) / n for s in range(3)]
    sums = sum(row["cost"] for row in reached), sum(sum(row["changed"]) for row in reached)
    return {
        **mean,
        "reach": len(reached) / n,
        "proved_none": len(proved) / n,
        "not_found": (n - len(reached) - len(proved)) / n,
        "effectiveness": sum(row["cost"] <= within for row in refused) / n,
        "burden": sums[0] / len(reached) if reached else INF,
        "changes": sums[1] / len(reached) if reached else INF,
        "cost": enough[0],
        "choice": sum(one >= share - 1e-12 for one in working),
        "flips": sum(told) / len(told) if told else math.nan,
    }


def same(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, abs_tol=1e-12)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from([0.7, 1.0, 3.0]), st.sampled_from([0.1, 0.3, 0.5, 0.7, 1.0]))
def test_measures_of_groups_are_those_of_a_plain_loop(
    table: list[Row], within: float, share: float
) -> None:
    groups = pd.DataFrame({"g": pd.Categorical([row["group"] for row in table])})
    terms = Terms(within=within, share=share, least=1, draws=2, permutations=2)
    found = compare(facts_of(table), groups, terms).measures
    for group in groups["g"].cat.categories:
        own = found[(found["attribute"] == "g") & (found["group"] == group)]
        values = dict(zip(own["measure"], own["value"], strict=True))
        wanted = plainly([row for row in table if row["group"] == group], within, share)
        assert values.keys() == wanted.keys()
        assert [name for name in wanted if not same(values[name], wanted[name])] == []


@settings(max_examples=40, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_a_draw_is_measured_as_the_table_with_its_rows_repeated(
    table: list[Row], random: Any
) -> None:
    drawn = [random.randrange(len(table)) for _ in table]
    weight = np.bincount(drawn, minlength=len(table)).astype(float)[None]
    counts = counted(facts_of(table), "g", 1.0, np.array([1.0]))
    means, cost, choice = measured(counts, np.arange(len(table)), weight, 0.5)
    wanted = plainly([table[place] for place in drawn], 1.0, 0.5)
    values = dict(zip(counts.names, means[0], strict=False)) | {"cost": cost[0]}
    values |= {"choice": choice[0]}
    assert [name for name in wanted if not same(values[name], wanted[name])] == []


@settings(max_examples=40, deadline=None)
@given(tables)
def test_the_largest_difference_of_curves_is_that_of_a_plain_loop(table: list[Row]) -> None:
    cost = np.array([row["cost"] for row in table])
    codes = np.array(["abc".index(row["group"]) for row in table])
    groups = np.array([g for g in np.unique(codes) if 0 < (codes == g).sum() < len(codes)])
    gaps, _, p = permutation_tests(cost, codes, groups, np.random.default_rng(0), 5)
    for group, gap in zip(groups, gaps, strict=True):
        inside, outside = cost[codes == group], cost[codes != group]
        budgets = [b for b in set(cost.tolist()) if b < INF]
        each = [(outside <= b).mean() - (inside <= b).mean() for b in budgets]
        assert math.isclose(abs(gap), max(map(abs, each), default=0.0), abs_tol=1e-12)
        assert any(math.isclose(gap, one, abs_tol=1e-12) for one in [*each, 0.0])
    assert ((p > 0) & (p <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_the_step_down_of_the_textbook(p: list[float]) -> None:
    found = holm(np.array(p))
    for place, one in enumerate(p):
        before = [other for other in p if other <= one]
        steps = [min(1.0, (len(p) - sum(b < a for b in p)) * a) for a in before]
        assert math.isclose(found[place], max(steps), abs_tol=1e-12)


def test_draws_keep_the_number_of_rows_and_are_those_of_the_seed() -> None:
    first, again = (
        np.concatenate(list(weights(50, 30, np.random.default_rng(seed)))) for seed in (1, 1)
    )
    assert first.shape == (30, 50)
    assert (first.sum(axis=1) == 50).all()
    assert np.array_equal(first, again)
    assert not np.array_equal(first[0], first[1])


def test_an_interval_ends_in_draws_and_leaves_out_what_is_not_known() -> None:
    drawn = np.array([[3.0], [1.0], [np.nan], [np.inf], [2.0]])
    low, high = interval(drawn, level=0.9)
    assert (low.item(), high.item()) == (1.0, np.inf)
    low, high = interval(np.full((4, 1), np.nan))
    assert np.isnan(low).all()
    assert np.isnan(high).all()


NOTHING = facts_of([])


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        facts = replace(NOTHING, accepted=random.random(200) < 0.3)
        counts = counted(facts, "", 1.0, np.zeros(1))
        every = np.arange(200)
        means = [measured(counts, every, w, 0.5)[0][:, 0] for w in weights(200, 200, random)]
        low, high = interval(np.concatenate(means)[:, None])
        covered += bool(low[0] <= 0.3 <= high[0])
    assert 0.89 <= covered / 200 <= 0.99
