"""Rows answered chunk after chunk, until the budget is spent or somebody interrupts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ifonly.models import Counted
from ifonly.models.adapters.table import TableModel
from ifonly.models.pace import Pace, Watch
from ifonly.models.routes.leaf_sets import LeafSets
from ifonly.models.routes.memo import Memo
from ifonly.problem.proof import Proof
from ifonly.solve.method import Method
from ifonly.solve.pose import Batch
from ifonly.solve.predict import PER_ROW, isolated, reason
from ifonly.solve.prepare import Setting
from ifonly.solve.question import Budget, Question
from ifonly.solve.short.escalate import LIMIT
from ifonly.solve.short.solver import solver_step
from ifonly.solve.source import MOST_ROWS
from ifonly.solve.stages import Certifier
from ifonly.solve.statuses import SHORT, Part, improved, joined, unanswered
from ifonly.solve.workers.crew import SPENT, count_of, hired
from ifonly.solve.workers.work import Work
from ifonly.status import Status

CHUNK = 1_000_000
"""About how many numbers the candidates of a chunk of rows hold; it bounds memory."""
FEWEST = 4
"""The fewest rows of a chunk, however wide the table: they share what a chunk costs by itself."""
SINGLES = 1500
"""About how many single edits of a row are tried at the most, beside three of each feature."""
ROWS_FOR_A_ROW = 2000
"""About how many model rows are asked for the answers to one row; it shares out a budget."""
JUDGED = 16
"""About how many points of a row the judge looks at; a budget keeps that much back."""
JUDGING = 0.15
"""The share of a budget of seconds that is kept for choosing and judging answers."""
INTERRUPTED = "The search was interrupted before this row was searched."


def counted(setting: Setting, limit: Budget, method: Method, watch: Watch) -> Counted:
    """The model and the route to it for one question."""
    own = setting.model
    model = Counted(
        own,
        setting.route,
        most_rows=limit.most_rows,
        deadline=limit.deadline,
        judging=JUDGING * (limit.seconds or 0.0),
        per_row=limit.model_rows_per_row,
        pace=replace(own.meter.pace) if isinstance(own, TableModel) else Pace(),
        watch=watch,
    )
    # What is remembered is not counted again, where rows of the model are limited.
    free = model.most_rows is None and model.per_row is None
    again = method.descends or model.cheap or (free and isinstance(setting.route, LeafSets))
    return model if again else replace(model, memo=Memo())


def answer_in_turns(
    batch: Batch,
    setting: Setting,
    model: Counted,
    method: Method,
    question: Question,
    *,
    certify: Certifier | None,
    other: Setting,
) -> Part:
    """What is found for all rows of a batch; a row without its turn is `skipped`.

    Odd rows are asked in the `other` setting. Rows that are short of answers are searched harder at
    once or, where rows share a budget, after all others.
    """
    if certify is not None:  # the nearest answer is proved among all values
        setting = replace(setting, grid=replace(setting.grid, discrete={}))
    k, q = question.k, len(batch.x)
    done = np.array(list(batch.failed), dtype=np.intp)
    parts = [unanswered(batch.x[done], k, Status.FAILED, list(batch.failed.values()))]
    chunks, note = [done], SPENT
    workers = count_of(question.workers)
    solver = solver_step(setting, method, harder=question.budget.harder)
    shared = model.per_row is None and (model.deadline, model.most_rows) != (None, None)
    later = shared and question.budget.harder
    first = None if later else solver
    work = Work(setting, other, model, method, k, certify, first, pools=q <= MOST_ROWS)

    try:
        waiting = _affordable(work, batch, workers)
        for rows, part in _found(work, batch, waiting, workers):
            if isinstance(part, Exception):
                part = unanswered(batch.x[rows], k, Status.FAILED, [reason(part)])
            parts.append(_broken_off(part, model.watch) if part.interrupted else part)
            chunks.append(rows)
            model.watch.done = sum(map(len, chunks))
            if callable(question.progress):
                question.progress(model.watch.done, q)
    except KeyboardInterrupt:
        if not question.keep:
            raise
        note = INTERRUPTED
    interrupted = note is INTERRUPTED or (model.watch.ended is not None and not model.watch.lost)
    reached = np.zeros(len(batch.x), dtype=bool)
    reached[np.concatenate(chunks)] = True
    left = np.flatnonzero(~reached)
    status, note = _left(model.watch, note)
    parts.append(unanswered(batch.x[left], k, status, [note] * len(left)))
    whole = joined(parts, [*chunks, left])
    if later and solver is not None:
        pairs = zip(whole.by, whole.status, strict=True)
        whole = replace(whole, by=tuple(LIMIT if s in SHORT else one for one, s in pairs))
        short = np.array([one in SHORT for one in whole.status], dtype=bool)
        waiting = _affordable(work, batch, workers)
        again = [some for chunk in waiting if len(some := chunk[short[chunk]])]
        harder = replace(work, solver=solver)
        for rows, part in _found(harder, batch, again, workers, alone=True):
            whole = whole if isinstance(part, Exception) else improved(whole, part, rows)
    if whole.proof is None and (certify is not None or method.proves):
        whole = replace(whole, proof=Proof.nothing(len(batch.x)))
    usual = None if setting.measure is None else whole.usual
    return replace(whole, usual=usual, interrupted=interrupted)


def _found(
    work: Work, batch: Batch, chunks: Sequence[np.ndarray], workers: int, *, alone: bool = False
) -> Iterator[tuple[np.ndarray, Part | Exception]]:
    """What is found for chunks of rows, in their order: by this process, or by workers."""
    judged = work.k if "surrogate" in work.method.needs else max(work.k, JUDGED)
    turns = _turns(chunks, work.model, judged)
    if workers == 1 or len(chunks) < 2:
        yield from isolated(turns, partial(work.answer, batch), alone=alone)
    else:
        with hired(work, batch, workers) as crew:
            yield from isolated(crew.ahead(turns), crew.answer, alone=alone)


def _left(watch: Watch, note: str) -> tuple[Status, str]:
    """The status and the note of rows that a search has left without an answer."""
    if watch.lost is not None:
        return Status.FAILED, reason(watch.lost)
    return Status.SKIPPED, note if watch.ended is None else INTERRUPTED


def _broken_off(part: Part, watch: Watch) -> Part:
    """What was found before the search broke off; a row without answers was not searched."""
    status, note = _left(watch, INTERRUPTED)
    cut = [one is Status.NOT_FOUND for one in part.status]
    return replace(
        part,
        status=tuple(status if off else s for s, off in zip(part.status, cut, strict=True)),
        notes=tuple(note if off else n for n, off in zip(part.notes, cut, strict=True)),
    )


def rows_at_a_time(setting: Setting, method: Method, k: int) -> int:
    """How many rows are solved together: as many as the method's arrays leave room for."""
    space, grid = setting.space, setting.grid
    if not method.descends:
        singles = sum(len(values) for values in grid.fine)
        candidates = 1000 + min(singles, SINGLES + 3 * len(space))  # a wide table tries few of each
        chosen_from = k * (1000 + 64 * k) // 8  # the kernel of a choice; few of it at a time
        room = CHUNK * getattr(method.searcher, "room", 1)
        return int(max(FEWEST, room // max(candidates * len(space), chosen_from)))
    home = getattr(setting.gradient, "home", None)
    room = CHUNK // 2 if home is None or home().device.type == "cpu" else 1000 * CHUNK
    return max(1, room // (4 * k * space.offsets[-1]))


def _affordable(work: Work, batch: Batch, workers: int) -> list[np.ndarray]:
    """The chunks of a batch, of which each worker has its share of a budget."""
    model, method = work.model, work.method
    share = model.affordable / getattr(method.searcher, "model_rows", ROWS_FOR_A_ROW) / workers
    size = min(rows_at_a_time(work.setting, method, work.k), share)
    return batch.chunks(1 if model.per_row is not None else max(1, int(size)))


def _turns(chunks: Iterable[np.ndarray], model: Counted, judged: int) -> Iterator[np.ndarray]:
    """The chunks of rows, as long as the budget lasts; `judged` points of a row are kept back."""
    most_rows = model.most_rows
    for chunk in chunks:
        if model.per_row is not None:
            allowed = model.rows + model.per_row - PER_ROW
            model.most_rows = allowed if most_rows is None else min(allowed, most_rows)
        model.reserve(len(chunk) * judged)
        if model.late or (model.spent and model.per_row is None):
            return
        if not model.spent:
            yield chunk
