"""What follows from actions: exact where the equations are, whatever the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly import Space
from ifonly.causal import CausalModel
from ifonly.datasets import Lender, make_lender
from ifonly.space import Continuous

SEEDS = st.integers(0, 10_000)
TRUE = make_lender(300, seed=11)
SPACE = Space.infer(TRUE.frame)


def random_actions(space: Space, x: np.ndarray, m: int, seed: int) -> np.ndarray:
    """[q, m, d] rows with about a third of their features set to another value."""
    rng = np.random.default_rng(seed)
    actions = np.repeat(x[:, None], m, axis=1)
    for j, feature in enumerate(space.features):
        own = actions[:, :, j]
        if isinstance(feature, Continuous):
            other = own + rng.integers(1, 3_000, own.shape) * rng.choice([-1, 1], own.shape)
        else:
            count = len(feature.levels)
            other = (own + rng.integers(1, max(2, count), own.shape)) % count
        actions[:, :, j] = np.where(rng.random(own.shape) < 0.3, other, own)
    return actions


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays hold the same bits."""
    return a.shape == b.shape and a.astype(float).tobytes() == b.astype(float).tobytes()


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_true_equations_give_what_the_lender_says(seed: int) -> None:
    x = SPACE.codes(TRUE.frame)
    rng = np.random.default_rng(seed)
    actions = np.repeat(x[:, None], 4, axis=1)
    expected = []
    for c in range(4):
        chosen = rng.choice(len(SPACE), size=rng.integers(1, len(SPACE)), replace=False)
        own = x.copy()
        for j in chosen:  # a value of its own for each row, never the one that it has
            if SPACE.continuous[j]:
                own[:, j] += rng.integers(1, 5_000, len(x)) * rng.choice([-1, 1], len(x))
            else:
                own[:, j] = (own[:, j] + rng.integers(1, 4, len(x))) % 4
        actions[:, c] = own
        values = SPACE.rows(own)
        acts = {SPACE.names[j]: values[SPACE.names[j]] for j in chosen}
        expected.append(SPACE.codes(TRUE.intervene(TRUE.frame, **acts)))
    points = CausalModel(TRUE.graph, TRUE.equations).bind(SPACE).follow(x, actions)
    assert np.array_equal(points, np.stack(expected, axis=1))


def test_one_action_on_every_row_gives_what_the_lender_says(lender: Lender, space: Space) -> None:
    changed = lender.frame[lender.frame["education"] != "master"]
    x = space.codes(changed)
    actions = x.copy()
    actions[:, space.index("education")] = 3
    points = CausalModel(lender.graph, lender.equations).bind(space).follow(x, actions[:, None])
    expected = lender.intervene(changed, education="master")
    pd.testing.assert_frame_equal(space.rows(points[:, 0]), expected.reset_index(drop=True))


def test_without_an_action_the_rows_stay_as_they_are(model: CausalModel, space: Space) -> None:
    x = space.codes(space.rows(random_actions(space, space.codes(TRUE.frame), 1, 5)[:, 0]))
    assert same(
        model.bind(space).follow(x, np.repeat(x[:, None], 3, axis=1)), x[:, None].repeat(3, 1)
    )


def test_features_acted_on_keep_the_values_of_the_action(model: CausalModel, space: Space) -> None:
    x = space.codes(TRUE.frame)
    actions = random_actions(space, x, 6, seed=1)
    causes = model.bind(space)
    acted = causes.acted(x, actions)
    assert same(acted, actions != x[:, None])
    points = causes.follow(x, actions)
    assert np.array_equal(points[acted], actions[acted])


def test_features_out_of_reach_of_the_actions_keep_the_rows_values(
    model: CausalModel, space: Space
) -> None:
    x = space.codes(TRUE.frame)
    actions = random_actions(space, x, 6, seed=2)
    causes = model.bind(space)
    acted = causes.acted(x, actions)
    reached = np.stack([causes.reached(one) for one in acted])
    points = causes.follow(x, actions)
    own = np.broadcast_to(x[:, None], points.shape)
    assert same(points[~reached], own[~reached])
    assert (points[reached] != own[reached]).mean() > 0.9


def test_what_follows_is_on_the_value_grid(model: CausalModel, space: Space) -> None:
    x = space.codes(TRUE.frame)
    points = model.bind(space).follow(x, random_actions(space, x, 6, seed=3))
    assert np.array_equal(space.round(points), points)


def test_a_row_follows_alone_as_in_any_batch(model: CausalModel, space: Space) -> None:
    x = space.codes(TRUE.frame)[:40]
    actions = random_actions(space, x, 9, seed=4)
    causes = model.bind(space)
    whole = causes.follow(x, actions)
    order = np.random.default_rng(0).permutation(40)
    assert same(causes.follow(x[order], actions[order]), whole[order])
    assert same(causes.follow(x, actions[:, ::-1]), whole[:, ::-1])
    for i, c in [(0, 0), (7, 3), (39, 8)]:
        alone = causes.follow(x[i : i + 1], actions[i : i + 1, c : c + 1])
        assert same(alone, whole[i : i + 1, c : c + 1])


def test_inputs_stay_as_they_are_however_they_lie_in_memory(
    model: CausalModel, space: Space
) -> None:
    x = space.codes(TRUE.frame)[:20]
    actions = random_actions(space, x, 5, seed=6)
    by_feature = np.ascontiguousarray(actions.transpose(2, 0, 1)).transpose(1, 2, 0)
    kept = x.copy(), actions.copy()
    causes = model.bind(space)
    for array in (x, actions, by_feature):
        array.setflags(write=False)
    assert same(causes.follow(x, actions), causes.follow(x, by_feature))
    assert same(causes.acted(x, actions), causes.acted(x, by_feature))
    assert same(x, kept[0])
    assert same(actions, kept[1])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_an_empty_batch_follows_to_an_empty_one(
    model: CausalModel, space: Space, shape: tuple[int, int]
) -> None:
    x = space.codes(TRUE.frame)[: shape[0]]
    actions = np.empty((*shape, len(space)))
    assert model.bind(space).follow(x, actions).shape == (*shape, len(space))


def test_effects_come_after_their_causes_and_all_that_they_reach_is_known(
    model: CausalModel, space: Space
) -> None:
    causes = model.bind(space)
    names = [space.names[j] for j in causes.effects]
    assert sorted(names) == ["debt", "income", "loan", "savings"]
    assert names[0] == "income"
    assert names.index("debt") < names.index("loan")

    def below(name: str) -> set[str]:
        acted = np.array([[one == name for one in space.names]])
        return {space.names[j] for j in np.flatnonzero(causes.reached(acted))} - {name}

    assert below("education") == {"income", "savings", "debt", "loan"}
    assert below("income") == {"savings", "debt", "loan"}
    assert below("debt") == {"loan"}
    assert below("loan") == set()


def test_an_equation_is_asked_only_where_a_cause_differs() -> None:
    asked: list[int] = []

    def debt(causes: pd.DataFrame) -> Any:
        asked.append(len(causes))
        return causes["income"] // 2

    frame = pd.DataFrame({"income": [10, 20, 30], "debt": [1, 2, 3]})
    space = Space.infer(frame)
    causes = CausalModel({"debt": ("income",)}, {"debt": debt}).bind(space)
    x = space.codes(frame)
    actions = np.repeat(x[:, None], 4, axis=1)
    causes.follow(x, actions)
    assert asked == []
    actions[1, :2, 0] = 40
    actions[1, 3] = [50, 9]
    assert causes.follow(x, actions)[1, :, 1].tolist() == [12, 12, 2, 9]
    assert asked == [3]  # the row itself, and two of its actions


def test_what_follows_may_leave_the_range_and_the_dtype_of_the_data() -> None:
    """Debt is a byte; the fee that follows from it is given the number below 0 all the same."""
    frame = pd.DataFrame(
        {"income": [10, 90], "debt": np.array([200, 7], dtype=np.uint8), "fee": [1, 2]}
    )
    space = Space.infer(frame)
    equations = {
        "debt": lambda causes: -4 * causes["income"],
        "fee": lambda causes: causes["debt"] * 10,
    }
    causes = CausalModel({"debt": ["income"], "fee": ["debt"]}, equations).bind(space)
    x = space.codes(frame)
    point = causes.follow(x[:1], np.array([[[90.0, 200.0, 1.0]]]))
    assert point.tolist() == [[[90, 200 - 320, 1 - 3200]]]


def test_an_effect_that_rounds_back_to_the_row_moves_nothing_further() -> None:
    frame = pd.DataFrame({"a": [0, 9], "b": [5, 6], "c": [0.25, 0.5]})
    space = Space.infer(frame)
    model = CausalModel(
        {"b": ["a"], "c": ["b"]},
        {"b": lambda f: f["a"] / 10, "c": lambda f: f["b"] * 0.1},
    )
    x = space.codes(frame)[:1]
    points = model.bind(space).follow(x, np.array([[[4.0, 5.0, 0.25], [9.0, 5.0, 0.25]]]))
    assert points.tolist() == [[[4, 5, 0.25], [9, 6, 0.35]]]
