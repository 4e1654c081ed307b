"""The nearest answer of each row, with a proof, for candidates that another search has found."""

from __future__ import annotations

from dataclasses import replace

from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.search.exact.row_by_row import hints_of, solve_rows

HINTS = 8
"""The candidates of a row that the judge is asked about, at the most: one answer is enough."""


def certify(problem: Problem, pool: Pool, limit: float | None) -> tuple[Pool, Proof]:
    """The nearest answer to each row, where one is found, and what is proved of it.

    `pool` are the candidates that are known: nothing dearer than the nearest answer among them is
    looked at, and where nothing nearer exists it is the one that is returned. If the model's
    reading does not agree with it, nothing is proved. Demands are not stated to a solver: what is
    nearer than every answer without them is nearer than every answer with them.
    """
    if problem.reading is None:
        return Pool.empty(problem.x), Proof.nothing(len(problem.x))
    free = replace(problem, demands=())
    found, proof = solve_rows(free, 1, hints_of(free, pool, HINTS), limit)
    if problem.demands:
        found = found.without(~problem.accepts(found.points, found.valid))
    return found, proof
