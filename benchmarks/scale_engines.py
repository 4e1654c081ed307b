"""Each engine with one worker, beside a plain loop over the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

import ifonly
from ifonly import scale
from ifonly.scale.on.dask import Dask
from ifonly.scale.on.local import Local
from ifonly.scale.on.ray import Ray
from ifonly.scale.on.spark import Spark
from ifonly.scale.sources.parquet import read as read_parquet
from record import Record
from scale_rows import Timed, explainer, written

ALLOWED = {"local": 0.15, "dask": 0.15, "ray": 0.15, "spark": 0.30}
"""How much longer than the plain loop each may take."""


def engines(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """Each engine with one worker, beside a loop over the same blocks of rows."""
    rows = 2_000 if record.quick else 100_000
    shard = rows // 40
    source, own = written(folder, rows), explainer()
    loop = _loop(own, source, shard)
    figures["rows per second of a loop"] = loop
    lines: list[list[Any]] = [["plain loop", rows, loop, float("nan"), float("nan")]]
    for name, on in _engines():
        timed = Timed()
        with on() as runner:
            out = folder / f"engine-{name}"
            scale.explain(own, source, out=out, on=runner, shard_rows=shard, k=4, progress=timed)
        overhead = loop / timed.speed - 1
        lines.append([name, rows, timed.speed, overhead, timed.start(1)])
        claim = f"{name}: at most {ALLOWED[name]:.0%} over the plain loop"
        record.check(claim, overhead <= ALLOWED[name], f"{overhead:+.1%}")
    record.table(
        "Engines beside a plain loop, one worker each",
        ["engine", "rows", "rows per second", "overhead", "start-up, s"],
        lines,
        "The loop reads the same blocks and keeps the answers in memory; engines also settle "
        "scores, write Parquet, hash and sync.",
    )


def _loop(own: ifonly.Explainer, source: Path, shard: int) -> float:
    """Rows per second of a loop over the blocks of a file, without the first block."""
    rows, start = 0, 0.0
    names = list(own.setting.space.names)
    total = len(pd.read_parquet(source, columns=names[:1]))
    for first in range(0, total, shard):
        frame = read_parquet(str(source), first, first + shard, names).to_pandas()
        own.explain(frame, k=4, progress=False)
        rows += len(frame) if start else 0
        start = start or time.perf_counter()
    return rows / (time.perf_counter() - start)


def _engines() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The engines that are installed, each with one worker."""

    @contextmanager
    def local() -> Iterator[Any]:
        yield Local(1)

    @contextmanager
    def dask() -> Iterator[Any]:
        yield Dask("", 1)

    @contextmanager
    def ray() -> Iterator[Any]:
        import ray as package

        package.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
        try:
            yield Ray()
        finally:
            package.shutdown()

    @contextmanager
    def spark() -> Iterator[Any]:
        yield Spark("local[1]")

    yield "local", local
    for name, package, on in (
        ("dask", "distributed", dask),
        ("ray", "ray", ray),
        ("spark", "pyspark", spark),
    ):
        if find_spec(package) is not None:
            yield name, on
