"""Any graph over any table: the fast way gives what the definition says, one point at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ifonly import Space
from ifonly.causal import CausalModel
from ifonly.testing import random_codes, random_frame
from ifonly.testing.spaces import CODED

SEEDS = st.integers(0, 10_000)
Graph = dict[str, tuple[str, ...]]


def weigh(causes: pd.DataFrame) -> np.ndarray:
    """Some number of each row, from columns of any dtype."""
    total = np.zeros(len(causes))
    for place, name in enumerate(causes.columns, start=1):
        column = causes[name]
        if pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
            total += np.sin(column.to_numpy(dtype=np.float64)) * place
        else:
            total += column.astype(str).str.len().to_numpy(dtype=np.float64) / place
    return total


def written(graph: Graph, frame: pd.DataFrame, named: list[str]) -> CausalModel:
    return CausalModel(graph, {name: weigh for name, causes in graph.items() if causes})


def fitted(graph: Graph, frame: pd.DataFrame, named: list[str]) -> CausalModel:
    return CausalModel.fit(graph, frame, categorical=named)


def random_graph(space: Space, seed: int) -> Graph:
    """Causes for most numbers, from among the features before them in a random order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(space))
    graph = {}
    for place, j in enumerate(order):
        if space.continuous[j] and place and rng.random() < 0.9:
            causes = rng.choice(
                order[:place], size=rng.integers(1, min(place, 3) + 1), replace=False
            )
            graph[space.names[j]] = tuple(space.names[c] for c in causes)
    return graph


def one_point(model: CausalModel, space: Space, row: np.ndarray, action: np.ndarray) -> np.ndarray:
    """[d] what follows from one action [d] on one row [d], as the definition reads."""

    def expected(effect: str, codes: np.ndarray) -> float:
        frame = space.rows(codes[None])[list(model.graph[effect])]
        return float(model.equations[effect](frame)[0])

    def alike(a: float, b: float) -> bool:
        return a == b or (a != a and b != b)

    point = action.copy()
    done = {name for name in space.names if name not in model.graph}
    while len(done) < len(space):
        effect = next(n for n in model.graph if n not in done and done >= set(model.graph[n]))
        done.add(effect)
        j = space.index(effect)
        causes = [space.index(name) for name in model.graph[effect]]
        still = all(alike(point[c], row[c]) for c in causes)
        if still or not alike(action[j], row[j]) or np.isnan([row[j], *row[causes]]).any():
            continue
        if not np.isnan(point[causes]).any():
            value = expected(effect, point) + (row[j] - expected(effect, row))
            power = 10.0 ** space.decimals[j]
            point[j] = np.round(value * power) / power
    return point


@pytest.mark.sample(3)
@pytest.mark.parametrize("make", [written, fitted])
@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_following_at_once_gives_what_following_one_by_one_gives(
    make: Callable[..., CausalModel], seed: int
) -> None:
    frame = random_frame(seed, n=60)
    named = [CODED] if CODED in frame else []
    space = Space.infer(frame, categorical=named)
    graph = random_graph(space, seed)
    assume(graph)
    model = make(graph, frame, named)
    x = space.codes(frame)[:6]
    other = random_codes(space, 6 * 5, seed + 1).reshape(6, 5, -1)
    act = np.random.default_rng(seed).random(other.shape) < 0.35
    actions = np.where(act, other, x[:, None])
    points = model.bind(space).follow(x, actions)
    for i in range(6):
        for c in range(5):
            definition = one_point(model, space, x[i], actions[i, c])
            assert np.array_equal(points[i, c], definition, equal_nan=True)


@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_a_users_equation_is_given_the_columns_of_the_data(seed: int) -> None:
    """Names in the graph's order, dtypes, levels: those of the data, row for row."""
    frame = random_frame(seed, n=30).assign(result=np.arange(30))
    space = Space.infer(frame, categorical=[CODED] if CODED in frame else [])
    causes = tuple(np.random.default_rng(seed).permutation(frame.columns[:-1]).tolist())
    seen: list[pd.DataFrame] = []

    def keep(given: pd.DataFrame) -> Any:
        seen.append(given)
        return np.zeros(len(given))

    whole = frame.dropna().drop_duplicates(list(causes)).reset_index(drop=True)
    assume(len(whole) > 1)
    x = space.codes(whole)
    actions = x[None, 1:].copy()
    actions[:, :, -1] = x[0, -1]
    CausalModel({"result": causes}, {"result": keep}).bind(space).follow(x[:1], actions)
    pd.testing.assert_frame_equal(seen[0], whole[list(causes)], check_exact=True)


def test_missing_values_keep_an_effect_as_it_is() -> None:
    frame = pd.DataFrame({"age": [20.0, np.nan, 40.0], "pay": [1.0, 2.0, np.nan]})
    space = Space.infer(frame)
    causes = CausalModel({"pay": ["age"]}, {"pay": lambda f: f["age"]}).bind(space)
    x = space.codes(frame)
    actions = np.repeat(x[:, None], 3, axis=1)
    actions[:, 1, 0] = 30
    actions[:, 2, 0] = np.nan
    assert causes.acted(x, actions)[:, :, 0].tolist() == [
        [False, True, True],
        [False, True, False],
        [False, True, True],
    ]
    assert np.array_equal(
        causes.follow(x, actions)[:, :, 1],
        [[1, 11, 1], [2, 2, 2], [np.nan, np.nan, np.nan]],
        equal_nan=True,
    )
