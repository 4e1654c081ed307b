"""Ten million rows on a GPU, from array files to array files through `ifonly.scale`.

The rows are drawn as in `gpu`, and written as codes; timed from the call to the complete manifest,
with every part on disk. Nothing here needs pyarrow; what Parquet costs is measured in `scale`.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from gpu import jittered, network, repeats
from ifonly import scale
from ifonly.search import Engine
from record import Record

FILES = 10
LIMIT = 200.0
"""Seconds for ten million rows on an H200."""


def main(record: Record) -> None:
    """Fill the record."""
    gpu = torch.cuda.is_available()
    device = "cuda" if gpu else "cpu"
    rows = (1_000_000 if record.quick else 10_000_000) if gpu else 2_000
    shard = 500_000 if gpu else 500
    if gpu:
        record.facts["processor"] += f" with {torch.cuda.get_device_name()}"
    explainer = network(device, Engine(device=device))
    folder = Path(tempfile.mkdtemp(prefix="ifonly-scale-"))
    try:
        codes = explainer.setting.space.codes(jittered(rows))
        distinct = 1 - len(repeats(codes)) / rows
        for place, some in enumerate(np.array_split(codes, FILES)):
            np.save(folder / f"rows-{place}.npy", some)
        del codes
        warm = 100_000 if gpu else 20
        scale.explain(explainer, _few(folder, warm), out=folder / "warm", workers=1, k=4)
        start = time.perf_counter()
        source = str(folder / "rows-*.npy")
        run = scale.explain(explainer, source, out=folder / "out", workers=1, shard_rows=shard, k=4)
        seconds = time.perf_counter() - start
        full = sum(int(part["filled"].all(axis=1).sum()) for part in run.arrays()) / rows
        size = sum(path.stat().st_size for path in (folder / "out").glob("*.npy"))
        searched = run.manifest.seconds()
    finally:
        shutil.rmtree(folder)
    name = f"network, {rows:,} rows"
    limit = LIMIT * rows / 10_000_000
    if gpu:
        record.check(
            f"{name} from files to files in {limit:g} s", seconds <= limit, f"{seconds:.1f} s"
        )
    record.check(f"{name}: 95 % are distinct", distinct >= 0.95, f"{distinct:.2%}")
    record.check(f"{name}: every row is full", full == 1, f"{full:.4%}")
    record.table(
        "On a GPU: array files to array files, k = 4",
        ["device", "rows", "shard_rows", "distinct", "seconds", "seconds_in_shards", "GB_written"],
        [
            [
                device,
                rows,
                shard,
                round(distinct, 4),
                round(seconds, 1),
                round(searched, 1),
                size / 1e9,
            ]
        ],
        "From the call to the complete manifest; every part is synced, and hashed.",
    )


def _few(folder: Path, rows: int) -> Path:
    """A file of the first rows, to warm the device with."""
    path = folder / "few.npy"
    np.save(path, np.load(folder / "rows-0.npy", mmap_mode="r")[:rows])
    return path
