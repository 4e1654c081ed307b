"""MMD-critic against its definition, written down slowly."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from ifonly.metrics import critic
from ifonly.space import Metric, Space


def drawn(seed: int, n: int = 40) -> tuple[Metric, np.ndarray, np.ndarray]:
    """A distance, n rows of mixed kinds, and the kernel of them all."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "pay": rng.normal(50, 15, n).round(1),
            "job": rng.choice(["a", "b", "c"], n),
        }
    )
    data.loc[3, "pay"] = None
    space = Space.infer(data)
    metric, codes = Metric.of(space), space.codes(data)
    return metric, codes, 1 / (1 + metric.pairwise(codes))


def fit(kernel: np.ndarray, chosen: list[int]) -> float:
    """The paper's J_b: what the discrepancy loses by the prototypes."""
    m = len(chosen)
    whole = 2 / (len(kernel) * m) * sum(kernel[i, j] for i in range(len(kernel)) for j in chosen)
    return float(whole - sum(kernel[i, j] for i in chosen for j in chosen) / m**2)


def witness(kernel: np.ndarray, chosen: list[int], row: int) -> float:
    return float(kernel[:, row].mean() - kernel[chosen, row].mean())


def critique(kernel: np.ndarray, chosen: list[int], critics: list[int]) -> float:
    """The paper's L with its regulariser, log det."""
    total = sum(abs(witness(kernel, chosen, row)) for row in critics)
    return float(total + np.linalg.slogdet(kernel[np.ix_(critics, critics)])[1])


@pytest.mark.parametrize("seed", range(4))
def test_every_choice_is_the_best_next_one_by_the_definition(seed: int) -> None:
    metric, codes, kernel = drawn(seed)
    mean = critic.mean_similarity(metric, codes, codes, np.ones(len(codes)))
    assert mean == pytest.approx(kernel.mean(axis=0))
    chosen = critic.prototypes(metric, codes, mean, 5)
    for size in range(5):
        before = chosen[:size]
        best = max(fit(kernel, [*before, c]) for c in set(range(len(codes))) - set(before))
        assert fit(kernel, chosen[: size + 1]) == pytest.approx(best, abs=1e-12)
    critics = critic.criticisms(metric, codes, mean, chosen, 4)
    assert not set(critics) & set(chosen)
    for size in range(4):
        left = set(range(len(codes))) - set(chosen) - set(critics[:size])
        best = max(critique(kernel, chosen, [*critics[:size], c]) for c in left)
        assert critique(kernel, chosen, critics[: size + 1]) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_prototypes_come_near_the_best_set_of_all(seed: int) -> None:
    metric, codes, kernel = drawn(seed, n=10)
    mean = critic.mean_similarity(metric, codes, codes, np.ones(len(codes)))
    greedy = fit(kernel, critic.prototypes(metric, codes, mean, 3))
    best = max(fit(kernel, list(some)) for some in combinations(range(10), 3))
    assert (1 - 1 / np.e) * best <= greedy <= best + 1e-12


def test_a_row_that_stands_for_several_counts_as_several() -> None:
    metric, codes, _ = drawn(0)
    count = np.arange(1, len(codes) + 1)
    repeated = np.repeat(codes, count, axis=0)
    means = critic.mean_similarity(metric, codes, repeated, np.ones(len(repeated)))
    assert critic.mean_similarity(metric, codes, codes, count) == pytest.approx(means)


def test_fewer_rows_than_wanted_are_all_chosen_and_equal_ones_are_no_criticisms() -> None:
    metric, codes, _ = drawn(0)
    few = codes[[0, 1, 1, 1]]
    mean = critic.mean_similarity(metric, few, few, np.ones(4))
    chosen = critic.prototypes(metric, few, mean, 1)
    assert len(critic.criticisms(metric, few, mean, chosen, 9)) <= 2
    assert sorted(critic.prototypes(metric, few, mean, 9)) == [0, 1, 2, 3]
