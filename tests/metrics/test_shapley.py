"""Shapley values of drawn games: the four laws, and the average over every order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifonly.metrics.shapley import EXACT, game


def values(n: int, score: np.ndarray) -> np.ndarray:
    return np.asarray((game(n)[1] * score).sum(axis=1))


@given(n=st.integers(1, 6), seed=st.integers(0, 10_000))
def test_values_are_the_average_over_every_order(n: int, seed: int) -> None:
    coalitions, _ = game(n)
    score = np.random.default_rng(seed).normal(size=len(coalitions))
    known = {tuple(one): s for one, s in zip(coalitions.tolist(), score, strict=True)}
    slow, orders = np.zeros(n), list(permutations(range(n)))
    for order in orders:
        inside = [False] * n
        for player in order:
            before = known[tuple(inside)]
            inside[player] = True
            slow[player] += (known[tuple(inside)] - before) / len(orders)
    assert values(n, score) == pytest.approx(slow)


@pytest.mark.parametrize("n", [1, 5, EXACT, EXACT + 1, 30])
def test_values_sum_to_the_whole_and_a_sum_of_players_is_taken_apart(n: int) -> None:
    coalitions, _ = game(n)
    rng = np.random.default_rng(n)
    score = rng.normal(size=n) @ coalitions.T + 0.1 * coalitions.sum(axis=1) ** 2
    whole, nothing = score[coalitions.all(axis=1)][0], score[~coalitions.any(axis=1)][0]
    assert values(n, score).sum() == pytest.approx(whole - nothing)
    worth = rng.normal(size=n)
    assert values(n, coalitions @ worth) == pytest.approx(worth)
    assert len(coalitions) <= 256 * (n + 1) if n > EXACT else len(coalitions) == 2**n


@pytest.mark.parametrize("n", [4, EXACT + 2])
def test_players_that_do_the_same_get_the_same_and_one_that_does_nothing_gets_nothing(
    n: int,
) -> None:
    coalitions, _ = game(n)
    pair, idle = coalitions[:, :2].any(axis=1), coalitions[:, -1]
    first, second, *_, last = values(n, np.where(pair, 1.0, 0.0) + 0.0 * idle)
    assert first == pytest.approx(second)
    assert first == pytest.approx(0.5)
    assert last == 0
