"""Few actions for everybody: chosen well, and every claim confirmed by the model and the rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly.fairness.actions import (
    Action,
    FewActions,
    Step,
    action_tree,
    applied,
    few_actions,
    if_then,
)
from ifonly.fairness.actions import few as few_module
from ifonly.fairness.actions.choice import choose
from ifonly.fairness.actions.tried import Tried
from ifonly.fairness.one_pass import Pass
from ifonly.fairness.subgroups import Conditions, worst_subgroups
from ifonly.search import Engine

RULES = ("age fixed", "job fixed", "group fixed", "district fixed", "education only increases")
RULES += ("savings changes by at most 9000", "2 * debt + loan <= income")


def passed(lender: Any, rows: pd.DataFrame, **options: Any) -> Pass:
    """The pass of a lender's rows."""
    model = ifonly.as_model(lender.approves, classes=["refused", "approved"])
    ask = {"target": "approved", "plausible": False, "method": Engine(effort="small")}
    answers = ifonly.explain(model, rows, data=lender.frame, **ask, **options)
    return Pass.of(answers, rows[["group"]].astype("category"))


@pytest.fixture(scope="module")
def lender() -> Any:
    return ifonly.datasets.make_lender(260, seed=4, bias="cost")


@pytest.fixture(scope="module")
def done(lender: Any) -> Pass:
    return passed(lender, lender.frame[:140], k=2, rules=RULES, budget={"model_rows": 300_000})


@pytest.fixture(scope="module", params=[(1000, 5000), (25, 50)], ids=["all rows", "samples"])
def few(done: Pass, request: pytest.FixtureRequest) -> Iterator[FewActions]:
    """The actions, all rows looked at from the start, or samples first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_module, "SAMPLE", request.param[0])
        patch.setattr(few_module, "MANY", request.param[1])
        yield few_actions(done, most=6)


def key(cost: np.ndarray, chosen: tuple[int, ...]) -> tuple[float, float]:
    """What sets are compared by: rows without an action that works, and the mean cost."""
    best = cost[:, list(chosen)].min(axis=1)
    found = np.isfinite(best)
    return float((~found).sum()), float(best[found].mean().round(12)) if found.any() else np.inf


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_exchange_makes_a_chosen_set_better(seed: int) -> None:
    random = np.random.default_rng(seed)
    cost = np.where(random.random((30, 9)) < 0.3, random.integers(1, 9, (30, 9)) / 4, np.inf)
    sets = choose(cost, 5)
    keys = [key(cost, one) for one in sets]
    assert keys == sorted(set(keys), reverse=True), "every set is better than the one before"
    assert keys[0] == min(key(cost, (one,)) for one in range(9))
    for size, (one, value) in enumerate(zip(sets, keys, strict=True), start=1):
        assert len(set(one)) == size
        rest = [tuple(o for o in one if o != left) for left in one]
        others = ((*part, other) for part in rest for other in range(9) if other not in part)
        assert value <= min(key(cost, other) for other in others)
        # Greedy sets cover at least 1 - 1/e of what the best of their size do.
        best = min(key(cost, other)[0] for other in combinations(range(9), size))
        assert 30 - value[0] >= (1 - 1 / np.e) * (30 - best)


def test_from_enough_rows_on_a_lower_cost_counts() -> None:
    cost = np.full((10, 3), np.inf)
    cost[:, 0], cost[:8, 1], cost[:5, 2] = 4.0, 1.0, 0.5
    assert choose(cost, 1) == [(0,)]
    assert choose(cost, 1, enough=0.8) == [(1,)]
    assert choose(cost, 1, enough=0.5) == [(2,)]
    cost[:6, 1], cost[6:, 1], cost[:7, 2] = 0.5, np.inf, 0.5
    assert choose(cost, 1, enough=0.5) == [(2,)], "as costly, and for more rows"
    assert choose(np.full((4, 2), np.inf), 3) == choose(np.empty((0, 3)), 3) == []


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_layer_of_the_frontier_is_what_no_action_behind_the_others_beats(seed: int) -> None:
    random = np.random.default_rng(seed)
    cost = np.where(random.random((12, 15)) < 0.5, random.integers(1, 9, (12, 15)) / 4, np.inf)
    actions = tuple(Action((Step((0,), "set", (float(code),)),)) for code in range(15))
    pool = Tried(None, np.arange(12), actions, cost)  # type: ignore[arg-type]
    left = {
        place: (-np.isfinite(one).sum(), one[np.isfinite(one)].mean().round(12), place)
        for place, one in enumerate(cost.T)
        if np.isfinite(one).any()
    }
    layers: list[int] = []
    for count in (1, 2, 3):
        first = [
            place
            for place, own in left.items()
            if not any(one < own and one[1] <= own[1] for one in left.values())
        ]
        layers += first
        left = {place: own for place, own in left.items() if place not in first}
        assert {*pool.near(0, 1, count)} == {actions[place] for place in layers}
        if count == 1:
            assert {*pool.frontier(15)} == {actions[place] for place in layers}
            assert len(pool.frontier(2)) == min(2, len(layers))
    share = np.isfinite(cost).mean(axis=0)
    some = {actions[place] for place in layers if 0.4 <= share[place] <= 0.6}
    assert {*pool.near(0.4, 0.6, 3)} == some


def by_weights(seed: int) -> Pass:
    """The pass of 60 rows of five categories and a model that sums a weight of each level."""
    random = np.random.default_rng(seed)
    levels, names = np.array(list("abcd")), [f"f{j}" for j in range(5)]
    skew = [random.dirichlet(np.ones(4)) for _ in names]
    codes = np.stack([random.choice(4, 60, p=one) for one in skew], axis=1)
    weights = random.normal(size=(5, 4))
    edge = np.quantile(weights[np.arange(5), codes].sum(axis=1), 0.8)
    frame = pd.DataFrame({name: levels[codes[:, j]] for j, name in enumerate(names)})

    def granted(rows: pd.DataFrame) -> Any:
        places = [np.searchsorted(levels, rows[name].to_numpy(dtype=str)) for name in names]
        return sum(weights[j][place] for j, place in enumerate(places)) > edge

    model = ifonly.as_model(granted, classes=["no", "yes"])
    ask = {"target": "yes", "plausible": False, "method": Engine(effort="small"), "k": 2}
    answers = ifonly.explain(model, frame, data=frame, **ask)
    return Pass.of(answers, pd.DataFrame({"g": pd.Categorical(["a"] * 60)}))


@pytest.mark.parametrize("seed", [6, 9, 17])
def test_none_of_all_single_actions_is_cheaper_for_as_many(seed: int) -> None:
    """Every action there is, tried one by one: none works for enough rows at a lower mean cost."""
    done = by_weights(seed)
    each = [
        [None, *(Step((j,), "set", (code,)) for code in done.space.values(j, 0).tolist())]
        for j in range(5)
    ]
    chosen = ([step for step in steps if step] for steps in product(*each))
    every = [Action(tuple(steps)) for steps in chosen if steps]
    points = applied(done.space, every, done.rows)
    works = done.works(points)
    cost = np.where(works, done.metric.cost(points, done.rows[:, None]), 0.0)
    count = works.sum(axis=0)
    mean = cost.sum(axis=0) / np.maximum(count, 1)
    for enough in (0.6, 0.8, 0.95, 1.0):
        best = mean[count >= np.ceil(enough * len(works) - 1e-9)].min()
        one = few_actions(done, most=1, enough=enough).sets[0]
        assert one.effectiveness >= enough
        assert one.mean_cost == pytest.approx(best)


def test_an_action_does_the_same_to_every_row() -> None:
    space = ifonly.Space.describe(
        {"name": "pay", "low": 0, "high": 90}, {"name": "job", "levels": ["x", "y"]}
    )
    steps = [
        (0, "add", 5.0),
        (0, "add", -5.0),
        (0, "raise", 30.0),
        (0, "lower", 30.0),
        (1, "set", 1.0),
    ]
    actions = [Action((Step((j,), kind, (value,)),)) for j, kind, value in steps]
    rows = np.array([[20.0, 0.0], [40.0, 1.0], [np.nan, 0.0]])
    after = applied(space, actions, rows)
    assert after[0, :, 0].tolist() == [25, 15, 30, 20, 20]
    assert after[1, :, 0].tolist() == [45, 35, 40, 30, 40]
    assert np.isnan(after[2, :, 0]).all()
    assert after[:, 4, 1].tolist() == [1, 1, 1]
    assert [one.text(space) for one in actions] == [
        "raise pay by 5",
        "lower pay by 5",
        "raise pay to at least 30",
        "lower pay to at most 30",
        "set job to y",
    ]


def test_every_claim_of_an_action_is_confirmed(lender: Any, done: Pass, few: FewActions) -> None:
    """The lender's own rule, and the rules one by one, say the same as the costs of the pool."""
    before = done.space.rows(done.rows)
    metric = done.metric
    assert few.sets[-1].effectiveness > 0.9
    for place, action in enumerate(few.pool):
        points = applied(done.space, [action], done.rows)[:, 0]
        after = done.space.rows(points)
        inside = ((points >= done.space.low) & (points <= done.space.high)) | (points == done.rows)
        lawful = np.where(done.space.continuous, inside, True).all(axis=1)
        for name in ("age", "job", "group", "district"):
            lawful &= (before[name] == after[name]).to_numpy()
        lawful &= (after["education"].cat.codes >= before["education"].cat.codes).to_numpy()
        lawful &= ((after["savings"] - before["savings"]).abs() <= 9000).to_numpy()
        lawful &= (2 * after["debt"] + after["loan"] <= after["income"]).to_numpy()
        lawful &= (points != done.rows).any(axis=1)
        works = lawful & lender.approves(after)
        assert np.array_equal(works, np.isfinite(few.cost[:, place])), few.texts[place]
        price = metric.cost(points, done.rows)
        assert np.allclose(price[works], few.cost[works, place])


def test_effectiveness_grows_with_the_number_of_actions(few: FewActions) -> None:
    shares = [one.effectiveness for one in few.sets]
    assert shares == sorted(shares)
    assert [len(one.places) for one in few.sets] == list(range(1, len(few.sets) + 1))
    for one in few.sets:
        best = few.cost[:, list(one.places)].min(axis=1)
        assert np.array_equal(one.cost, best)
        taken = one.taken >= 0
        assert np.array_equal(taken, np.isfinite(best))
        places = np.array(one.places)[one.taken[taken]]
        assert np.array_equal(few.cost[taken, places], best[taken])


def test_actions_by_group_add_up_to_all(done: Pass, few: FewActions) -> None:
    groups = done.groups.iloc[done.refused]
    table = few.frame(groups).set_index(["actions", "group"])
    for size, one in enumerate(few.sets, start=1):
        parts = table.loc[size].loc[["a", "b"]]
        assert parts["rows"].sum() == len(one.cost)
        worked = (parts["rows"] * parts["effectiveness"]).sum()
        assert worked == pytest.approx(one.effectiveness * len(one.cost))
        assert table.loc[(size, ""), "mean_cost"] == pytest.approx(one.mean_cost)


def test_the_order_of_the_rows_changes_no_action(lender: Any, few: FewActions) -> None:
    order = np.random.default_rng(1).permutation(140)
    rows = lender.frame[:140].iloc[order]
    other = few_actions(
        passed(lender, rows, k=2, rules=RULES, budget={"model_rows": 300_000}), most=6
    )
    assert [one.texts for one in other.sets] == [one.texts for one in few.sets]
    assert [one.effectiveness for one in other.sets] == [one.effectiveness for one in few.sets]


def test_a_tree_says_who_takes_which_action(done: Pass, few: FewActions) -> None:
    chosen = few.sets[-1]
    known = Conditions.of(done.space, done.rows, least=5)
    cost = few.cost[:, list(chosen.places)]
    alone = action_tree(known, cost, chosen.texts, depth=0)
    tree = action_tree(known, cost, chosen.texts, least=5)
    assert len(alone.leaves) == 1 < len(tree.leaves) <= 8
    assert max(len(leaf.conditions) for leaf in tree.leaves) <= 3
    assert sum(leaf.rows for leaf in tree.leaves) == len(done.rows)
    assert alone.effectiveness == np.isfinite(cost).mean(axis=0).max()
    assert alone.effectiveness <= tree.effectiveness <= chosen.effectiveness
    for leaf in tree.leaves:
        rows = np.ones(len(done.rows), dtype=bool)
        for text in leaf.conditions:
            inner = text.removeprefix("not (").removesuffix(")")
            rows &= known.members[known.texts.index(inner)] != (inner != text)
        paid = cost[rows, chosen.texts.index(leaf.action)]
        assert rows.sum() == leaf.rows
        assert np.isfinite(paid).mean() == pytest.approx(leaf.effectiveness)
        assert paid[np.isfinite(paid)].mean() == pytest.approx(leaf.mean_cost)


def test_a_subgroup_has_actions_for_both_of_its_sides(done: Pass, few: FewActions) -> None:
    groups = done.groups.iloc[done.refused].reset_index(drop=True)
    found = worst_subgroups(
        done.space, done.rows, done.cost, groups, attribute="group", least=8
    ).found[0]
    lines = if_then(few, found, most=2)
    assert 1 <= len(lines) <= 4
    for line in lines:
        cost = few.cost[:, few.texts.index(line.action)]
        sides = (cost[found.members], cost[found.others])
        assert line.effectiveness == tuple(np.isfinite(side).mean() for side in sides)
    best = max(np.isfinite(few.cost[found.members]).mean(axis=0))
    assert max(line.effectiveness[0] for line in lines) >= best / 2
    assert "works for" in lines[0].sentence


def test_nobody_to_help_gives_no_actions(done: Pass) -> None:
    blocked = ifonly.as_model(lambda f: f["income"] > 10**9, classes=["refused", "approved"])
    rows = pd.DataFrame({"income": [100, 200, 300]})
    answers = ifonly.explain(blocked, rows, data=rows, target="approved", rules=["income fixed"])
    none = few_actions(Pass.of(answers, pd.DataFrame({"g": pd.Categorical(["a", "a", "b"])})))
    assert (none.sets, none.pool) == ((), ())
    assert none.frame().empty
