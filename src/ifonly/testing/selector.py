"""The laws of a selector."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select import Selector
from ifonly.testing.pools import random_pool
from ifonly.testing.problems import random_problem
from ifonly.testing.searcher import batches, check_points, inputs, proposals


def check_selector(
    selector: Selector,
    problems: Iterable[Problem] | None = None,
    k: int = 3,
    *,
    fills: bool = True,
    adds: bool = False,
) -> None:
    """Assert every law of a selector on some problems: by default, one of every kind of model.

    Chosen points are valid candidates of the pool, none of them twice, the nearest first; all k
    places are filled where the pool has k such candidates, and a place that is not filled has the
    row itself; each row chooses as if it were alone, the same way every time and whatever empty
    slots the pool has, be they more or fewer than k; nothing that is lent is changed.

    Parameters
    ----------
    selector
        The selector to check.
    problems
        Problems of your own, each with at least two rows.
    k
        How many answers each row gets.
    fills
        Whether all places are filled where they can be; False for a selector that drops points.
    adds
        Whether points that are not in the pool may be chosen; they are then asked about.

    Raises
    ------
    AssertionError
        A law is broken; the message says which.

    Examples
    --------
    >>> from ifonly.select import Determinant, InOrder
    >>> check_selector(Determinant(diversity=0.5), [random_problem(seed=0)])
    >>> check_selector(InOrder(), [random_problem(seed=0)], fills=False)
    """
    chosen = [random_problem(seed) for seed in range(10)] if problems is None else problems
    for seed, problem in enumerate(chosen):
        pool = random_pool(problem, seed)
        before = {**inputs(problem), "points": pool.points.copy(), "margin": pool.margin.copy()}
        for part in (pool, Pool(pool.points[:, : k - 1], pool.margin[:, : k - 1])):
            if part.margin.shape[1]:
                points, filled = selector.select(problem, part, k)
                _check_shapes(problem, points, filled, k)
                _check_chosen(problem, part, points, filled, adds=adds)
                _check_places(problem, part, points, filled, fills=fills)
        _check_rows_are_alone(selector, problem, pool, k)
        for name, array in {**inputs(problem), **vars(pool)}.items():
            if name in before:
                assert np.array_equal(array, before[name], equal_nan=True), (
                    f"the selector changed {name}, which it was lent"
                )


def _check_shapes(problem: Problem, points: np.ndarray, filled: np.ndarray, k: int) -> None:
    q, d = problem.x.shape
    assert points.shape == (q, k, d), f"points have the shape {points.shape}, not {(q, k, d)}"
    assert filled.shape == (q, k), f"the filled places have the shape {filled.shape}, not {(q, k)}"
    assert filled.dtype == bool, f"the filled places have the dtype {filled.dtype}, not bool"


def _check_chosen(
    problem: Problem, pool: Pool, points: np.ndarray, filled: np.ndarray, *, adds: bool
) -> None:
    margin = np.where(filled, problem.margin(points), -np.inf)
    assert (margin[filled] > 0).all(), "a chosen point does not have the wanted outcome"
    check_points(problem, Pool(points, margin))
    candidates = proposals(pool.without(~pool.valid))
    for row, (own, count) in enumerate(
        zip(proposals(Pool(points, margin)), filled.sum(axis=1), strict=True)
    ):
        assert len(own) == count, f"row {row} has the same point twice"
        assert adds or own <= candidates[row], (
            f"row {row} has a point that is no valid candidate of the pool"
        )


def _check_places(
    problem: Problem, pool: Pool, points: np.ndarray, filled: np.ndarray, *, fills: bool
) -> None:
    k = filled.shape[1]
    price = np.where(filled, problem.price(points), np.inf)
    assert (price[:, 1:] >= price[:, :-1]).all(), (
        "the chosen points are not in order: the nearest first, then the places not filled"
    )
    x = np.broadcast_to(problem.x[:, None], points.shape)
    assert np.array_equal(points[~filled], x[~filled], equal_nan=True), (
        "a place that is not filled does not have the row itself"
    )
    for row, own in enumerate(proposals(pool.without(~pool.valid))):
        enough = min(k, len(own))
        assert not fills or filled[row].sum() >= enough, (
            f"row {row} has {filled[row].sum()} of {k} places filled, of a pool with {len(own)}"
        )


def _check_rows_are_alone(selector: Selector, problem: Problem, pool: Pool, k: int) -> None:
    """What a row gets is the same alone, shuffled, in shards and with more empty slots."""
    points, filled = selector.select(problem, pool, k)
    wide = pool.join(pool.without(np.ones_like(pool.valid)))
    every = np.arange(len(problem.x))
    for name, rows, part in [
        *((name, rows, pool.take(rows)) for name, rows in batches(len(every))),
        ("with more empty slots", every, wide),
        ("the second time", every, pool),
    ]:
        other, full = selector.select(problem.take(rows), part, k)
        same = [np.array_equal(other, points[rows], equal_nan=True), (full == filled[rows]).all()]
        assert all(same), f"rows {rows.tolist()} get other answers {name} than in the whole batch"
