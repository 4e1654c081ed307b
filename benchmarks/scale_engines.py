"""Each engine with one worker, beside a plain loop over the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ifonly
from ifonly import scale
from ifonly.scale.on.dask import Dask
from ifonly.scale.on.processes import in_processes
from ifonly.scale.on.ray import Ray
from ifonly.scale.on.spark import Spark
from ifonly.scale.sources.parquet import read as read_parquet
from ifonly.solve.workers.worker import ONE_THREAD
from record import Record
from scale_rows import Timed, explainer, written

ALLOWED = {"local": 0.15, "dask": 0.15, "ray": 0.15, "spark": 0.30}
"""How much longer than the plain loop each may take."""


def engines(record: Record, folder: Path, figures: dict[str, float]) -> None:
    """Each engine with one worker, beside a loop over the same blocks of rows.

    Half of the loop runs before the engines and half after them: a machine that has become faster
    or slower meanwhile is seen.
    """
    rows = 2_000 if record.quick else 100_000
    shard = rows // 40
    source, own = written(folder, rows), explainer()
    before = _loop(own, source, range(0, rows // 2, shard))
    speeds: dict[str, Timed] = {}
    for name, on in _engines():
        speeds[name] = timed = Timed()
        with on() as runner:
            out = folder / f"engine-{name}"
            scale.explain(own, source, out=out, on=runner, shard_rows=shard, k=4, progress=timed)
    after = _loop(own, source, range(rows // 2, rows, shard))
    loop = 2 / (1 / before + 1 / after)
    figures["rows per second of a loop"] = loop
    nothing = float("nan")
    lines: list[list[Any]] = [
        ["plain loop, before", rows // 2, before, loop / before - 1, nothing],
        ["plain loop, after", rows // 2, after, loop / after - 1, nothing],
    ]
    for name, allowed in ALLOWED.items():
        claim = f"{name}: at most {allowed:.0%} over the plain loop, {rows:,} rows"
        if name not in speeds:
            record.check(claim, False, "not installed: `make test-cluster` installs it")
            continue
        timed = speeds[name]
        overhead = loop / timed.speed - 1
        lines.append([name, rows, timed.speed, overhead, timed.start])
        record.check(claim, overhead <= allowed, f"{overhead:+.1%}")
    record.table(
        "Engines beside a plain loop, one worker each",
        ["engine", "rows", "rows per second", "overhead", "start-up, s"],
        lines,
        "The loop reads the same blocks and keeps the answers in memory; engines also settle "
        "scores, write Parquet, hash and sync, in a process of their own. Start-up: until the "
        "first part, less the time of its rows.",
    )


def _loop(own: ifonly.Explainer, source: Path, blocks: range) -> float:
    """Rows per second of a loop over blocks of a file, after one that is not counted."""
    names = list(own.setting.space.names)

    def block(first: int) -> int:
        frame = read_parquet(str(source), first, first + blocks.step, names).to_pandas()
        own.explain(frame, k=4, progress=False)
        return len(frame)

    block(blocks.start)
    start = time.perf_counter()
    rows = sum(map(block, blocks))
    return rows / (time.perf_counter() - start)


class OneProcess:
    """Local workers, one of them: `Local(1)` would be this process, and nothing carried."""

    def run(self, task: scale.Task, shards: Sequence[scale.Shard]) -> Iterator[scale.Done]:
        """What was done of each shard."""
        return in_processes(task, shards, [ONE_THREAD])


def _engines() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The engines that are installed, each with one worker."""

    @contextmanager
    def local() -> Iterator[Any]:
        yield OneProcess()

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
