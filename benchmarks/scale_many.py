"""Ten million rows through local shards, and the memory that they take."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from ifonly import scale
from record import Record
from scale_rows import Timed

REFUSED = 0.05
"""The share of the rows that have to be searched."""
GROWTH = 1.1
"""Memory is flat if the peak of the last quarter is at most so much of that of the second."""


def many(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """Ten million rows through local shards; the memory of all processes is watched."""
    rows = 20_000 if record.quick else 10_000_000
    rng, source = np.random.default_rng(0), folder / "many"
    source.mkdir()
    for place in range(10):
        income, low = rng.integers(1, 100_000, rows // 10), rng.random(rows // 10) < REFUSED
        frame = pd.DataFrame(
            {
                "income": income,
                "debt": np.where(low, 100_000, rng.integers(0, income)),
                "id": np.arange(place * rows // 10, (place + 1) * rows // 10),
            }
        )
        frame.to_parquet(source / f"{place}.parquet", row_group_size=100_000)
    few = frame[["income", "debt"]][:200]
    model = ifonly.as_model(_solvent, classes=["no", "yes"])
    own = ifonly.Explainer(model, data=few, method="neighbours")
    timed, out = Timed(os.cpu_count() or 1), folder / "many-out"
    with _watched() as sizes:
        run = scale.explain(
            own,
            source,
            out=out,
            id="id",
            workers="all",
            shard_rows=rows // 200,
            k=1,
            target="yes",
            progress=timed,
        )
    running = [size for when, size in sizes if when >= timed.started[0]]
    quarter = max(1, len(running) // 4)
    second, last = max(running[quarter : 2 * quarter]), max(running[3 * quarter :])
    size = sum(path.stat().st_size for path in out.glob("*.parquet"))
    figures["bytes of a manifest line"] = (out / "manifest.jsonl").stat().st_size / 200
    record.check(f"{rows:,} rows: memory is flat", last <= GROWTH * second, f"{last / second:.3f}")
    record.check(f"{rows:,} rows: all are there", run.summary.rows == rows, f"{run.summary.rows:,}")
    record.table(
        "Ten million rows through local shards",
        ["rows", "seconds", "rows per second", "MB, 2nd quarter", "MB, last quarter", "GB written"],
        [[rows, timed.seconds, timed.speed, second / 1e6, last / 1e6, size / 1e9]],
        f"Two numbers, a model of one line, method 'neighbours' over 200 known rows, k = 1, and "
        f"{REFUSED:.0%} of the rows refused: the others have the outcome already, so that the cost "
        "is that of moving rows, not of searching. An id column is checked first.",
    )


def _solvent(frame: pd.DataFrame) -> Any:
    return frame["income"] > frame["debt"]


@contextmanager
def _watched() -> Iterator[list[tuple[float, int]]]:
    """When it was, and the bytes that this process and its children hold, every half second."""
    sizes: list[tuple[float, int]] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.5):
            sizes.append((time.perf_counter(), sum(map(_resident, _tree(os.getpid())))))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield sizes
    finally:
        over.set()
        thread.join()


def _tree(process: int) -> list[int]:
    try:
        listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [process, *(one for child in listed for one in _tree(int(child)))]


def _resident(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
