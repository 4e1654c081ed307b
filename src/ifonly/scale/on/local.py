"""Processes of this machine: loky's, as `workers=` of `explain` has them, or none but this one."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ifonly.errors import ModelError
from ifonly.scale.on.parcel import Parcel, taken
from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task
from ifonly.solve.workers.crew import count_of
from ifonly.solve.workers.worker import ONE_THREAD, begin, brought

AHEAD = 2
"""How many shards each worker has: the one that it answers, and the next."""
TRIES = 3
"""So often a shard is given out whose worker dies."""


@dataclass(frozen=True)
class Local:
    """Workers of this machine.

    Parameters
    ----------
    workers
        How many processes; 'all': one per core. 1: this process answers itself.
    """

    workers: int | str = "all"

    def run(self, task: Task, shards: Sequence[Shard]) -> Iterator[Done]:
        """What was done of each shard, as they finish; a worker that dies is replaced."""
        workers = min(count_of(self.workers), len(shards))
        if workers <= 1:
            yield from map(task, shards)
            return
        folder = Path(tempfile.mkdtemp(prefix="ifonly-"))
        pool: Any = None
        try:
            pack(task, folder / "task")
            waiting, died, broken = deque(shards), Counter[int](), False
            handed: dict[Future[Any], Shard] = {}
            while waiting or handed:
                pool = pool or _pool(workers)
                while waiting and not broken and len(handed) < AHEAD * workers:
                    shard = waiting.popleft()
                    handed[pool.submit(do, str(folder / "task"), shard)] = shard
                finished, _ = wait(handed, return_when=FIRST_COMPLETED)
                for future in finished:
                    shard = handed.pop(future)
                    error = future.exception()
                    if error is None:
                        yield taken(future.result())
                    elif not is_death(error):
                        raise error
                    else:
                        died[shard.index] += 1
                        check_tries(died[shard.index], shard, error)
                        waiting.appendleft(shard)
                        broken = True  # what the others have is lost with it
                if broken and not handed:
                    pool, broken = None, False
        except BaseException:
            if pool is not None:
                end(pool)
                pool = None
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if pool is not None:
                pool.shutdown(wait=False)


def pack(task: Task, path: Path) -> None:
    """Write a task to a file that workers open once."""
    path.write_bytes(pickle.dumps(Parcel.of(task)))


def do(path: str, shard: Shard) -> Any:
    """What is done of a shard by the task in a file; an error of ifonly's is a value."""
    return _parcel(path).called(shard)


@lru_cache(maxsize=1)
def _parcel(path: str) -> Parcel:
    parcel = pickle.loads(Path(path).read_bytes())  # written by `pack`, for this user alone
    assert isinstance(parcel, Parcel)
    return parcel


def _pool(workers: int) -> Any:
    return brought("loky").ProcessPoolExecutor(
        workers, timeout=None, env=ONE_THREAD, initializer=begin, initargs=(os.getpid(),)
    )


def is_death(error: BaseException) -> bool:
    return "BrokenProcessPool" in {kind.__name__ for kind in type(error).__mro__}


def check_tries(tries: int, shard: Shard, error: BaseException) -> None:
    if tries >= TRIES:
        raise ModelError(
            f"The worker of shard {shard.index} ({shard.sources[0]}) died {tries} times: "
            f"{str(error).splitlines()[0]}",
            "If the memory was used up, use fewer `workers` or a smaller `shard_rows`; if the "
            "model crashes, look at these rows with `workers=1`.",
        ) from error


def end(pool: Any) -> None:
    """End all processes of a pool."""
    for process in list((pool._processes or {}).values()):
        with suppress(Exception):
            process.terminate()
    pool.shutdown(wait=False)
