"""Many rows by shards: workers, engines beside a plain loop, ten million rows, a billion on paper.

Each table can run alone: SCALE_TABLES=workers,engines,many,parquet,plan (by default all). Nothing
else may run meanwhile. A speed is that from the first part to the last, so that what starts an
engine is shown apart.
"""

from __future__ import annotations

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
from ifonly.scale.parts.forms import ParquetForm
from ifonly.scale.sources.parquet import read as read_parquet
from record import Record
from scale_engines import engines
from scale_many import many
from scale_plan import plan
from scale_rows import Timed, explainer, written


def main(record: Record) -> None:
    """Fill the record with the tables that are asked for."""
    asked = os.environ.get("SCALE_TABLES", "workers,engines,many,parquet,plan").split(",")
    figures: dict[str, float] = {}
    with _folder() as folder:
        for name in asked:
            TABLES[name](record, folder, figures)


def workers(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """Local workers, from one to as many as there are cores, up to eight."""
    rows = 2_000 if record.quick else 40_000
    source = written(folder, rows)
    lines: list[list[Any]] = []
    for count in range(1, min(8, os.cpu_count() or 1) + 1):
        timed = Timed(count)
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
        "Adult, the published network, k = 4, small effort; from the first part of each worker to "
        "the last part of all. One worker is the process itself; this machine has "
        f"{os.cpu_count()} cores.",
    )


def parquet(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """What reading rows from Parquet and writing answers to it costs, of a million rows."""
    rows = 20_000 if record.quick else 1_000_000
    source, own = written(folder, rows), explainer()
    block = own.explain(pd.read_parquet(source)[:20_000], k=4, progress=False)
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
        "Reading: to codes. Writing: a line per row and answer, compressed; 20,000 rows, repeated "
        "in parts of their own.",
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
