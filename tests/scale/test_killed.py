"""A driver that is killed at any instant loses nothing and makes nothing twice."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from .conftest import Content, Drive, content, ended

SEED = int(os.environ.get("IFONLY_SEED", "0"))
KILLS = 500 if os.environ.get("IFONLY_DEEP") else 50
"""At how many instants drivers are killed."""


@pytest.mark.sample(1)
def test_a_run_survives_every_kill(
    calm: tuple[Path, Content], drive: Drive, tmp_path: Path
) -> None:
    rng, kills, folders, seen = random.Random(SEED), 0, 0, set[int]()
    began = time.monotonic()
    ended(drive(tmp_path / "whole"))
    took = min(time.monotonic() - began, 0.8)
    while kills < KILLS:
        out = tmp_path / f"out-{folders}"
        folders += 1
        while kills < KILLS and not Path(f"{out}.said").exists():
            pid = drive(out)
            time.sleep(took * rng.random() ** 2)
            kills += kill(pid)
            seen.add(len(list(out.glob("*.parquet"))))
        ended(drive(out))
        assert Path(f"{out}.said").read_text() == "done"
        assert content(out) == calm[1]
    assert len(seen) > 2, "it was never killed half way"


def kill(pid: int) -> int:
    """Whether a process was still there to be killed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return 0
    ended(pid)
    return 1


def test_of_many_drivers_one_does_the_work(
    calm: tuple[Path, Content], drive: Drive, tmp_path: Path
) -> None:
    """Several at once: each ends, and whatever they do, the parts are those of one."""
    out: Any = tmp_path / "out"
    pids = [drive(out) for _ in range(4)]
    for pid in pids:
        ended(pid)
    ended(drive(out))
    assert content(out) == calm[1]
