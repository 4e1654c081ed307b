"""A server that is killed at any instant loses no job and doubles no record."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ifonly.serve.store import open_store

from .standing import rows_of

COUNT = 900
SEED = int(os.environ.get("IFONLY_SEED", "0"))
KILLS = 200 if os.environ.get("IFONLY_DEEP") else 12
"""At how many instants servers are killed."""
RUNNING: set[int] = set()
Start = Callable[[Path], tuple[int, str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts servers of a folder: the process id and the address of each."""
    here = Path(__file__).with_name("zygote.py")
    zygote = subprocess.Popen(
        [sys.executable, str(here)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    asked, said = zygote.stdin, zygote.stdout
    assert asked is not None
    assert said is not None

    def begin(folder: Path) -> tuple[int, str]:
        asked.write(f"{folder}\n")
        asked.flush()
        pid, port = map(int, said.readline().split())
        RUNNING.add(pid)
        return pid, f"http://127.0.0.1:{port}"

    yield begin
    for pid in list(RUNNING):
        kill(pid)
    zygote.kill()
    zygote.communicate()


def kill(pid: int) -> None:
    RUNNING.discard(pid)
    try:
        os.kill(pid, signal.SIGKILL)
        while True:  # until its locks are gone
            os.kill(pid, 0)
            time.sleep(0.001)
    except ProcessLookupError:
        pass


def submit(url: str, count: int) -> str:
    body = {"rows": rows_of(count)}
    reply = httpx.post(f"{url}/v1/jobs", json=body, headers={"Idempotency-Key": "one"}, timeout=30)
    assert reply.status_code == 202, reply.text
    return str(reply.json()["id"])


def fetched(url: str, name: str) -> pa.Table:
    end = time.monotonic() + 60
    state: Any = {}
    while state.get("state") not in ("done", "failed") and time.monotonic() < end:
        time.sleep(0.05)
        state = httpx.get(f"{url}/v1/jobs/{name}", timeout=30).json()
    assert state["state"] == "done", state
    reply = httpx.get(f"{url}/v1/jobs/{name}/result", timeout=30)
    assert reply.status_code == 200, reply.text
    return pq.read_table(io.BytesIO(reply.content))


def recorded(folder: Path) -> list[int]:
    store = open_store(folder / "records.db", create=False)
    numbers = [int(json.loads(entry.row or "{}")["id"]) for entry in store.entries()]
    store.close()
    return numbers


@pytest.mark.sample(1)
def test_jobs_survive_every_kill(tmp_path: Path, start: Start) -> None:
    rng, kills = random.Random(SEED), 0
    _, url = start(tmp_path / "calm")
    undisturbed = fetched(url, submit(url, COUNT))
    assert sorted(recorded(tmp_path / "calm")) == list(range(COUNT))
    while kills < KILLS:
        folder = tmp_path / f"killed-{kills}"
        kills += killed(folder, start, rng, KILLS - kills)
        _, url = start(folder)
        assert fetched(url, submit(url, COUNT)).equals(undisturbed)
        assert sorted(recorded(folder)) == list(range(COUNT))


def killed(folder: Path, start: Start, rng: random.Random, most: int) -> int:
    """Kill the server of a job again and again until it is done: how often."""
    pid, url = start(folder)
    name, kills, state = submit(url, COUNT), 0, ""
    while state != "done" and kills < most:
        time.sleep(rng.random() ** 2)
        kill(pid)
        kills += 1
        if rng.random() < 0.3:  # what a disk may do to a file
            for part in sorted((folder / "jobs" / name).glob("*.part"))[:1]:
                part.write_bytes(part.read_bytes()[:-1] + b"!")
        state = json.loads((folder / "jobs" / name / "job.json").read_bytes())["state"]
        pid, url = start(folder)
    kill(pid)
    return kills + 1
