"""The best sets of needed answers by the paper's objective, of all sets that there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search import Engine
from ifonly.select import Ways
from ifonly.select import ways as ways_module
from ifonly.solve.method import method_of
from ifonly.space import Metric
from record import Record

ROWS, SETS_OF = 100, 40
"""Of how many rows sets are looked for, and of how many answers of each."""


def best_of_needed(
    explainer: Callable[..., ifonly.Explainer], rows: pd.DataFrame, k: int
) -> list[float]:
    """Rows, answers per row, and distance and objective of the best sets, by trying all."""
    found: list[tuple[Problem, Pool]] = []

    class Kept(Ways):
        def _all_ways(self, problem: Problem, pool: Pool, k: int) -> Pool:
            found.append((problem, super()._all_ways(problem, pool, k)))
            return found[-1][1]

    thorough = method_of(Engine(effort="thorough"))
    method = replace(thorough, selector=Kept(thorough.selector.choice))
    with _wide_choice():
        answers = explainer(method=method).explain(rows[:ROWS], k=k, budget={"harder": False})
    metric, best = Metric.of(answers.space), []
    for problem, ways in found:
        for x, points, valid in zip(problem.x, ways.points, ways.valid, strict=True):
            own = np.unique(points[valid], axis=0)
            distance = metric.distance(own, x[None])
            own = own[np.argsort(distance, kind="stable")[:SETS_OF]]
            if len(own) >= k:
                best.append([len(own), *_best_set(metric, own, x, k)])
    count, distance, objective = np.mean(best, axis=0)
    return [len(best), count, distance, objective]


def _best_set(metric: Metric, points: np.ndarray, x: np.ndarray, k: int) -> tuple[float, float]:
    """The distance and the objective of the best set of k points, nearest first, with the first."""
    distance = metric.distance(points, x[None])
    kernel = 1 / (1 + metric.pairwise(points))
    sets = np.array(list(combinations(range(1, len(points)), k - 1)))
    sets = np.concatenate([np.zeros((len(sets), 1), dtype=np.intp), sets], axis=1)
    det = np.linalg.det(kernel[sets[:, :, None], sets[:, None, :]])
    objective = 0.5 * distance[sets].mean(axis=1) - det
    best = objective.argmin()
    return float(distance[sets[best]].mean()), float(objective[best])


@contextmanager
def _wide_choice() -> Iterator[None]:
    """Inside, many ways that are far apart become tight, not k + 6."""
    before = ways_module.MORE, ways_module.EARLY
    ways_module.MORE, ways_module.EARLY = 40, 1.0
    try:
        yield
    finally:
        ways_module.MORE, ways_module.EARLY = before


def best_sets(record: Record, lines: list[list[Any]]) -> None:
    """The table of cells in which the default's objective is above the authors'."""
    record.table(
        "Where the default's objective is above the authors'",
        ("set", "k", "authors'", "the default's", "rows", "answers", "distance", "objective"),
        lines,
        "The best of all sets of k answers with the nearest among them, of up to "
        f"{SETS_OF} needed and tight answers that a thorough search finds for a row: how many, "
        "their mean distance, and their objective.",
    )
