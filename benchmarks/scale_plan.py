"""A billion rows on a hundred machines, on paper: from figures of this run, and of one driver."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ifonly.scale.driver import SHARD_ROWS
from ifonly.scale.manifest import Manifest
from ifonly.scale.sources.ids import AT_A_TIME, check_ids
from ifonly.scale.sources.tables import TableFiles
from ifonly.scale.stores.folder import Folder
from ifonly.scale.summary import Summary
from ifonly.scale.task import Done
from record import Record
from scale_rows import explainer, written

ROWS = 1_000_000_000
MACHINES, CORES = 100, 16
CORE_HOUR, PUTS = 0.05, 0.005
"""Dollars, assumed: for an hour of a core, and for a thousand puts of an object store."""


def plan(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """What a billion rows take and cost, and what the one driver has to do meanwhile."""
    speed = figures.get("rows per second and core") or figures.get("rows per second of a loop")
    if speed is None:
        raise SystemExit("The plan is made from figures: run 'workers' or 'engines' before it.")
    if "bytes per row" not in figures:
        raise SystemExit("The plan is made from figures: run 'parquet' before it.")
    size, parts = figures["bytes per row"] * ROWS, math.ceil(ROWS / SHARD_ROWS)
    hours = ROWS / (speed * MACHINES * CORES) / 3600
    slower = speed / _default_speed(folder, 100 if record.quick else 2_000)
    tried = 20_000 if record.quick else 2_000_000
    line, line_size = _line(folder)
    driver = {
        "look for ids that repeat, sorted": ROWS * _ids(folder, tried, in_order=True),
        "look for ids that repeat, not sorted": math.ceil(ROWS / AT_A_TIME)
        * ROWS
        * _ids(folder, tried, in_order=False),
        "write a line for each part": parts * line,
        "hash all parts at a resume": size * _hash(),
    }
    facts: list[tuple[str, float]] = [
        ("rows per second and core, small effort, measured", speed),
        (f"hours on {MACHINES} machines of {CORES} cores", hours),
        (f"dollars at {CORE_HOUR} an hour of a core", hours * MACHINES * CORES * CORE_HOUR),
        ("the same at the default effort: hours", hours * slower),
        ("the same at the default effort: dollars", hours * slower * MACHINES * CORES * CORE_HOUR),
        (f"parts of {SHARD_ROWS:,} rows", parts),
        (f"dollars for them at {PUTS} for a thousand puts", parts / 1000 * PUTS),
        ("parts per second, all machines", parts / hours / 3600),
        ("parts per second that a driver can write down", 1 / line),
        ("GB of parts, k = 4", size / 1e9),
        ("MB of the manifest, held by the driver", parts * line_size / 1e6),
        *((f"minutes of the driver: {what}", seconds / 60) for what, seconds in driver.items()),
    ]
    worst = max(driver, key=lambda what: driver[what])
    record.table(
        "A billion rows on a hundred machines, on paper",
        ["what", "figure"],
        [[what, figure] for what, figure in facts],
        "Computed from what was measured here; nothing of it was run, and machines are assumed to "
        "do as much as this one for each core. All workers are as fast together as their number "
        "says, since rows share nothing; what is not shared out is the driver, and it breaks "
        f"first: to {worst} takes it {driver[worst] / 3600:.2f} hours, beside {hours:.2f} of the "
        "workers.",
    )


def _default_speed(folder: Path, rows: int) -> float:
    """Rows per second of one core at the default effort."""
    frame, own = pd.read_parquet(written(folder, rows)), explainer("auto")
    own.explain(frame[:50], k=4, progress=False)
    return rows / _timed(lambda: own.explain(frame, k=4, progress=False))


def _line(folder: Path) -> tuple[float, float]:
    """The seconds and the bytes of a line of the manifest, on disk."""
    own, lines = explainer(), 500
    rows = pd.read_parquet(written(folder, 100))
    summary = Summary.of(own.explain(rows, k=4, progress=False))
    manifest = Manifest(Folder(str(folder / "lines")))
    manifest.begin()
    done = [Done(n, f"{n:06}.parquet", 100, "0" * 64, 1.0, summary) for n in range(lines)]
    seconds = _timed(lambda: [manifest.add(one) for one in done])
    return seconds / lines, (folder / "lines" / "manifest.jsonl").stat().st_size / lines


def _ids(folder: Path, rows: int, *, in_order: bool) -> float:
    """The seconds per row of one pass over ids."""
    ids, path = np.arange(rows), folder / f"ids-{in_order}.parquet"
    order = ids if in_order else np.random.default_rng(0).permutation(rows)
    pd.DataFrame({"id": order}).to_parquet(path, row_group_size=100_000)
    source = TableFiles((str(path),), (), "id", id_kind="int64")
    return _timed(lambda: check_ids(source, rows)) / rows


def _hash() -> float:
    """The seconds per byte of a hash."""
    content = bytes(2**28)
    return _timed(lambda: hashlib.sha256(content).hexdigest()) / len(content)


def _timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
