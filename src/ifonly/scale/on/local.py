"""Processes of this machine, as `workers=` of `explain` has them, or none but this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ifonly.scale.on.processes import in_processes
from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task
from ifonly.solve.workers.crew import count_of
from ifonly.solve.workers.worker import ONE_THREAD


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
            return map(task, shards)
        return in_processes(task, shards, [ONE_THREAD] * workers)
