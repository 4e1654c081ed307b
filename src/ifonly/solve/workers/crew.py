"""Chunks handed out to workers and taken back in their order.

The processes are loky's, which scikit-learn brings along: they need no `__main__` guard, take
functions by their code, and say when one of them dies. They stay for a while after a question, so
that the next one finds them started.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from pickle import PicklingError
from typing import Any, TypeAlias

import numpy as np

from ifonly.errors import ModelError
from ifonly.solve.pose import Batch
from ifonly.solve.statuses import Part, unanswered
from ifonly.solve.workers.work import Work
from ifonly.solve.workers.worker import (
    CALLS,
    EVERY,
    ONE_THREAD,
    Report,
    begin,
    brought,
    deaf,
    send,
    serve,
    unsendable,
)
from ifonly.status import Status

IDLE = 60.0
"""The seconds after which a worker without work ends."""
AHEAD = 16
"""How many chunks per worker are handed out before the first of them is taken back."""
SPENT = "The budget was used up before this row was searched."

Call: TypeAlias = tuple[str, Batch, tuple[int | None, int], list[Any]]
"""What `serve` is called with."""

_pools: dict[tuple[int, int], Any] = {}
"""The processes, by the process that started them and their number."""
_starting = threading.Lock()


def count_of(workers: int | str) -> int:
    """How many processes `workers=` means here."""
    if multiprocessing.current_process().daemon:
        return 1  # which Python allows no children
    if workers != "all":
        return int(workers)
    from joblib import cpu_count

    return int(cpu_count())


@contextmanager
def hired(work: Work, batch: Batch, workers: int) -> Iterator[Crew]:
    """Workers that are sent the work; whatever ends this, ends theirs."""
    folder = Path(tempfile.mkdtemp(prefix="ifonly-"))
    crew = Crew(work, batch, workers, folder / "work", work.model.watch.calls)
    try:
        send(replace(work, model=replace(work.model, promised=[])), crew.path)
        yield crew
    except BaseException as error:
        if not isinstance(error, Exception):  # Ctrl-C: a call of the model may take long
            _end(workers, kill=True)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for _, future in crew.handed.values():
            future.cancel()


@dataclass
class Crew:
    """Workers, and the chunks that they have."""

    work: Work
    batch: Batch
    workers: int
    path: Path
    """The file that holds the work."""
    calls: int
    """How often the model was called before."""
    handed: dict[int, tuple[Call, Future[Any]]] = field(default_factory=dict)
    """The call and the future result of each chunk, by its first row."""
    died: bool = False
    """Whether a worker has died since the last chunk came back."""
    heard: dict[Any, Any] = field(default_factory=dict)
    """The warnings that were repeated here."""

    def ahead(self, chunks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """The chunks, each when workers have it and some of those behind it.

        What a budget leaves to a chunk is not known before, so that no worker has a second one.
        """
        model, waiting = self.work.model, deque[np.ndarray]()
        limited = model.most_rows is not None or model.deadline is not None
        room = self.workers * (1 if limited else AHEAD)
        for rows in chunks:
            self._hand_out(rows)
            waiting.append(rows)
            if len(waiting) == room:
                yield waiting.popleft()
        yield from waiting

    def answer(self, rows: np.ndarray) -> Part:
        """What a worker finds for rows."""
        first, model = int(rows[0]), self.work.model
        if first not in self.handed:
            self._hand_out(rows)
        told = self._report(first)
        (_, part, (allowed, _), _), _ = self.handed.pop(first)
        model.rows -= allowed or 0
        if told is None:
            over = model.watch.ended is not None
            status = Status.NOT_FOUND if over else Status.SKIPPED
            none = unanswered(part.x, self.work.k, status, [SPENT] * len(rows))
            return replace(none, interrupted=over)
        for name in ("rows", "calls", "others"):
            setattr(model, name, getattr(model, name) + getattr(told, name))
        model.promised += told.promised
        model.confirmed = told.confirmed if model.confirmed is None else model.confirmed
        if told.lost is not None and model.watch.ended is None:
            model.watch.ended, model.watch.lost = time.monotonic(), told.lost
        for text, category, filename, line in told.warned:
            warnings.warn_explicit(text, category, filename, line, registry=self.heard)
        if isinstance(told.found, Exception):
            raise told.found
        return told.found

    def _hand_out(self, rows: np.ndarray) -> None:
        """Submit rows, with their share of what is left of a budget."""
        model, allowed = self.work.model, None
        if model.most_rows is not None:
            free = 1 if model.per_row is not None else max(1, self.workers - len(self.handed))
            allowed = (model.most_rows - model.rows) // free
            model.rows += allowed
        promised, model.promised = model.promised, []
        call = (str(self.path), self.batch.take(rows), (allowed, model.reserved), promised)
        self.handed[int(rows[0])] = call, _submit(self.workers, call)

    def _report(self, first: int) -> Report | None:
        """The report on a chunk, once it is there; None for one that was not searched."""
        while True:
            future = self.handed[first][1]
            while not future.done():
                wait([future], EVERY)
                self._look()
            try:
                report: Report | None = future.result()
            except CancelledError:
                return None
            except PicklingError as error:
                raise unsendable("rules of a row", error) from error
            except RuntimeError as error:  # of the processes; errors of a search are in the report
                self._replace(error)
                continue
            self.died = False
            return report

    def _look(self) -> None:
        """Tell the workers when the search is over, and the watch how often they call the model."""
        watch, calls = self.work.model.watch, self.path.with_suffix(CALLS)
        if watch.ended is not None:
            self.path.unlink(missing_ok=True)
            for _, future in self.handed.values():
                future.cancel()
        if calls.exists():
            watch.calls = self.calls + calls.stat().st_size

    def _replace(self, error: RuntimeError) -> None:
        """Other workers for those that have died, once; they get the chunks that were lost."""
        _end(self.workers)
        if self.died or self.work.model.most_rows is not None:
            raise ModelError(
                f"A worker process died: {str(error).splitlines()[0]}",
                "If the memory was used up, use fewer `workers`; if the model crashes, look at "
                "the row with `workers=1`.",
            ) from error
        self.died = True
        for first, (call, future) in self.handed.items():
            if future.done() and future.exception() is not None:
                self.handed[first] = call, _submit(self.workers, call)


def _submit(workers: int, call: Call) -> Future[Any]:
    """The future result of a call, by workers that run already or are started now."""
    for tries in (1, 2):
        try:
            pool = _pool(workers)
            with deaf():
                future: Future[Any] = pool.submit(serve, *call)
                return future
        except RuntimeError:  # they have died, or were ended by another thread
            if tries == 2:
                raise
            _end(workers)
    raise AssertionError("the second try returns or raises")


def _pool(workers: int) -> Any:
    with _starting:
        key = os.getpid(), workers
        if key not in _pools:
            _pools[key] = brought("loky").ProcessPoolExecutor(
                workers,
                timeout=IDLE,
                env=ONE_THREAD,
                initializer=begin,
                initargs=(os.getpid(),),
            )
        return _pools[key]


def _end(workers: int, *, kill: bool = False) -> None:
    """Forget so many workers; others are started when they are needed."""
    pool = _pools.pop((os.getpid(), workers), None)
    if pool is not None and kill:  # what the pool finds dead it clears away, without a race
        for process in list(pool._processes.values()):
            process.terminate()
    elif pool is not None:
        pool.shutdown(wait=False)
