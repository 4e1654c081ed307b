"""The laws of a refiner."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.refine import Refiner
from ifonly.testing.pools import random_pool
from ifonly.testing.problems import random_problem
from ifonly.testing.searcher import batches, check_points, check_shapes, inputs, proposals

_ROUNDING = 1e-5


def check_refiner(refiner: Refiner, problems: Iterable[Problem] | None = None) -> None:
    """Assert every law of a refiner on some problems: by default, one of every kind of model.

    Refined points keep the outcome, the rules and the value grid; a row that had a valid candidate
    has one that is no farther, and no refined point is farther than all candidates; each row is
    refined as if it were alone, the same way every time; nothing that is lent is changed.

    Parameters
    ----------
    refiner
        The refiner to check.
    problems
        Problems of your own, each with at least two rows.

    Raises
    ------
    AssertionError
        A law is broken; the message says which.

    Examples
    --------
    >>> from ifonly.refine import Sparsify
    >>> check_refiner(Sparsify(), [random_problem(seed=0)])
    """
    chosen = [random_problem(seed) for seed in range(10)] if problems is None else problems
    for seed, problem in enumerate(chosen):
        pool = random_pool(problem, seed)
        before = {**inputs(problem), "points": pool.points.copy(), "margin": pool.margin.copy()}
        refined = refiner.refine(problem, pool)
        check_shapes(problem, refined)
        check_points(problem, refined)
        _check_prices(problem, pool, refined)
        _check_rows_are_alone(refiner, problem, pool, refined)
        for name, array in {**inputs(problem), **vars(pool)}.items():
            if name in before:
                assert np.array_equal(array, before[name], equal_nan=True), (
                    f"the refiner changed {name}, which it was lent"
                )
        nothing = Pool(problem.x[:, None][:, :0], np.zeros((len(problem.x), 0)))
        check_shapes(problem, refiner.refine(problem, nothing))


def _check_prices(problem: Problem, pool: Pool, refined: Pool) -> None:
    before, after = (
        np.where(one.valid, problem.price(one.points), np.nan) for one in (pool, refined)
    )
    for row, (old, new) in enumerate(zip(before, after, strict=True)):
        old, new = old[~np.isnan(old)], new[~np.isnan(new)]
        if not len(old):
            continue
        assert len(new), f"row {row} had a valid candidate, and no refined point is valid"
        assert new.min() <= old.min() + _ROUNDING, (
            f"the nearest refined point of row {row} is at {new.min()}, a candidate at {old.min()}"
        )
        assert new.max() <= old.max() + _ROUNDING, (
            f"a refined point of row {row} is at {new.max()}, farther than every candidate"
        )


def _check_rows_are_alone(refiner: Refiner, problem: Problem, pool: Pool, refined: Pool) -> None:
    """What a row's candidates become is the same in the batch, alone, shuffled and in shards."""
    together = proposals(refined)
    for name, rows in batches(len(problem.x)):
        part = pool.take(rows)
        found = proposals(refiner.refine(problem.take(rows), part))
        for row, points in zip(rows, found, strict=True):
            assert points == together[row], (
                f"row {row} is refined to other points {name} than in the whole batch"
            )
    again = proposals(refiner.refine(problem, pool))
    assert again == together, "the same pool was refined to other points the second time"
