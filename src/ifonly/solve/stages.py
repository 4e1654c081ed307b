"""One batch from problem to judged points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ifonly.problem.pool import Pool, repeated
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.search.searcher import propose
from ifonly.select.selector import from_pool, marked
from ifonly.select.tight import halvable, steppable
from ifonly.select.trim import all_needed
from ifonly.solve.method import Method
from ifonly.solve.question import Question

SPARE = 2
"""A row with fewer candidates than so many times k, by rules that take long, is searched again."""
Certifier = Callable[[Problem, Pool], tuple[Pool, Proof]]
"""From a problem and its candidates to the nearest answers, and what is proved of them."""

Chosen = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Points [q, k, d], which places are filled [q, k], and which of them are only filled up [q, k]."""


@dataclass(frozen=True)
class Solved:
    """Judged points [q, k, d], which places are filled [q, k], and the score of each [q, k, c]."""

    points: np.ndarray
    chosen: np.ndarray
    """[q, k, d] what was chosen to lead to them: the points themselves, or actions."""
    acted: np.ndarray
    """bool [q, k, d] what each point changes itself; what else differs follows from it."""
    filled: np.ndarray
    scores: np.ndarray
    pool: Pool
    """What they were chosen from."""
    reached: np.ndarray
    """[q, k] the class of each, -1 where there is none."""
    extra: np.ndarray
    """bool [q, k] the answers that only fill a place."""
    proof: Proof | None = None
    unchecked: np.ndarray | None = None
    """bool [q] the rows of which it is not known whether smaller changes are enough."""


@dataclass(frozen=True)
class Ahead:
    """What was searched ahead for many rows together, as a device wants it."""

    pool: Pool
    chosen: Chosen | None
    """The choice, if that is made on a device too."""

    @classmethod
    def of(cls, problem: Problem, method: Method, k: int) -> Ahead:
        """What the method's searcher finds, and its selector chooses, if both are on a device."""
        pool, selector = method.searcher.search(problem, k), method.selector
        return cls(
            pool, marked(selector, problem, pool, k) if hasattr(selector, "device") else None
        )

    def take(self, rows: np.ndarray) -> Ahead:
        """The same of some rows."""
        chosen = self.chosen
        if chosen is not None:
            chosen = chosen[0][rows], chosen[1][rows], chosen[2][rows]
        return Ahead(self.pool.take(rows), chosen)


def solve(
    problem: Problem,
    method: Method,
    k: int,
    certify: Certifier | None = None,
    ahead: Ahead | None = None,
) -> Solved:
    """The chosen answers of every row, each accepted by the judge.

    What `certify` finds joins the candidates at the end, after those of the search: a selector that
    takes the nearest takes it, and one that takes the first k keeps its choice.
    """
    if ahead is None:
        pool, proof = pool_of(problem, method, k)
    else:
        pool, proof = _refined(problem, method, ahead.pool), None
    if proof is None and certify is not None:
        with problem.model.keeping_reserve():
            nearest, proof = certify(problem, pool)
        pool = pool.join(nearest)
        pool = pool.without(repeated(pool.points, pool.valid))
    if ahead is not None and ahead.chosen is not None and certify is None:
        chosen = ahead.chosen
    else:
        chosen = marked(method.selector, problem, pool, k)
    return replace(judged(problem, method, pool, chosen), proof=proof)


def pool_of(problem: Problem, method: Method, k: int) -> tuple[Pool, Proof | None]:
    """What is searched and refined: the candidates that answers are chosen from."""
    first = problem if method.proves else problem.eased
    pool, proof = _candidates(first, method, k)
    if first is problem:
        return pool, proof
    pool = pool.without(problem.late(problem.result(pool.points), pool.valid))
    lacking = np.flatnonzero(pool.valid.sum(axis=1) < SPARE * k)
    if len(lacking) and not problem.spent:
        more, _ = _candidates(problem.take(lacking), method, k)
        pool = pool.join(more.spread(lacking, len(problem.x))).without_repeats()
    return pool, proof


def _candidates(problem: Problem, method: Method, k: int) -> tuple[Pool, Proof | None]:
    """What one search finds, refined."""
    proposals, proof = propose(method.searcher, problem, k)
    return _refined(problem, method, proposals), proof


def _refined(problem: Problem, method: Method, proposals: Pool) -> Pool:
    pool = method.refiner.refine(problem, proposals).join(proposals).without_repeats()
    return pool if pool.m else Pool.empty(problem.x)  # nothing was proposed for any row


def judged(
    problem: Problem,
    method: Method,
    pool: Pool,
    chosen: Chosen,
    known: Problem | None = None,
) -> Solved:
    """The chosen points; a row in which the judge rejects one chooses again of those it accepts.

    Whether smaller changes are enough is asked in the problem, or in what is `known` of it.
    """
    points, filled, fills = chosen
    points = problem.kept(points)
    accepted, scores, reached = problem.judge(points, filled)
    doubtful = np.flatnonzero((filled & ~accepted).any(axis=1))
    if len(doubtful):
        # The model's own decision is not that of its scores here: ask it about every candidate.
        part, own = problem.take(doubtful), pool.take(doubtful)
        own = Pool(part.kept(own.points), own.margin)
        own = own.without(~part.accepts(own.points, own.valid))
        points = points.copy()
        points[doubtful], filled = from_pool(method.selector).select(part, own, points.shape[1])
        fills[doubtful] = False
        judgement = part.judge(points[doubtful], filled)
        accepted[doubtful], scores[doubtful], reached[doubtful] = judgement
    points = np.where(accepted[:, :, None], points, problem.x[:, None])
    result = problem.result(points)
    if problem.causes is not None:  # two actions can lead to one point
        accepted &= ~repeated(result, accepted)
        result = np.where(accepted[:, :, None], result, problem.x[:, None])
        points = np.where(accepted[:, :, None], points, problem.x[:, None])
    scores = np.where(accepted[:, :, None], scores, np.nan)
    reached = np.where(accepted, reached, -1)
    acted = problem.changed(points)
    extra = (accepted & fills) | excess(known or problem, method, points, accepted)
    return Solved(result, points, acted, accepted, scores, pool, reached, extra)


def excess(
    problem: Problem, method: Method, points: np.ndarray, among: np.ndarray
) -> NDArray[np.bool_]:
    """bool [q, k]: which of some points [q, k, d] have a change, or a number, that can be less.

    Only what the selector promises is asked about.
    """
    needed, tight = (getattr(method.selector, name, False) for name in ("needed", "tight"))
    rows, places = np.nonzero(among & (needed or tight))
    each, answers, extra = problem.take(rows), points[rows, places], np.zeros_like(among)
    if needed:
        extra[rows, places] |= ~all_needed(each, answers)
    if tight:
        extra[rows, places] |= halvable(each, answers)
        if not getattr(method.selector, "round_numbers", False):
            extra[rows, places] |= steppable(each, answers)
    return extra


def certifier_of(question: Question) -> Certifier | None:
    """What proves how near an answer can be, where a question asks for it."""
    if question.proof_seconds is None:
        return None
    from ifonly.search.exact.certify import certify  # only where it is asked for

    return partial(certify, limit=question.proof_seconds)
