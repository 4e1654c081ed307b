"""Rankings: the same for a row alone, where one sort is enough, and in a batch, by keys."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.arrays.ranking import best, leaders

SEEDS = st.integers(0, 2**32 - 1)


def _costs(seed: int, m: int) -> np.ndarray:
    """[60, m] with ties, negative zeros and entries that are none."""
    random = np.random.default_rng(seed)
    cost = random.choice([-1.5, -0.0, 0.0, 1.0, 1.0 + 1e-12, np.inf], (60, m))
    return np.asarray(np.where(random.random((60, m)) < 0.5, cost, random.random((60, m))))


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 40), st.integers(1, 40))
def test_the_best_of_a_row_do_not_depend_on_other_rows(seed: int, m: int, count: int) -> None:
    cost = _costs(seed, m)
    places, real = best(cost, count)
    for row in range(0, 60, 20):
        alone = best(cost[row : row + 1], count)
        assert np.array_equal(alone[0][0], places[row])
        assert np.array_equal(alone[1][0], real[row])


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 140), st.integers(1, 40), st.integers(1, 3))
def test_leaders_are_the_first_of_their_groups(seed: int, m: int, count: int, each: int) -> None:
    cost = _costs(seed, m)
    group = np.random.default_rng(seed).integers(0, 5, (60, m)).astype(np.uint64)
    places, real = leaders(cost, group, count, each=each)
    for row in range(0, 60, 20):
        order = np.lexsort((np.arange(m), cost[row].astype(np.float32)))[: 3 * count]
        order = [place for place in order if cost[row, place] < np.inf]
        own = [group[row, place] for place in order]
        kept = [p for i, p in enumerate(order) if own[:i].count(own[i]) < each][:count]
        assert places[row][real[row]].tolist() == kept
