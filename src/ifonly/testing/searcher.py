"""The laws of a searcher."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search import Searcher
from ifonly.search.searcher import Prover, needs_of
from ifonly.testing.models import MODEL_KINDS
from ifonly.testing.problems import random_problem


def check_searcher(
    searcher: Searcher, problems: Iterable[Problem] | None = None, k: int = 3
) -> None:
    """Assert every law of a searcher on some problems.

    Parameters
    ----------
    searcher
        The searcher to check.
    problems
        Problems of your own, each with at least two rows; by default two of every kind of model
        that has what the searcher `needs`.
    k
        How many answers per row are asked for.

    Raises
    ------
    AssertionError
        A law is broken; the message says which.

    Examples
    --------
    >>> from ifonly.search import Edits
    >>> check_searcher(Edits(width=4, depth=2), [random_problem(seed=0)])
    """
    for problem in _problems(searcher) if problems is None else problems:
        before = inputs(problem)
        pool = searcher.search(problem, k)
        check_shapes(problem, pool)
        check_points(problem, pool)
        _check_rows_are_alone(searcher, problem, pool, k)
        if isinstance(searcher, Prover):
            _check_proof(searcher, problem, pool, k)
        for name, array in inputs(problem).items():
            assert np.array_equal(array, before[name], equal_nan=True), (
                f"the search changed the problem's {name}"
            )


def _problems(searcher: Searcher) -> Iterator[Problem]:
    """Two of every kind of model that has what a searcher needs."""
    for problem in map(random_problem, range(2 * len(MODEL_KINDS))):
        if all(getattr(problem, need) is not None for need in needs_of(searcher)):
            yield problem


def check_shapes(problem: Problem, pool: Pool) -> None:
    """Assert that a pool is one of the problem: candidates [q, m, d] and margins [q, m]."""
    q, d = problem.x.shape
    assert isinstance(pool, Pool), f"a {type(pool).__name__} came back, not a Pool"
    assert pool.points.ndim == 3, f"points have the shape {pool.points.shape}, not (q, m, d)"
    wanted = (q, pool.points.shape[1], d)
    assert pool.points.shape == wanted, f"points have the shape {pool.points.shape}, not {wanted}"
    assert pool.margin.shape == wanted[:2], (
        f"margins have the shape {pool.margin.shape}, not {wanted[:2]}"
    )
    assert not np.isnan(pool.margin).any(), "a margin is NaN; an empty slot has -inf"


def check_points(problem: Problem, pool: Pool) -> None:
    """Assert that margins are the model's, and that valid points obey all that rows must obey."""
    here = pool.margin > -np.inf
    asked = problem.margin(pool.points)
    assert np.allclose(pool.margin[here], asked[here], rtol=0, atol=1e-6), (
        "a margin is not the one that problem.margin gives for its point"
    )
    valid = pool.valid
    for rule in problem.rules:
        kept = rule.holds(problem.space, problem.x, pool.points)
        assert not (valid & ~kept).any(), f"a point with a positive margin breaks '{rule}'"
    inside = problem.box.contains(pool.points)
    written = ~problem.changed(pool.points) | (problem.space.round(pool.points) == pool.points)
    for j, name in enumerate(problem.space.names):
        assert not (valid & ~inside[:, :, j]).any(), (
            f"a point with a positive margin has a value of {name!r} that the row may not have"
        )
        assert not (valid & ~written[:, :, j]).any(), (
            f"a point with a positive margin is not rounded to the decimals of {name!r}"
        )
    changed = problem.changed(pool.points).any(axis=-1)
    assert not (valid & ~changed).any(), "a point with a positive margin is the row itself"


def _check_rows_are_alone(searcher: Searcher, problem: Problem, pool: Pool, k: int) -> None:
    """What is proposed for a row is the same in the batch, alone, shuffled and in shards."""
    together = proposals(pool)
    for name, rows in batches(len(problem.x)):
        found = proposals(searcher.search(problem.take(rows), k))
        for row, points in zip(rows, found, strict=True):
            assert points == together[row], (
                f"row {row} gets other proposals {name} than in the whole batch: "
                f"{len(points - together[row])} new ones, {len(together[row] - points)} lost"
            )
    again = proposals(searcher.search(problem, k))
    assert again == together, "the same search gave other proposals the second time"


def batches(q: int) -> list[tuple[str, np.ndarray]]:
    """Ways to ask about q rows in other company: each alone, all shuffled, in two shards."""
    order = np.random.default_rng(0).permutation(q)
    shards = [part for part in np.array_split(order, 2) if len(part)]
    return [
        *(("alone", np.array([row])) for row in range(q)),
        ("in another order", order),
        *(("in shards", part) for part in shards),
    ]


def _check_proof(searcher: Prover, problem: Problem, pool: Pool, k: int) -> None:
    proposed, proof = searcher.prove(problem, k)
    assert proposals(proposed) == proposals(pool), "prove gives other proposals than search"
    if proof is None:
        return
    q = len(problem.x)
    assert proof.bound.shape == proof.seconds.shape == (q,), "a proof has one bound per row"
    price = np.where(pool.valid, problem.price(pool.points), np.inf)
    nearest = price.min(axis=1, initial=np.inf)
    assert (proof.bound <= nearest + 1e-6).all(), "a bound is above the price of a proposal"


def proposals(pool: Pool) -> list[set[tuple[float | None, ...]]]:
    """For each row the set of its points, an empty slot aside."""
    points = (pool.points + 0.0).astype(object)
    points[np.isnan(pool.points)] = None
    here = pool.margin > -np.inf
    return [
        {tuple(point) for point in own[mask].tolist()}
        for own, mask in zip(points, here, strict=True)
    ]


def inputs(problem: Problem) -> dict[str, np.ndarray]:
    """Copies of the arrays of a problem that a strategy is lent."""
    box, reference = problem.box, problem.reference
    lent = {
        "x": problem.x,
        "stream": problem.stream,
        "box": np.concatenate([box.low, box.high, box.levels, box.keep], axis=1, dtype=np.float64),
        "reference": np.concatenate([reference.codes, reference.scores], axis=1),
        "goal": np.stack([problem.goal.wanted, problem.goal.low, problem.goal.high]),
    }
    return {name: array.copy() for name, array in lent.items()}
