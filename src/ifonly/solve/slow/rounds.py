"""A slow model, for which a cheap one proposes: rounds of proposals, questions and corrections.

In each round the whole method runs on the cheap model: search, refine, choose. The slow model is
then asked, once for all rows, about the points chosen and about what is claimed of them: that no
change can be reverted, and no number come half of the way nearer. What it says corrects the cheap
model around that row, and is known exactly from then on. The last rounds, and the final choice,
are among points that the slow model has confirmed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ifonly.models.emulator import Silent
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.search.surrogate import Surrogate
from ifonly.select.selector import marked
from ifonly.solve.method import Method
from ifonly.solve.slow.facts import Facts
from ifonly.solve.stages import Certifier, Solved, excess, judged, pool_of
from ifonly.space.table.carry import tagged

SINGLES = 16
"""How many single edits of a row are asked about at first."""
BOLD, SURE = 12, 4
"""How many rounds propose by the cheap model, and how many then choose what is known."""
STEP = 12
"""The most model rows of a row in a round that proposes."""
KEPT = 2
"""How many model rows for each answer are left to the rounds that choose what is known."""
HOPE = 0.3
"""By how much, in the spread of the model's scores, a round is bolder or more careful."""
FEW = 0.3
"""The share of proposals that the model confirms below which the next ones are more careful."""


def solve_slow(
    problem: Problem, method: Method, k: int, certify: Certifier | None = None
) -> Solved:
    """The chosen answers of every row, each accepted by the judge, in few model rows.

    What `certify` finds joins the candidates at the end.
    """
    every, proof = np.arange(len(problem.x)), None
    facts, tried = _asked_about(problem, method, k)
    if certify is not None:
        with problem.model.keeping_reserve():
            nearest, proof = certify(problem, _confirmed(facts.posed(every), tried))
        tried = tried.join(nearest).without_repeats()
        facts = facts.asked(tagged(problem.result(nearest.points), every)[nearest.valid])
    known = facts.posed(every)
    pool = _confirmed(known, tried)
    chosen = marked(method.selector, known, pool, k)
    solved = judged(problem, method, pool, chosen, known)
    claims = facts.said.unknown(_claims(known, method, solved.chosen, solved.filled))
    unchecked = np.isin(every, claims[:, -1])
    return replace(solved, proof=proof, unchecked=unchecked)


def _asked_about(problem: Problem, method: Method, k: int) -> tuple[Facts, Pool]:
    """What the model has said in all rounds, and the points that were proposed."""
    every = np.arange(len(problem.x))
    most = getattr(method.searcher, "model_rows", Surrogate.model_rows)
    tried, hope = Pool.empty(problem.x), np.zeros(len(every))
    facts = Facts.none(problem).asked(tagged(problem.x, every))
    facts = facts.asked(
        _first(facts.unknown(_singles(facts.posed(every, hope))), most - facts.count)
    )
    for bold, turns in ((True, BOLD), (False, SURE)):
        rows, limit = every, most - (KEPT * k if bold else 0)
        for _ in range(turns):
            rows = rows[facts.count[rows] < limit]
            if not len(rows) or problem.spent:
                break
            guess = facts.posed(rows, hope)
            posed = guess if bold else facts.posed(rows)
            pool = pool_of(guess, method, k)[0] if bold else _confirmed(posed, tried.take(rows))
            points, filled, _ = marked(method.selector, posed, pool, k)
            new = Pool(points, np.where(filled, 1.0, -np.inf))
            tried = tried.join(new.spread(rows, len(every))).without_repeats()
            claims = facts.unknown(_claims(guess, method, points, filled))
            room = limit - facts.count
            facts = facts.asked(_first(claims, np.minimum(room, STEP) if bold else room))
            if bold:
                share = _confirmed(facts.posed(rows), new).valid.mean(axis=1)
                hope[rows] += HOPE * ((share == 1).astype(float) - (share < FEW))
            else:
                rows = np.intersect1d(rows, claims[:, -1].astype(np.intp))
    return facts, tried


def _confirmed(known: Problem, tried: Pool) -> Pool:
    """The points that were tried; those are valid of which the model has said so."""
    return Pool(tried.points, known.margin(tried.points, tried.valid))


def _claims(guess: Problem, method: Method, points: np.ndarray, filled: np.ndarray) -> np.ndarray:
    """[n, d + 1] what must be asked to know that points [q, k, d] are answers, and good ones.

    The points first, then what is nearer to the row, the likeliest first to be an answer as well.
    """
    silent = Silent(guess.model.classes)
    excess(replace(guess, model=guess.model.imagined(silent)), method, points, filled)
    own = tagged(guess.result(points), guess.places)[filled]
    codes = np.concatenate([own, *silent.heard])
    assert guess.places is not None, "Facts.posed() has stated them"
    goal = guess.goal.take(np.searchsorted(guess.places, codes[:, -1]))
    margin = np.nan_to_num(goal.margin(guess.model.scores(codes)[:, None])[:, 0], nan=-np.inf)
    margin[: len(own)] = np.inf
    return np.asarray(codes[np.argsort(-margin, kind="stable")])


def _singles(guess: Problem) -> np.ndarray:
    """[n, d + 1] single edits of each row, those first that may do most.

    Both ends of a number, near which the cheap model has seen few rows, and the likeliest level.
    """
    edits, margins = [], []
    for j, values in enumerate(guess.moves.values):
        values = values[:, [1, -1]] if guess.space.continuous[j] else values
        points = np.repeat(guess.moves.origin[:, None], values.shape[1], axis=1)
        points[:, :, j] = values
        points = guess.repaired(points)
        margin = guess.margin(points)
        if not guess.space.continuous[j]:
            best = margin.argmax(axis=1)[:, None]
            points = np.take_along_axis(points, best[:, :, None], axis=1)
            margin = np.take_along_axis(margin, best, axis=1)
        edits.append(points)
        margins.append(margin)
    points, margin = np.concatenate(edits, axis=1), np.concatenate(margins, axis=1)
    order = np.argsort(-margin, axis=1, kind="stable")[:, :SINGLES]
    points = np.take_along_axis(points, order[:, :, None], axis=1)
    possible = np.take_along_axis(margin, order, axis=1) > -np.inf
    return tagged(guess.result(points), guess.places)[possible]


def _first(codes: np.ndarray, room: np.ndarray) -> np.ndarray:
    """The first of codes [n, d + 1], as many of each row as there is room [q] for."""
    row = codes[:, -1].astype(np.intp)
    count = np.bincount(row, minlength=len(room))
    rank = np.empty(len(row), dtype=np.intp)
    rank[np.argsort(row, kind="stable")] = np.arange(len(row)) - np.repeat(
        np.cumsum(count) - count, count
    )
    return np.asarray(codes[rank < room[row]])
