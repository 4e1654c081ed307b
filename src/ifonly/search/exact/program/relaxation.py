"""Programs for HiGHS in which numbers with very many values may be fractions.

Whole columns of millions of values beside the binaries of a network are what its tolerances are not
made for. As fractions they cost at most what the answer costs, so the bound holds; an answer is
then among the values beside them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import product

import numpy as np

from ifonly.rules.formula import Affine
from ifonly.search.exact.program.price import WIDE, Displacement
from ifonly.search.exact.program.row import Row
from ifonly.search.exact.program.solver import CHECKED, TOLERANCE, Program, Solution, SolverError
from ifonly.search.exact.result import Clock, Work

RANGE = 2.0**10
"""The range that a wide column is brought to."""
AGGREGATOR = 1 << 12
"""A part of HiGHS's presolve, by its bit among those that can be turned off.

It puts sums in the place of whole columns. With 1.11 and 1.12 it was seen to make small programs
infeasible, and other optima of others.
"""
CAREFUL = {"presolve_rule_off": AGGREGATOR}
RUNS = (
    (TOLERANCE, CAREFUL),
    (100 * TOLERANCE, {**CAREFUL, "random_seed": 1}),
    (1000 * TOLERANCE, {"presolve": "off", "random_seed": 2}),
    (10 * TOLERANCE, {"presolve": "off", "random_seed": 3}),
)
"""The ways of asking HiGHS, each with a tolerance: no single one has always been right."""
POINTS = 4096
"""The most points beside a solution that are looked at."""


def solve_relaxed(
    program: Program,
    relaxed: Collection[int],
    limit: float | None,
    most: float = np.inf,
    *,
    work: Work | None = None,
) -> Solution:
    """The best point of a program in which some whole columns may be fractions.

    `most` is what a row of the program allows the objective.
    """
    scale = np.ones(len(program.low))
    for column in relaxed:
        width = program.high[column] - program.low[column]
        scale[column] = 2.0 ** max(0.0, np.ceil(np.log2(max(width, 1.0) / RANGE)))
    copy = Program(
        (np.array(program.low) / scale).tolist(),
        (np.array(program.high) / scale).tolist(),
        [whole and i not in relaxed for i, whole in enumerate(program.whole_columns)],
        objective=_scaled(program.objective, scale),
    )
    for sums, low, high in program.rows:
        wide = any(scale[column] > 1.0 for column in sums.terms)
        row = _scaled(sums, scale), low, high
        copy.row(*_moderate(copy, *row) if wide else row)
    solution = _solved(copy, Clock(limit, work), most)
    if solution.values is None:
        return solution
    return replace(solution, values=solution.values * scale)


def relaxed_columns(
    displacements: Collection[Displacement], relaxed: Collection[Displacement]
) -> set[int]:
    """The columns that may be fractions.

    Where a number is and how far it moves follow from each other: of the two, the one with fewer
    values stays whole; of a relaxed displacement none.
    """
    columns: set[int] = set()
    for one in displacements:
        steps = one.part.steps
        if one in relaxed:
            columns |= one.columns | set(steps.terms)
        elif one.columns:
            columns |= set(steps.terms) if steps.most > WIDE else one.columns
    return columns


def beside(row: Row, relaxed: Collection[Displacement], solution: Solution) -> np.ndarray:
    """[n, d] a solution's codes, and those in which numbers have the values beside fractions."""
    assert solution.values is not None
    point = row.codes_of(solution)
    choices = [[code] for code in point]
    moved = [one.part for one in relaxed if one.part.moves.at(solution.values) > 0.5]
    reach = (-1, 0, 1, 2) if 4 ** len(moved) <= POINTS else (0, 1)
    for part in moved:
        place = part.first + int(np.floor(part.steps.at(solution.values) + 1e-6))
        places = [place + away for away in reach]
        codes = [one / part.power for one in places if part.first <= one <= part.last]
        j = next(j for j, other in enumerate(row.parts) if other is part)
        choices[j] += [code for code in codes if code not in (part.own, point[j])]
    if np.prod([len(codes) for codes in choices], dtype=np.float64) > POINTS:
        return np.asarray(point[None])
    return np.array(list(product(*choices)))


def _solved(program: Program, clock: Clock, most: float) -> Solution:
    """The best that runs of HiGHS find, and the lower of two bounds that no point denies.

    Where there are no two such runs, nothing is proved.
    """
    runs: list[Solution] = []
    best, sound = Solution("limit"), runs
    for tolerance, options in RUNS:
        # The first leaves half of the time to the second.
        share = 1.0 if runs else 0.5
        left = None if clock.left is None else max(clock.left * share, 0.01)
        try:
            runs.append(program.solve(left, clock.work, tolerance=tolerance, **options))
        except SolverError as error:
            runs.append(Solution("limit", bound=error.bound))
        best = min(runs, key=lambda run: run.objective)
        denied = best.objective + CHECKED * abs(best.objective)
        sound = [run for run in runs if -np.inf < _bound(run, most) <= denied]
        if len(sound) == 2 or (len(runs) > 1 and clock.over):
            break
    if len(sound) < 2:
        return replace(best, status="limit", bound=-np.inf)
    agreed = sound[0].status == sound[1].status
    bound = min(_bound(run, most) for run in sound)
    return replace(best, status=best.status if agreed else "limit", bound=bound)


def _bound(run: Solution, most: float) -> float:
    """What a run says that no point is below."""
    return most if run.status == "infeasible" else run.bound


def _moderate(
    program: Program, sums: Affine, low: float, high: float
) -> tuple[Affine, float, float]:
    """A row divided by a power of two, so that tolerances are not lost in large terms."""
    sizes = [abs(t) * max(abs(program.low[c]), abs(program.high[c])) for c, t in sums.terms.items()]
    factor = 2.0 ** -max(0.0, np.ceil(np.log2(max([1.0, *sizes]) / RANGE)))
    return sums * factor, low * factor, high * factor


def _scaled(sums: Affine, scale: np.ndarray) -> Affine:
    terms = {column: times * float(scale[column]) for column, times in sums.terms.items()}
    return replace(sums, terms=terms)
