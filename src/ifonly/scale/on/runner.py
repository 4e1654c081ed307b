"""What an engine has to do: answer shards, in any order, wherever it likes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from ifonly.scale.shard import Shard
from ifonly.scale.task import Done, Task


class Runner(Protocol):
    """An adapter of an engine.

    `task(shard)` answers the rows of a shard, writes its part and returns a small `Done`. Whatever
    a shard needs is in the two, so that an engine only has to carry them to a worker. To answer a
    shard twice does no harm: its part has the same bytes.
    """

    def run(self, task: Task, shards: Sequence[Shard]) -> Iterator[Done]:
        """What was done of each shard, as they finish."""
        ...
