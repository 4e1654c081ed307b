"""One process for each device of this machine, which sees no other and has a shard at a time."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ifonly.errors import OptionError
from ifonly.scale.on.local import check_tries, do, end, is_death, pack
from ifonly.scale.on.parcel import taken
from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task
from ifonly.solve.workers.worker import begin, brought

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The variable that says which devices a process sees; what it sees is numbered from 0."""


@dataclass(frozen=True)
class Devices:
    """A worker for each device of this machine.

    Parameters
    ----------
    names
        The devices: numbers or identifiers, as CUDA_VISIBLE_DEVICES takes them. An Explainer with
        `Engine(device="cuda")` finds the worker's own.
    """

    names: tuple[str, ...]

    def run(self, task: Task, shards: Sequence[Shard]) -> Iterator[Done]:
        """What was done of each shard, as they finish; a worker that dies is replaced."""
        folder = Path(tempfile.mkdtemp(prefix="ifonly-"))
        path, pools = folder / "task", {name: _pool(name) for name in self.names}
        waiting, died = deque(shards), Counter[int]()
        handed: dict[Future[Any], tuple[str, Shard]] = {}
        free = deque(self.names)
        try:
            pack(task, path)
            while waiting or handed:
                while waiting and free:
                    name, shard = free.popleft(), waiting.popleft()
                    handed[pools[name].submit(do, str(path), shard)] = name, shard
                finished, _ = wait(handed, return_when=FIRST_COMPLETED)
                for future in finished:
                    name, shard = handed.pop(future)
                    free.append(name)
                    error = future.exception()
                    if error is None:
                        yield taken(future.result())
                    elif not is_death(error):
                        raise error
                    else:
                        died[shard.index] += 1
                        check_tries(died[shard.index], shard, error)
                        waiting.appendleft(shard)
                        pools[name] = _pool(name)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            for pool in pools.values():
                end(pool)


def seen_devices() -> tuple[str, ...]:
    """The devices of this machine that this process may use."""
    stated = os.environ.get(VISIBLE)
    if stated is None:
        command = ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            stated = ",".join(done.stdout.split())
        except (OSError, subprocess.CalledProcessError):
            stated = ""
    names = tuple(name.strip() for name in stated.split(",") if name.strip())
    if not names:
        raise OptionError(
            "on='devices' found no GPU on this machine.",
            f"nvidia-smi lists what there is, and {VISIBLE} what may be used. Or on='local'.",
        )
    return names


def _pool(name: str) -> Any:
    return brought("loky").ProcessPoolExecutor(
        1, timeout=None, env={VISIBLE: name}, initializer=begin, initargs=(os.getpid(),)
    )
