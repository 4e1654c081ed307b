"""Many rows by shards: workers, engines beside a plain loop, ten million rows, a billion on paper.

Each table can run alone: SCALE_TABLES=workers,engines,many,parquet,plan (by default all). Nothing
else may run meanwhile. A speed is that from the first part to the last, so that what starts an
engine is told apart.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ifonly import scale
from ifonly.scale.driver import SHARD_ROWS
from ifonly.scale.parts.forms import ParquetForm
from ifonly.scale.sources.ids import AT_A_TIME
from ifonly.scale.sources.parquet import read as read_parquet
from record import Record
from scale_engines import engines
from scale_many import many
from scale_rows import Timed, explainer, written

MACHINES, CORES, PRICE = 100, 16, 0.05
"""The plan on paper: so many machines, cores of each, and dollars for an hour of a core."""


def main(record: Record) -> None:
    """Fill the record with the tables that are asked for."""
    asked = os.environ.get("SCALE_TABLES", "workers,engines,many,parquet,plan").split(",")
    figures: dict[str, float] = {}
    with _folder() as folder:
        for name in asked:
            TABLES[name](record, folder, figures)


def workers(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """Local workers, from one to as many as there are cores, up to eight."""
    rows = 2_000 if record.quick else 20_000
    source = written(folder, rows)
    lines: list[list[Any]] = []
    for count in [n for n in (1, 2, 4, 8) if n <= (os.cpu_count() or 1)]:
        timed = Timed()
        out = folder / f"workers-{count}"
        scale.explain(
            explainer(), source, out=out, workers=count, shard_rows=rows // 40, k=4, progress=timed
        )
        lines.append(
            [count, rows, timed.speed, timed.speed / (lines[0][2] if lines else timed.speed)]
        )
    figures["rows per second and core"] = lines[-1][2] / lines[-1][0]
    record.table(
        "Local workers",
        ["workers", "rows", "rows per second", "times one"],
        lines,
        "Adult, the published network, k = 4, small effort; from the first part to the last.",
    )


def parquet(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """What reading rows from Parquet and writing answers to it costs, of a million rows."""
    rows = 20_000 if record.quick else 1_000_000
    source, own = written(folder, rows), explainer()
    few = own.explain(pd.read_parquet(source)[:500], k=4, progress=False)
    block = few[np.tile(np.arange(500), 40)]
    start = time.perf_counter()
    for first in range(0, rows, len(block)):
        own.setting.space.codes(
            read_parquet(
                str(source), first, first + len(block), own.setting.space.names
            ).to_pandas()
        )
    reading = time.perf_counter() - start
    start, size = time.perf_counter(), 0
    for first in range(0, rows, len(block)):
        ids = {"id": np.arange(first, first + len(block))}
        size += len(ParquetForm().content([(block, ids)], "benchmark"))
    writing = time.perf_counter() - start
    figures["bytes per row"] = size / rows
    record.table(
        "The cost of Parquet, k = 4",
        ["rows", "reading, s", "writing, s", "GB written"],
        [[rows, reading, writing, size / 1e9]],
        "Reading: to codes. Writing: a line per row and answer, compressed; 500 rows, repeated.",
    )


def plan(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """A billion rows on a hundred machines, on paper, from the figures of this run."""
    speed = figures.get("rows per second and core") or figures.get("rows per second of a loop")
    if speed is None:
        raise SystemExit("The plan is made from figures: run 'workers' or 'engines' before it.")
    rows, cores = 1_000_000_000, MACHINES * CORES
    shard = SHARD_ROWS
    parts, hours = math.ceil(rows / shard), rows / (speed * cores) / 3600
    line = figures.get("bytes of a manifest line", 1000.0)
    size = figures.get("bytes per row", 100.0) * rows
    facts = [
        ("rows per second and core, measured", speed),
        (f"hours on {MACHINES} machines of {CORES} cores", hours),
        (f"dollars at {PRICE} an hour of a core", hours * cores * PRICE),
        (f"parts of {shard:,} rows", parts),
        ("parts per second, all machines", parts / hours / 3600),
        ("GB of parts", size / 1e9),
        ("MB of the manifest, held by the driver", parts * line / 1e6),
        ("passes over ids that are not sorted", math.ceil(rows / AT_A_TIME)),
        ("hours to hash all parts at a resume, 1 GB/s", size / 1e9 / 3600),
    ]
    record.table(
        "A billion rows on a hundred machines, on paper",
        ["what", "figure"],
        [[what, figure] for what, figure in facts],
        "Computed from the tables above; nothing of it was run. What breaks first is the driver: "
        "ids that are not sorted are checked in many passes, the manifest of an object store is "
        "put whole every few seconds, and a resume reads every part.",
    )


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ifonly-scale-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


TABLES = {
    "workers": workers,
    "engines": engines,
    "many": many,
    "parquet": parquet,
    "plan": plan,
}
