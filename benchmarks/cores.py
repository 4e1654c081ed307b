"""Rows per second with one worker and with two, on Adult at k = 4: `workers=` beside no `workers=`.

`cores(record)` is a table of the part 'engine'; `python cores.py 2000 400` prints it for so many
rows of either model.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np
import pandas as pd

import ifonly
from pipelines import fitted
from published import published
from record import Record
from scaling import many_rows
from timing import seconds

K, WORKERS = 4, 2
WANTED = 1.6
"""How many times the rows per second of one worker."""


def cores(record: Record, network_rows: int = 100_000, tree_rows: int = 20_000) -> None:
    """Fill the record."""
    network, trees = published("adult"), fitted("xgboost", 2000)
    over = ifonly.Explainer(trees.pipeline, data=trees.train, space=trees.space)
    cases = {
        "published network": (
            ifonly.Explainer(network.model, data=network.train),
            many_rows(network.rows, 300 if record.quick else network_rows),
        ),
        "XGBoost pipeline": (over, many_rows(trees.rows, 300 if record.quick else tree_rows)),
    }
    lines = [_line(record, name, *case) for name, case in cases.items()]
    speeds = [f"rows/s, {n}" for n in (1, WORKERS)]
    record.table(
        f"Cores: one worker and {WORKERS}, Adult, k = {K}",
        ("model", "rows", *speeds, "times", "start-up, s"),
        lines,
        f"A prepared Explainer, one thread per process, {os.cpu_count()} cores; the workers had "
        "answered a question before. Start-up is what their first question took longer than the "
        "second.",
    )


def _line(record: Record, name: str, explainer: ifonly.Explainer, rows: pd.DataFrame) -> list[Any]:
    few, found = rows[:250], {}
    first, second = (
        seconds(lambda: explainer.explain(few, k=K, workers=WORKERS)) for _ in range(2)
    )
    taken: dict[int, list[float]] = {1: [], WORKERS: []}
    for workers in (1, WORKERS, WORKERS, 1):  # either has its share of a machine's slow times
        start = time.perf_counter()
        found[workers] = explainer.explain(rows, k=K, workers=workers, progress=False)
        taken[workers].append(time.perf_counter() - start)
    one, two = (float(np.mean(taken[n])) for n in (1, WORKERS))
    same = all(
        getattr(found[1], part).tobytes() == getattr(found[WORKERS], part).tobytes()
        for part in ("points", "filled", "score", "extra")
    )
    claim = f"{name}: {WORKERS} workers give the answers of one, to the last bit"
    record.check(claim, same and found[1].status == found[WORKERS].status, f"{len(rows)} rows")
    record.check(
        f"{name}: {WORKERS} workers answer {WANTED} times the rows per second of one",
        one / two >= WANTED,
        f"{one / two:.2f} times; {len(rows) / one:.0f} and {len(rows) / two:.0f} rows/s",
    )
    speeds = [len(rows) / one, len(rows) / two, one / two]
    return [name, len(rows), *speeds, first - second]


if __name__ == "__main__":
    cores(Record("cores"), *map(int, sys.argv[1:3]))
