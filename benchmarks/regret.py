"""The default choice of a set beside the best set of the same candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

import ifonly
from exact_choice import ExactChoice
from ifonly.arrays.batches import gather
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select import Determinant
from proving import posed
from published import published
from record import Record
from settings import FORMER

THIN = 60
"""The candidates of a row that are kept, where not all are."""
SAME = 1e-9


def regret(record: Record) -> None:
    """How much of its objective the selector leaves, on candidates of the default engine."""
    pools = [
        one for name in ("adult", "compas") for one in _pools(name, 20 if record.quick else 100)
    ]
    lines, worst = [], 0.0
    for few, nearest in ((True, True), (False, True), (True, False)):
        for k in (2, 3, 4):
            losses, bests = _losses(pools, Determinant(nearest=nearest), k, few=few)
            size = f"{THIN} of them" if few else "all"
            lines.append([size, "kept" if nearest else "free", k, len(losses), float(bests.mean())])
            same = float((losses <= SAME).mean())
            lines[-1] += [float(losses.mean()), float(losses.max()), same]
            worst = max(worst, float(losses.mean())) if nearest else worst
    record.table(
        "The choice of k among an engine's candidates beside the best choice",
        (
            "candidates",
            "nearest answer",
            "k",
            "pools",
            "best objective",
            "mean regret",
            "worst regret",
            "the best set",
        ),
        lines,
        "The objective is the selector's own, log det K - rate * prices, and is made large; the "
        "best set is found by branch and bound. Candidates of the default engine (k = 4) for "
        f"published Adult and COMPAS rows, all valid ones or {THIN} at random. nearest answer: "
        "kept as the default has it, or free. the best set: the share of pools in which nothing "
        "is lost. The product goes on from here with neighbours of what was chosen.",
    )
    record.check(
        "the choice loses at most 0.01 of its objective on average, the nearest answer kept",
        worst <= 0.01,
        f"{worst:.4f} where it loses most",
    )


def _pools(name: str, count: int) -> list[tuple[Problem, Pool]]:
    """The candidates of each of some published rows."""
    problem = published(name)
    answers = ifonly.explain(
        problem.model, problem.rows[:count], space=problem.space, k=4, method=FORMER
    )
    whole: Any = posed(answers)
    return [
        (whole.take(rows[[i]]), Pool(pool.points[[i]], pool.margin[[i]]))
        for rows, pool in answers.source.pools
        for i in range(len(rows))
    ]


def _losses(
    pools: list[tuple[Problem, Pool]], choice: Determinant, k: int, *, few: bool
) -> tuple[np.ndarray, np.ndarray]:
    """What the choice loses in each pool, and the best values."""
    exact, losses, bests = ExactChoice(choice), [], []
    for number, (problem, pool) in enumerate(pools):
        if few:
            pool = _thinned(pool, np.random.default_rng(number))
        ours, best = (
            exact.values(problem, *one.select(problem, pool, k))[0] for one in (choice, exact)
        )
        losses.append(best - ours)
        bests.append(best)
    return np.array(losses), np.array(bests)


def _thinned(pool: Pool, random: np.random.Generator) -> Pool:
    """Some valid candidates of a pool of one row."""
    valid = np.flatnonzero(pool.valid[0])
    kept = np.sort(random.permutation(valid)[:THIN])[None]
    return Pool(gather(pool.points, kept), np.take_along_axis(pool.margin, kept, axis=1))
