"""Rows answered chunk after chunk, until the budget is spent or somebody interrupts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ifonly.models import Counted
from ifonly.models.adapters.table import TableModel
from ifonly.models.pace import Pace, Watch
from ifonly.models.routes.memo import Memo
from ifonly.problem.proof import Proof
from ifonly.solve.method import Method, method_of
from ifonly.solve.pose import Batch
from ifonly.solve.predict import PER_ROW, isolated, reason
from ifonly.solve.prepare import Setting
from ifonly.solve.question import Budget, Question
from ifonly.solve.source import MOST_ROWS
from ifonly.solve.stages import Certifier
from ifonly.solve.statuses import Part, answer, joined, unanswered
from ifonly.status import Status

CHUNK = 1_000_000
"""About how many numbers the candidates of a chunk of rows hold; it bounds memory."""
ROWS_FOR_A_ROW = 2000
"""About how many model rows are asked for the answers to one row; it shares out a budget."""
JUDGED = 16
"""About how many points of a row the judge looks at; a budget keeps that much back."""
JUDGING = 0.15
"""The share of a budget of seconds that is kept for choosing and judging answers."""
SPENT = "The budget was used up before this row was searched."
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
    return model if method.descends or model.cheap else replace(model, memo=Memo())


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

    Odd rows are asked in the `other` setting; a method that reads the model, which nobody can read
    for them, gives way to the default one.
    """
    k = question.k
    done = np.array(list(batch.failed), dtype=np.intp)
    parts = [unanswered(batch.x[done], k, Status.FAILED, list(batch.failed.values()))]
    chunks, note = [done], SPENT

    def attempt(rows: np.ndarray) -> Part:
        if len(batch.odd) and batch.odd[rows[0]]:
            way = method_of() if "reading" in method.needs else method
            with model.aside(other.model, other.route) as own:
                problem = batch.pose(other, own, rows)
                part = answer(problem, way, k, batch.met[rows], certify=certify)
        else:
            problem = batch.pose(setting, model, rows)
            part = answer(problem, method, k, batch.met[rows], certify=certify)
        part = part if model.watch.ended is None else _broken_off(part, model.watch)
        return part if len(batch.x) <= MOST_ROWS else replace(part, pools=())

    try:
        turns = _turns(batch, model, k, rows_at_a_time(setting, method, k))
        for rows, part in isolated(turns, attempt):
            if isinstance(part, Exception):
                part = unanswered(batch.x[rows], k, Status.FAILED, [reason(part)])
            parts.append(part)
            chunks.append(rows)
            model.watch.done = sum(map(len, chunks))
            if callable(question.progress):
                question.progress(model.watch.done, len(batch.x))
    except KeyboardInterrupt:
        if not question.keep:
            raise
        note = INTERRUPTED
    interrupted = note is INTERRUPTED or (model.watch.ended is not None and not model.watch.lost)
    waiting = np.ones(len(batch.x), dtype=bool)
    waiting[np.concatenate(chunks)] = False
    left = np.flatnonzero(waiting)
    status, note = _left(model.watch, note)
    parts.append(unanswered(batch.x[left], k, status, [note] * len(left)))
    whole = joined(parts, [*chunks, left])
    if whole.proof is None and (certify is not None or method.proves):
        whole = replace(whole, proof=Proof.nothing(len(batch.x)))
    return replace(whole, interrupted=interrupted)


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
        candidates = 1000 + sum(len(values) for values in grid.fine)
        chosen_from = k * (1000 + 64 * k) // 8  # the kernel of a choice; few of it at a time
        room = CHUNK * getattr(method.searcher, "room", 1)
        return max(1, room // max(candidates * len(space), chosen_from))
    home = getattr(setting.gradient, "home", None)
    room = CHUNK // 2 if home is None or home().device.type == "cpu" else 1000 * CHUNK
    return max(1, room // (4 * k * space.offsets[-1]))


def _turns(batch: Batch, model: Counted, k: int, size: int) -> Iterator[np.ndarray]:
    """The chunks of rows, as long as the budget lasts.

    An allowance for each row by itself is the row's own: nothing is remembered of other rows.
    """
    most_rows = model.most_rows
    share = model.affordable / ROWS_FOR_A_ROW
    size = 1 if model.per_row is not None else max(1, int(min(size, share)))
    for chunk in batch.chunks(size):
        if model.per_row is not None:
            allowed = model.rows + model.per_row - PER_ROW
            model.most_rows = allowed if most_rows is None else min(allowed, most_rows)
            model.memo = None if model.memo is None else Memo()
        model.reserve(len(chunk) * max(k, JUDGED))
        if model.late or (model.spent and model.per_row is None):
            return
        if not model.spent:
            yield chunk
