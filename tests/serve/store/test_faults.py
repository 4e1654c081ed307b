"""Records survive what can happen to a server: kill -9, a second server, a disk that is full."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ifonly.errors import StoreError
from ifonly.serve.store import Head, Kept, Store, open_store, verify
from ifonly.serve.store.database import database_of

from .conftest import KEY, NOON, Decide

KILLS = {"sqlite": 200, "postgres": 60}
ON_A_STORE = 10
"""How often writers of one store are killed before the next store."""


def forked(act: Callable[[], None]) -> int:
    """The id of a process that acts and ends; a fork, for importing ifonly takes a second."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads: no lock of theirs is used here
        pid = os.fork()
    if pid:
        return pid
    try:
        act()
        os._exit(0)
    except BaseException:
        os._exit(1)


def keyed(name: str) -> Kept:
    return Kept(name, "bank", "hash", 200, name.encode())


def test_no_kill_loses_or_doubles_a_record(url: str, memory: Path, decide: Decide) -> None:
    """Every append that was acknowledged is there; asking again with its key adds none."""
    draws = random.Random(0)
    for start in range(0, KILLS["postgres" if "://" in url else "sqlite"], ON_A_STORE):
        place = new_place(url, memory, start)
        done = 0
        for _ in range(ON_A_STORE):
            done = killed_once(place, decide, done, draws)
        store = open_store(place)
        report = verify(store, head=store.head(), key=KEY)
        assert (report.faults, report.head.count) == ([], done)
        hours = [(entry.record.time - NOON).total_seconds() // 3600 for entry in store.entries()]
        assert hours == list(range(done))
        store.close()


def new_place(url: str, memory: Path, number: int) -> str:
    from .conftest import new_schema

    if url.startswith("postgres"):
        return new_schema(url.partition("&options")[0])
    return str(memory / f"{number}.db")


def killed_once(place: str, decide: Decide, done: int, draws: random.Random) -> int:
    """How many records there are after a writer was killed at some instant, and a retry."""
    decide()  # outside of the process, which has no time to search
    ends, acks = os.pipe()

    def write() -> None:
        store = open_store(place, key=KEY)
        for number in range(done, done + 10_000):
            store.append([decide(hour=number)], reply=keyed(f"{number}"))
            os.write(acks, b".")

    pid = forked(write)
    os.close(acks)
    acknowledged = len(os.read(ends, 1)) if draws.random() < 0.8 else 0
    time.sleep(draws.random() * 0.012)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while more := len(os.read(ends, 1000)):
        acknowledged += more
    os.close(ends)
    store = open_store(place, key=KEY)
    count = store.head().count
    assert done + acknowledged <= count <= done + acknowledged + 1
    for number in range(done, done + acknowledged + 1):  # the last one may be there or not
        written = store.append([decide(hour=number)], reply=keyed(f"{number}"))
        assert bool(written.records) == (number >= count)
        assert written.reply == keyed(f"{number}")
    after = store.head().count
    assert after == done + acknowledged + 1
    store.close()
    return after


def test_two_servers_on_one_store_make_one_chain(url: str, decide: Decide) -> None:
    decide()

    def write(who: int) -> None:
        store = open_store(url, key=KEY)  # both may be the first
        for turn in range(20):
            records = [decide(hour=1000 * who + 10 * turn + i) for i in range(1 + turn % 3)]
            store.append(records, reply=keyed(f"{who}-{turn}"))
        store.close()

    pids = [forked(lambda who=who: write(who)) for who in range(3)]
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0, 0, 0]
    store = open_store(url, key=KEY)
    report = verify(store, head=store.head(), key=KEY)
    assert report.faults == []
    hours = [(entry.record.time - NOON).total_seconds() // 3600 for entry in store.entries()]
    for who in range(3):
        own = [hour for hour in hours if hour // 1000 == who]
        assert own == [1000 * who + 10 * t + i for t in range(20) for i in range(1 + t % 3)]
    store.close()


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A file system of so many bytes."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(store: Store, decide: Decide) -> Head:
    """Append until there is no room; the head is that of what was acknowledged."""
    head, message = store.head(), ""
    for hour in range(10_000):
        try:
            store.append([decide(hour=hour)] * 5, reply=keyed(f"{hour}"))
            head = store.head()
        except StoreError as error:
            message = error.message
            break
    assert "full" in message
    assert store.head() == head
    return head


def test_a_full_disk_refuses_records_and_loses_none(tmp_path: Path, decide: Decide) -> None:
    with small_disk(tmp_path, 2**20):
        ballast = tmp_path / "ballast"
        ballast.write_bytes(bytes(500_000))
        store = open_store(tmp_path / "records.db", key=KEY)
        head = fill(store, decide)
        with pytest.raises(StoreError, match="full"):
            store.append([decide(hour=1)] * 50)
        assert not verify(store, head=head, key=KEY).faults
        ballast.unlink()
        store.append([decide(hour=1)] * 5)
        report = verify(store, head=head, key=KEY)
        assert (report.faults, report.head.count) == ([], head.count + 5)
        store.close()


def test_a_file_that_may_not_grow_refuses_records_and_loses_none(
    tmp_path: Path, decide: Decide
) -> None:
    store = open_store(tmp_path / "records.db", key=KEY)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    decide()
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, limits[1]))
        head = fill(store, decide)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    store.append([decide(hour=1)])
    report = verify(store, head=head, key=KEY)
    assert (report.faults, report.head.count) == ([], head.count + 1)
    store.close()


def test_a_full_disk_of_a_server_is_said_to_be_full() -> None:
    psycopg: Any = pytest.importorskip("psycopg")
    database = database_of("postgresql://me@bank/records")
    error = database.failure(psycopg.errors.DiskFull("no space"))
    assert str(error).startswith("The store 'postgresql://bank/records' cannot be written: the ")
    assert "full" in error.message
    assert not database.lost(psycopg.errors.DiskFull("no space"))
