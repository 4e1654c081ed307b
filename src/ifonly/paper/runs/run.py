"""The run: cells that are not kept yet, spread over the cores, each kept as it ends.

A run that is stopped loses the cells that are under way and no other; started again, it goes on
with what is missing. Workers are processes of their own with one thread each.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass

from ifonly.errors import IfonlyError
from ifonly.paper.runs.cells import Cell, Plan
from ifonly.paper.runs.machine import cores, machine
from ifonly.paper.runs.matrix import EXPERIMENTS, mark
from ifonly.paper.runs.store import Store


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    cell: Cell | None
    """The cell that has just ended."""
    done: int
    total: int
    """Cells, those that were kept already included."""
    share: float
    """The share of the work that is done, by what cells cost."""


@dataclass(frozen=True)
class Ended:
    """How a cell ended: kept from before, run now, or not run, and why."""

    cell: Cell
    seconds: float = 0.0
    why_not: str = ""
    kept: bool = False


def run(
    cells: Sequence[Cell],
    plan: Plan,
    store: Store,
    *,
    workers: int | None = None,
    report: Callable[[Progress], None] | None = None,
) -> list[Ended]:
    """Run the cells that the store lacks; how each ended, in the order of the cells."""
    ended: dict[Cell, Ended] = {}
    waiting: list[Cell] = []
    for cell in cells:
        try:
            if store.has(cell, mark(cell, plan)):
                ended[cell] = Ended(cell, kept=True)
            else:
                waiting.append(cell)
        except IfonlyError as error:
            ended[cell] = Ended(cell, why_not=error.message)
    report_cell = _reporter(cells, plan, ended, report)
    report_cell(None)
    for stage in (True, False):
        part = [one for one in waiting if (one.experiment == "models") is stage]
        if part:
            part.sort(key=lambda one: -_cost(one, plan))  # long ones first, so that none is last
            _spread(part, plan, store, ended, workers or cores(), report_cell)
    return [ended[cell] for cell in cells]


def run_cell(cell: Cell, plan: Plan, store: Store) -> Ended:
    """Run one cell and keep its result; an error of ifonly becomes its reason and is not raised."""
    start = time.perf_counter()
    try:
        frame = EXPERIMENTS[cell.experiment].run(cell, plan, store)
    except IfonlyError as error:
        return Ended(cell, why_not=error.message)
    except Exception as error:  # one cell's mistake must not cost the others
        return Ended(cell, why_not=f"It failed: {type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    store.save(cell, mark(cell, plan), frame, {"seconds": seconds, **machine()})
    return Ended(cell, seconds)


def _spread(
    cells: Sequence[Cell],
    plan: Plan,
    store: Store,
    ended: dict[Cell, Ended],
    workers: int,
    report_cell: Callable[[Cell | None], None],
) -> None:
    """Run cells in processes; whatever stops this process stops them."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        min(workers, len(cells)), multiprocessing.get_context("spawn"), _prepare_worker
    )
    try:
        open_ones: set[Future[Ended]] = {pool.submit(run_cell, cell, plan, store) for cell in cells}
        while open_ones:
            finished, open_ones = wait(open_ones, return_when=FIRST_COMPLETED)
            for one in finished:
                result = one.result()
                ended[result.cell] = result
                report_cell(result.cell)
        pool.shutdown()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise


def _prepare_worker() -> None:
    """One thread, no answer to Ctrl-C (the first process stops all), no life without the first."""
    from threadpoolctl import threadpool_limits  # with scikit-learn

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _reporter(
    cells: Sequence[Cell],
    plan: Plan,
    ended: dict[Cell, Ended],
    report: Callable[[Progress], None] | None,
) -> Callable[[Cell | None], None]:
    """What reports, after each cell, how far the run is."""
    total = sum(_cost(cell, plan) for cell in cells) or 1.0

    def report_cell(cell: Cell | None) -> None:
        if report is not None:
            share = sum(_cost(one, plan) for one in ended) / total
            report(Progress(cell, len(ended), len(cells), share))

    return report_cell


def _cost(cell: Cell, plan: Plan) -> float:
    return EXPERIMENTS[cell.experiment].cost(cell, plan)
