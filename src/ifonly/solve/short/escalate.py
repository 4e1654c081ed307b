"""A row that is short of answers is searched again, harder, by itself and only it.

Where few points are allowed, all of them are tried, also where an answer only fills a place.
Otherwise the larger sizes of the search come next, then bounds of the model, by which a row may
provably have no answer, then the solver, until the row is full, provably has no more, or its work
is spent. The work is counted, not timed, and is the same for every row: its answers depend on the
row alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ifonly.problem.effort import SIZES, named
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.select.selector import marked
from ifonly.select.trim import all_needed
from ifonly.solve.method import Method
from ifonly.solve.short.every_point import every_point
from ifonly.solve.short.solver import SolverStep, effort_of
from ifonly.solve.stages import Solved, judged, pool_of

SEARCH, EVERY, BOUNDS, SOLVER, LIMIT = "search", "every point", "bounds", "solver", "limit"
"""What finished a row beside a larger size, by its name: the ordinary search, a trial of every
point, bounds of the model, the solver, or nothing: it is short of answers."""
BEFORE = ("small", "base")
"""The sizes from which a row goes on if its places are filled with answers that are `extra`."""
NEAREST = 128
"""Of how many of the nearest of every point it is asked which are needed."""
_ARRAYS = ("points", "chosen", "acted", "filled", "scores", "reached", "extra")


@dataclass(eq=False)
class Escalated:
    """The answers of all rows, and how each row came to them."""

    solved: Solved
    by: np.ndarray
    """str [q] what finished each row."""
    complete: np.ndarray
    """bool [q] the rows that provably have no other answers."""
    pools: list[tuple[np.ndarray, Pool]] = field(default_factory=list)
    """The rows, and what their answers were chosen from."""
    unsolved: str = ""
    """Why rows that are short of answers were not given to the solver."""


def escalated(
    problem: Problem,
    method: Method,
    k: int,
    solved: Solved,
    hopeful: np.ndarray,
    solver: SolverStep | None,
) -> Escalated:
    """The answers, with those of harder searches for `hopeful` rows, bool [q], that lack some.

    Without a solver's step, or with a method that has no larger size, they stay as they are; if the
    search may not go on, it is only looked for proofs that rows have none.
    """
    q = len(problem.x)
    out = Escalated(solved, np.full(q, SEARCH, dtype=object), np.zeros(q, dtype=bool))
    lacking = hopeful & ~solved.filled.all(axis=1)
    if solved.proof is not None:
        lacking &= solved.proof.bound < np.inf
    short, rest = np.flatnonzero(lacking), np.flatnonzero(~lacking)
    if solver is not None and solver.harder:
        _replace_fillers(problem, method, k, out, rest[hopeful[rest]])
    if solver is None or not len(short):
        out.pools = [(np.arange(q), solved.pool)]
        return out
    out.pools.append((rest, solved.pool.take(rest)))
    out.by[short] = LIMIT if solver.harder else SEARCH
    pool = solved.pool.take(short)
    for name, way in _steps(method, problem) if solver.harder else [(BOUNDS, method)]:
        if not len(short) or problem.spent:
            break
        part = problem.take(short)
        if name == EVERY:
            more, complete = every_point(part)
        elif name == BOUNDS:
            more, complete = Pool.empty(part.x), np.zeros(len(short), dtype=bool)
            none = np.flatnonzero(~out.solved.filled[short].any(axis=1))
            complete[none] = solver.without_any(part.take(none))
        elif name == SOLVER:
            more, complete = solver.search(part, pool, k)
            out.unsolved = solver.left_out
        else:
            (more, _), complete = pool_of(part, way, k), np.zeros(len(short), dtype=bool)
        pool = pool.join(more).without_repeats()
        if len(gained := np.flatnonzero(more.valid.any(axis=1))):
            some, own = part.take(gained), pool.take(gained)
            new = judged(some, way, own, marked(way.selector, some, own, k))
            _improve(out, short[gained], new, name)
        out.complete[short], out.by[short[complete]] = complete, name
        full, extra = out.solved.filled[short].all(axis=1), out.solved.extra[short].any(axis=1)
        done = complete | (full & ~extra if name in BEFORE else full)
        out.pools.append((short[done], pool.take(np.flatnonzero(done))))
        short, pool = short[~done], pool.take(np.flatnonzero(~done))
    out.pools.append((short, pool))
    out.pools = [(some, own) for some, own in out.pools if len(some)]
    return out


def _replace_fillers(
    problem: Problem, method: Method, k: int, out: Escalated, rows: np.ndarray
) -> None:
    """Choose again among every point, where these are few, for rows with `extra` answers."""
    rows = rows[out.solved.extra[rows].any(axis=1)]
    if not len(rows) or problem.spent:
        return
    part = problem.take(rows)
    more, _ = every_point(part, proving=False)
    more = more.nearest(np.where(more.valid, part.price(more.points), np.inf), NEAREST)
    more = more.without(~_needed_ones(part, more))
    found = np.flatnonzero(more.valid.any(axis=1))
    if not len(found):
        return
    part, rows = part.take(found), rows[found]
    pool = more.take(found).join(out.solved.pool.take(rows)).without_repeats()
    new = judged(part, method, pool, marked(method.selector, part, pool, k))
    fewer = new.extra.sum(axis=1) < out.solved.extra[rows].sum(axis=1)
    fewer &= new.filled.all(axis=1)
    _improve(out, rows, new, EVERY, among=fewer)


def _needed_ones(problem: Problem, pool: Pool) -> NDArray[np.bool_]:
    """bool [q, m] the valid points of which no change can be reverted."""
    rows, places = np.nonzero(pool.valid)
    needed = np.zeros(pool.valid.shape, dtype=bool)
    needed[rows, places] = all_needed(problem.take(rows), pool.points[rows, places])
    return needed


def _improve(
    out: Escalated, rows: np.ndarray, new: Solved, name: str, among: np.ndarray | None = None
) -> None:
    """Take over what a step found for some rows, unless it has fewer answers."""
    better = new.filled.sum(axis=1) >= out.solved.filled[rows].sum(axis=1)
    better &= True if among is None else among
    arrays: dict[str, Any] = {one: getattr(out.solved, one).copy() for one in _ARRAYS}
    for one, array in arrays.items():
        array[rows[better]] = getattr(new, one)[better]
    out.solved = replace(out.solved, **arrays)
    out.by[rows[better & new.filled.all(axis=1)]] = name


def _steps(method: Method, problem: Problem) -> Iterator[tuple[str, Method]]:
    """The steps after the ordinary search, and the method that each chooses answers by."""
    effort, sizes = effort_of(method.searcher), list(SIZES)
    assert effort is not None, "solver_step() makes no step for a method without sizes"
    effort = named(effort, problem)
    first = sizes.index(effort) + 1 if isinstance(effort, str) else len(sizes) - 1
    yield EVERY, method
    for size in sizes[first:]:
        parts = {name: _at(one, size) for name, one in vars(method).items()}
        method = replace(method, **parts)
        yield size, method
    yield BOUNDS, method
    yield SOLVER, method


def _at(strategy: Any, effort: str) -> Any:
    """A strategy at another effort, if it has one."""
    return strategy if effort_of(strategy) is None else replace(strategy, effort=effort)
