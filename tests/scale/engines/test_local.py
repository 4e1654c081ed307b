"""Local processes: the same answers by any number of shards, and when workers are killed."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from ifonly.scale.on.devices import Devices
from ifonly.scale.on.local import Local

from .conftest import SHARDS


def test_the_answers_are_those_of_one_process(
    sharded: Callable[..., pa.Table], expected: pa.Table
) -> None:
    for shards in SHARDS:
        assert sharded(Local(2), shards).equals(expected)


def test_a_killed_worker_changes_nothing(deadly: Callable[..., None]) -> None:
    deadly(Local(2))


def test_a_shard_that_kills_every_worker_ends_the_run(poisoned: Callable[..., None]) -> None:
    poisoned(Local(2), "3 times", "SIGKILL")
    poisoned(Devices(("0",)), "3 times", "SIGKILL")
