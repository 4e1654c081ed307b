"""From the problem of a chunk of rows to points, scores, statuses and messages.

Rows that the rules make infeasible get the smallest set of rules that conflict; those that are
short of answers for another reason are searched harder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ifonly.problem.goal import Goal
from ifonly.problem.pool import Pool
from ifonly.problem.problem import Problem
from ifonly.problem.proof import Proof
from ifonly.rules.language.advice import said_of_broken
from ifonly.solve.method import Method
from ifonly.solve.pose import outside
from ifonly.solve.short.conflict import closed, conflicts
from ifonly.solve.short.demanded import demand_notes
from ifonly.solve.short.escalate import BOUNDS, EVERY, SOLVER, escalated
from ifonly.solve.short.solver import SolverStep
from ifonly.solve.slow.rounds import solve_slow
from ifonly.solve.stages import Ahead, Certifier, solve
from ifonly.status import Status

UNCHECKED = "The model rows were used up before all smaller changes were tried."
CLOSED = "No allowed change is left."
TRIED = "Every allowed change was tried: "
NONE = {
    SOLVER: "A solver proved that no answer exists.",
    EVERY: f"{TRIED}none is enough.",
    BOUNDS: "It is proved that no allowed change is enough.",
}
NO_MORE = ("A solver proved that there are no others.", f"{TRIED}there are no others.")
SHORT = (Status.NOT_FOUND, Status.PARTIAL)
"""What a row is that may have more answers than were found."""


@dataclass(frozen=True)
class Part:
    """What was found for some rows."""

    points: np.ndarray
    """[q, k, d]"""
    filled: np.ndarray
    """bool [q, k]"""
    score: np.ndarray
    """[q, k]"""
    reached: np.ndarray
    """[q, k] the class of each answer, -1 where there is none."""
    extra: np.ndarray
    """bool [q, k] the answers that only fill a place."""
    status: tuple[Status, ...]
    notes: tuple[str, ...]
    acted: np.ndarray | None = None
    """bool [q, k, d] what each answer changes itself, where causes are known."""
    pools: tuple[tuple[np.ndarray, Pool], ...] = ()
    """The positions of the rows that were searched, and what their answers were chosen from."""
    proof: Proof | None = None
    usual: np.ndarray | None = None
    """[q, k] how usual the answers are, NaN where there is none, if it is measured."""
    interrupted: bool = False
    """Whether Ctrl-C ended the search before the turn of some rows."""
    by: tuple[str, ...] = ()
    """What finished each row; empty where none was searched."""
    unsolved: str = ""
    """Why rows that are short of answers were not given to a solver."""

    def take(self, rows: np.ndarray) -> Part:
        """The part of some rows, by position in order."""
        fields: dict[str, Any] = dict(vars(self))
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                fields[name] = value[rows]
            elif name in ("status", "notes", "by"):
                fields[name] = tuple(value[row] for row in rows) if value else ()
        kept = [(some, pool, np.isin(some, rows)) for some, pool in self.pools]
        fields["pools"] = tuple(
            (np.searchsorted(rows, some[mask]), pool.take(np.flatnonzero(mask)))
            for some, pool, mask in kept
        )
        if self.proof is not None:
            fields["proof"] = Proof(self.proof.bound[rows], self.proof.seconds[rows])
        return Part(**fields)


def answer(
    problem: Problem,
    method: Method,
    k: int,
    met: np.ndarray,
    *,
    certify: Certifier | None = None,
    solver: SolverStep | None = None,
    ahead: Ahead | None = None,
) -> Part:
    """The answers of a chunk of rows; `met` [q] says which have the wanted outcome already.

    `certify` finds the nearest answer and proves that there is none nearer. With a `solver`, rows
    that are short of answers are searched harder, and by it in the end. What was searched `ahead`
    is of all rows: none is `met`, and none closed.
    """
    shut = closed(problem)
    already = met.copy()
    already[met] = _stands(problem.take(np.flatnonzero(met)))
    points, filled, score, reached, extra = _unfilled(problem.x, k)
    acted = None if problem.causes is None else np.zeros(points.shape, dtype=bool)
    pools: tuple[tuple[np.ndarray, Pool], ...] = ()
    unchecked: dict[int, str] = {}
    bound, seconds = np.where(shut, np.inf, -np.inf), np.zeros(len(met))
    searched = np.flatnonzero(~already & ~shut)
    part = problem if len(searched) == len(shut) else problem.take(searched)
    solved, lacking = None, ~already
    if len(searched):
        slow = problem.reference.emulator is not None
        solved = (solve_slow if slow else partial(solve, ahead=ahead))(part, method, k, certify)
        lacking[searched] = ~solved.filled.any(axis=1)
    reasons = conflicts(problem, np.flatnonzero(lacking), shut)
    by, unsolved, complete = np.full(len(met), "", dtype=object), "", np.zeros(len(met), dtype=bool)
    if solved is not None:
        more = escalated(part, method, k, solved, ~np.isin(searched, list(reasons)), solver)
        solved, unsolved = more.solved, more.unsolved
        by[searched], complete[searched] = more.by, more.complete
        points[searched], filled[searched] = solved.points, solved.filled
        reached[searched], extra[searched] = solved.reached, solved.extra
        score[searched] = wanted_score(solved.scores, part.goal)
        if acted is not None:
            acted[searched] = solved.acted
        pools = tuple((searched[rows], pool) for rows, pool in more.pools)
        if solved.unchecked is not None:
            unchecked = dict.fromkeys(searched[solved.unchecked].tolist(), UNCHECKED)
        if solved.proof is not None:
            bound[searched], seconds[searched] = solved.proof.bound, solved.proof.seconds
    count = filled.sum(axis=1)
    bound[complete & (count == 0)] = np.inf
    for row in np.flatnonzero((bound == np.inf) & (count == 0) & ~already):
        reasons.setdefault(int(row), CLOSED if shut[row] else NONE.get(by[row], NONE[SOLVER]))
    kind = np.where(count == k, 2, (count > 0).astype(np.intp))
    kind[list(reasons)] = 3
    kind[already] = 4
    kinds = (Status.NOT_FOUND, Status.PARTIAL, Status.FOUND, Status.INFEASIBLE, Status.ALREADY)
    unheard = _unheard(problem, np.flatnonzero(kind == 0))
    broken = {} if not problem.rules else _broken(problem, np.flatnonzero(kind < 3))
    partly = np.flatnonzero(complete & (kind == 1)).tolist()
    tried = {row: NO_MORE[by[row] == EVERY] for row in partly}
    kept = demand_notes(problem, method, k, np.where(already | shut, k, count))
    further = unheard, broken, tried, kept, unchecked, outside(problem.space, problem.x)
    notes = _messages(len(kind), reasons, *further)
    bound[already] = 0.0
    proof = Proof(bound, seconds) if certify is not None or method.proves else None
    found = points, filled, score, reached, extra, tuple(kinds[one] for one in kind.tolist())
    return Part(*found, notes, acted, pools, proof, by=tuple(by.tolist()), unsolved=unsolved)


def _stands(problem: Problem) -> np.ndarray:
    """bool [q]: the rows, known to have the outcome, that obey rules and demands as they are."""
    lawful = np.where(problem.lawful(problem.x[:, None]), 1.0, -np.inf)
    return np.asarray(problem.demanded(problem.x[:, None], lawful, by="itself")[:, 0] > 0)


def unanswered(x: np.ndarray, k: int, status: Status, notes: Sequence[str]) -> Part:
    """Rows x [q, d] that were not searched, or not to the end, with a note for each."""
    return Part(*_unfilled(x, k), (status,) * len(x), tuple(notes))


def joined(parts: Sequence[Part], chunks: Sequence[np.ndarray]) -> Part:
    """The parts of chunks of rows, which are given by their positions, as one."""
    rows = np.concatenate(chunks)
    place = slice(None) if (rows[1:] > rows[:-1]).all() else np.argsort(rows, kind="stable")
    names = ("points", "filled", "score", "reached", "extra")
    arrays: dict[str, Any] = {
        n: np.concatenate([getattr(p, n) for p in parts])[place] for n in names
    }
    status = [status for part in parts for status in part.status]
    notes = [note for part in parts for note in part.notes]
    said, noted = (tuple(_entries(each)[place].tolist()) for each in (status, notes))
    by = [one for part in parts for one in part.by or ("",) * len(part.status)]
    causal = any(part.acted is not None for part in parts)
    usual = [np.full(p.filled.shape, np.nan) if p.usual is None else p.usual for p in parts]
    changed = [np.zeros(p.points.shape, bool) if p.acted is None else p.acted for p in parts]
    pools = [
        (chunk[own], pool)
        for part, chunk in zip(parts, chunks, strict=True)
        for own, pool in part.pools
    ]
    return Part(
        **arrays,
        status=said,
        notes=noted,
        acted=np.concatenate(changed)[place] if causal else None,
        pools=tuple(pools),
        proof=_proved([part.proof for part in parts], chunks),
        usual=np.concatenate(usual)[place],
        by=tuple(_entries(by)[place].tolist()),
        unsolved=next((part.unsolved for part in parts if part.unsolved), ""),
    )


def improved(whole: Part, part: Part, rows: np.ndarray) -> Part:
    """A whole with some rows of a part, where that has more answers or proves that there is none.

    `rows` are their positions in the whole.
    """
    more = part.filled.sum(axis=1) > whole.filled[rows].sum(axis=1)
    more |= [one is Status.INFEASIBLE for one in part.status]
    rest = np.setdiff1d(np.arange(len(whole.status)), rows[more])
    return joined([whole.take(rest), part.take(np.flatnonzero(more))], [rest, rows[more]])


def _proved(proofs: Sequence[Proof | None], chunks: Sequence[np.ndarray]) -> Proof | None:
    """What is proved of all chunks; of a row whose turn did not come, nothing."""
    if all(proof is None for proof in proofs):
        return None
    whole = Proof.nothing(sum(map(len, chunks)))
    for proof, chunk in zip(proofs, chunks, strict=True):
        if proof is not None:
            whole.bound[chunk], whole.seconds[chunk] = proof.bound, proof.seconds
    return whole


def status_of(filled: np.ndarray, before: Sequence[Status]) -> tuple[Status, ...]:
    """The statuses of rows with other answers [q, k]; a row that was not searched keeps its own."""
    k = filled.shape[1]
    kinds = (Status.NOT_FOUND, Status.PARTIAL, Status.FOUND)
    return tuple(
        kinds[int(n > 0) + int(n == k)] if old in kinds else old
        for old, n in zip(before, filled.sum(axis=1), strict=True)
    )


def wanted_score(scores: np.ndarray, goal: Goal) -> np.ndarray:
    """[q, k] of scores [q, k, c]: the wanted class's, the best of others, or the number itself."""
    if scores.shape[-1] == 1:
        return scores[..., 0]
    wanted = np.minimum(goal.wanted, scores.shape[-1] - 1)  # beyond: of a row that is not known
    own = np.asarray(scores[np.arange(len(scores)), :, wanted])
    if goal.avoided is None:
        return own
    others = np.where(np.arange(scores.shape[-1]) == wanted[:, None, None], -np.inf, scores)
    return np.where(goal.avoided[:, None], others.max(axis=-1), own)


def wanted_of(goal: Goal, classes: tuple[Any, ...], known: np.ndarray) -> tuple[Any, ...]:
    """The wanted class or range of each row; None where what it has is not known [q]."""
    if not classes:
        return tuple(zip(goal.low.tolist(), goal.high.tolist(), strict=True))
    wanted = _entries([*classes, "other", None])
    place = goal.wanted if goal.avoided is None else np.where(goal.avoided, -2, goal.wanted)
    return tuple(wanted[np.where(known, place, -1)].tolist())


def _entries(values: Sequence[Any]) -> np.ndarray:
    """[n] the values, each one entry, whatever they are."""
    entries = np.empty(len(values), dtype=object)
    entries[:] = values
    return entries


def _broken(problem: Problem, rows: np.ndarray) -> dict[int, str]:
    """A note for each of some rows that break rules as they are."""
    notes = {}
    part = problem.take(rows)
    for row in rows[~part.lawful(part.x[:, None])[:, 0]].tolist():
        x = problem.x[[row]]
        held = [(rule, rule.holds(problem.space, x, x[:, None])) for rule in problem.rules_of(row)]
        broken = [rule for rule, holds in held if not holds.all()]
        if broken:
            notes[row] = said_of_broken(broken)
    return notes


def _unheard(problem: Problem, rows: np.ndarray) -> dict[int, str]:
    """A note for each of some rows whose wanted outcome no row of the data gets from the model."""
    known = len(problem.reference.codes)
    if not len(rows) or not known:
        return {}
    ever = (problem.reference.margin(problem.goal.take(rows), len(rows)) > 0).any(axis=1)
    note = f"The model predicts this outcome for none of the {known} rows of the data."
    return {int(row): note for row in rows[~ever]}


def _unfilled(
    x: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points, filled, score, reached and extra of rows without answers."""
    points = np.repeat(x[:, None], k, axis=1)
    filled, extra = np.zeros((2, *points.shape[:2]), dtype=bool)
    return points, filled, np.full(filled.shape, np.nan), np.full(filled.shape, -1), extra


def _messages(q: int, *notes: Mapping[int, str]) -> tuple[str, ...]:
    messages = [""] * q
    for row, note in (each for group in notes for each in group.items()):
        messages[row] = f"{messages[row]} {note}".strip()
    return tuple(messages)
