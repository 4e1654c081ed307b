"""Rows answered chunk after chunk, until the budget is spent or somebody interrupts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ifonly.models import Counted
from ifonly.problem.proof import Proof
from ifonly.solve.method import Method, method_of
from ifonly.solve.pose import Batch
from ifonly.solve.predict import isolated, reason
from ifonly.solve.prepare import Setting
from ifonly.solve.question import Question
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
SPENT = "The budget was used up before this row was searched."
INTERRUPTED = "The search was interrupted before this row was searched."


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
                part = answer(
                    batch.pose(other, own, rows), way, k, batch.met[rows], certify=certify
                )
        else:
            problem = batch.pose(setting, model, rows)
            part = answer(problem, method, k, batch.met[rows], certify=certify)
        return part if len(batch.x) <= MOST_ROWS else replace(part, pools=())

    try:
        turns = _turns(batch, model, k, rows_at_a_time(setting, method, k))
        for rows, part in isolated(turns, attempt):
            if isinstance(part, Exception):
                part = unanswered(batch.x[rows], k, Status.FAILED, [reason(part)])
            parts.append(part)
            chunks.append(rows)
            if question.progress is not None:
                question.progress(sum(map(len, chunks)), len(batch.x))
    except KeyboardInterrupt:
        if not question.keep:
            raise
        note = INTERRUPTED
    left = np.setdiff1d(np.arange(len(batch.x)), np.concatenate(chunks))
    parts.append(unanswered(batch.x[left], k, Status.SKIPPED, [note] * len(left)))
    whole = joined(parts, [*chunks, left])
    if whole.proof is None and (certify is not None or method.proves):
        whole = replace(whole, proof=Proof.nothing(len(batch.x)))
    return replace(whole, interrupted=note is INTERRUPTED)


def rows_at_a_time(setting: Setting, method: Method, k: int) -> int:
    """How many rows are solved together: as many as the method's arrays leave room for."""
    space, grid = setting.space, setting.grid
    if not method.descends:
        candidates = 1000 + sum(len(values) for values in grid.fine)
        chosen_from = k * (1000 + 64 * k) // 8  # the kernel of a choice; few of it at a time
        return max(1, CHUNK // max(candidates * len(space), chosen_from))
    home = getattr(setting.gradient, "home", None)
    room = CHUNK // 2 if home is None or home().device.type == "cpu" else 1000 * CHUNK
    return max(1, room // (4 * k * space.offsets[-1]))


def _turns(batch: Batch, model: Counted, k: int, size: int) -> Iterator[np.ndarray]:
    """The chunks of rows, as long as the budget lasts; the first has its turn in any case.

    A budget of model rows has no exception: where it does not reach, nothing is asked.
    """
    if model.most_rows is not None:
        size = max(1, min(size, model.left // ROWS_FOR_A_ROW))
    for place, chunk in enumerate(batch.chunks(size)):
        model.reserve(len(chunk) * max(k, JUDGED))
        if model.spent and (place or model.most_rows is not None):
            return
        yield chunk
