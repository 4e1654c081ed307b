"""Processes of this machine, each with an environment of its own and one shard at a time.

They are loky's, in a pool each: where one dies, it is known on which shard, and the others go on.
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import tempfile
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from ifonly.scale.on.failures import TRIES, deadly
from ifonly.scale.on.parcel import Parcel, taken
from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task
from ifonly.solve.workers.worker import begin, brought, deaf


def in_processes(
    task: Task, shards: Sequence[Shard], environments: Sequence[Mapping[str, str]]
) -> Iterator[Done]:
    """What was done of each shard, as they finish, by a process for each environment.

    A process that dies is replaced; a shard on which several have died is an error.
    """
    folder = Path(tempfile.mkdtemp(prefix="ifonly-"))
    workers = [_Worker(folder / "task", environment) for environment in environments]
    waiting, free, died = deque(shards), deque(workers), Counter[int]()
    handed: dict[Future[Any], tuple[_Worker, Shard]] = {}

    def hand_out() -> None:
        while waiting and free:
            worker, shard = free.popleft(), waiting.popleft()
            handed[worker.ask(shard)] = worker, shard

    try:
        _pack(task, folder / "task")
        hand_out()
        while handed:
            finished, _ = wait(handed, return_when=FIRST_COMPLETED)
            results, errors = [], []
            for future in finished:
                worker, shard = handed.pop(future)
                error = future.exception()
                if error is None:
                    results.append(future.result())
                elif not _is_death(error):
                    errors.append(error)
                else:
                    worker.leave()
                    died[shard.index] += 1
                    waiting.appendleft(shard)
                    if died[shard.index] >= TRIES:
                        errors.append(deadly(shard, TRIES, _exit_of(error)))
                free.append(worker)
            if not errors:
                hand_out()  # before anybody looks at the results: no worker waits for that
            yield from map(taken, results)
            if errors:
                raise errors[0]
    except BaseException:
        for worker in workers:
            worker.end()
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for worker in workers:
            worker.leave()


class _Worker:
    """A pool of one process, which is started when it is first asked."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self.path, self.environment = str(path), dict(environment)
        self.pool: Any = None

    def ask(self, shard: Shard) -> Future[Any]:
        """What will be done of a shard."""
        try:
            return self._submitted(shard)
        except RuntimeError as error:  # it died while it had nothing to do
            if not _is_death(error):
                raise
            self.leave()
            return self._submitted(shard)

    def _submitted(self, shard: Shard) -> Future[Any]:
        self.pool = self.pool or brought("loky").ProcessPoolExecutor(
            1, timeout=None, env=self.environment, initializer=begin, initargs=(os.getpid(),)
        )
        with deaf():
            future: Future[Any] = self.pool.submit(_do, self.path, shard)
        return future

    def leave(self) -> None:
        """Let the process go, once it has nothing to do; another one answers the next shard."""
        if self.pool is not None:
            self.pool.shutdown(wait=False)
            self.pool = None

    def end(self) -> None:
        """End the process, whatever it does."""
        for process in list((getattr(self.pool, "_processes", None) or {}).values()):
            with suppress(Exception):
                process.terminate()


def _pack(task: Task, path: Path) -> None:
    """Write a task to a file that workers open once."""
    path.write_bytes(pickle.dumps(Parcel.of(task)))


def _do(path: str, shard: Shard) -> Any:
    """What is done of a shard by the task in a file; an error of ifonly's is a value."""
    return _parcel(path).called(shard)


@lru_cache(maxsize=1)
def _parcel(path: str) -> Parcel:
    parcel = pickle.loads(Path(path).read_bytes())  # written by `_pack`, for this user alone
    assert isinstance(parcel, Parcel)
    return parcel


def _is_death(error: BaseException) -> bool:
    return "BrokenProcessPool" in {kind.__name__ for kind in type(error).__mro__}


def _exit_of(error: BaseException) -> str:
    """How a process ended, as far as loky knows."""
    said = re.search(r"exit codes? of the workers are \{(.*?)\}", str(error))
    return f"exit code {said[1]}" if said else str(error).partition(". ")[0]
