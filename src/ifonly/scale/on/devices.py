"""One process for each device of this machine, which sees no other and has a shard at a time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ifonly.errors import OptionError
from ifonly.scale.on.processes import in_processes
from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task

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
        return in_processes(task, shards, [{VISIBLE: name} for name in self.names])


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
