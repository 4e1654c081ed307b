"""Workers that are killed, models that hang or end their process, clients that hang up."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ifonly.contract import Refused
from ifonly.contract.handler import refused
from ifonly.serve.open import ModelFile
from ifonly.serve.pool import Pool, pool
from ifonly.serve.pool.wire import read
from ifonly.serve.pool.worker import Worker, place_of

from .asking import asked, content, question, running


def kill(crew: Pool) -> bool:
    """End one of the workers; False where the pool has not seen yet that it is dead already."""
    try:
        os.kill(random.choice(crew._staff.processes).process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def test_workers_killed_at_200_instants_lose_no_request(
    source: ModelFile, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "DEATHS", 1000)  # so often, a request may be hit again and again
    handler, rng = source.load(), random.Random(0)
    wanted = [content(handler.respond("explain", question(i))[1]) for i in range(8)]
    answered: list[int] = []
    over = False

    async def client(crew: Pool, i: int) -> None:
        while not over:
            said = await crew.ask(asked(question(i), record=True))
            assert (said.status, content(said.body)) == (200, wanted[i])
            assert len(said.records) == 1
            answered.append(i)

    async def load() -> None:
        nonlocal over
        async with running(source, workers=2) as crew:
            clients = [asyncio.ensure_future(client(crew, i)) for i in range(8)]
            for _ in range(200):
                await asyncio.sleep(rng.uniform(0, 0.06))
                while not crew._staff.processes or not kill(crew):
                    await asyncio.sleep(0.005)
            over = True
            await asyncio.gather(*clients)
            assert crew.queued == 0

    run(load(), 100.0)
    assert set(answered) == set(range(8))


def test_a_row_that_ends_its_process_is_a_problem_of_its_own_request(
    source: ModelFile, run: Callable[..., Any]
) -> None:
    async def ask() -> None:
        async with running(source) as crew:
            names = ["", "exit", "", ""]
            asks = [asked(question(i, name)) for i, name in enumerate(names)]
            said = await asyncio.gather(*map(crew.ask, asks))
            assert [one.status for one in said] == [200, 500, 200, 200]
            assert b"process" in said[1].body

    run(ask())


def test_a_model_that_hangs_is_ended_and_others_are_answered(
    source: ModelFile, run: Callable[..., Any]
) -> None:
    async def ask() -> None:
        async with running(source, workers=1, patience=0.3) as crew:
            first = crew._staff.processes[0]
            hanging = asyncio.ensure_future(crew.ask(asked(question(1, "hang"), seconds=0.3)))
            await asyncio.sleep(0.1)
            late = crew.ask(asked(question(2), seconds=0.05))
            assert (await late).status == 503, "it waited for a worker until its time was over"
            other = crew.ask(asked(question(2)))
            assert [one.status for one in await asyncio.gather(hanging, other)] == [504, 200]
            assert first not in crew._staff.processes

    run(ask())


def test_a_deadline_ends_the_search_and_what_is_found_is_the_reply(
    source: ModelFile, run: Callable[..., Any]
) -> None:
    async def ask() -> None:
        async with running(source, workers=1) as crew:
            asks = [asked(question(1, "slow", k=4), seconds, record=True) for seconds in (0.4, 60)]
            soon, late = await asyncio.gather(*map(crew.ask, asks))
            assert [one.status for one in (soon, late)] == [200, 200]
            assert late.facts["statuses"] == {"found": 1}
            assert soon.facts["statuses"] != {"found": 1}
            assert [one.records[0].reproducible for one in (soon, late)] == [False, True]

    run(ask())


def test_requests_with_little_time_leave_the_others_theirs(source: ModelFile) -> None:
    here, there = socket.socketpair()
    with here, there, here.makefile("rb") as file:
        worker = Worker(there, {"m": source.load()}, b"", keep_rows=False)
        asks = [asked(question(i, "slow", k=4), seconds) for i, seconds in enumerate((1.5, 60))]
        for group in worker._groups(dict(enumerate(asks))):
            worker._answer_group(group)
        kinds = [read(file) for _ in range(4)]
    assert [kind for kind, *_ in kinds] == ["begun", "said", "begun", "said"]
    soon, late = (content(kinds[place][2].body) for place in (1, 3))
    assert soon["record"]["interrupted"] is True
    assert soon["record"]["budget"] is None
    assert late["rows"][0]["status"] == "found"
    assert late["record"]["interrupted"] is False


def test_a_client_that_hangs_up_stops_its_search(
    source: ModelFile, run: Callable[..., Any]
) -> None:
    async def ask() -> None:
        async with running(source, workers=1) as crew:
            pid = crew._staff.processes[0].process.pid
            many = question(1, "slow", k=4, rows=[ROW] * 40)
            tasks = [asyncio.ensure_future(crew.ask(asked(many))) for _ in range(2)]
            await asyncio.sleep(0.3)
            for task in tasks:
                task.cancel()
            began = time.monotonic()
            assert (await crew.ask(asked(question(2)))).status == 200
            assert time.monotonic() - began < 2.0
            assert crew._staff.processes[0].process.pid == pid, "it was not killed"

    run(ask())


ROW = {"customer": "slow", "income": 1, "debt": 3}
FRONT = """
import asyncio, pathlib, sys
from ifonly.serve.open import ModelFile
from ifonly.serve.pool import Pool

async def main():
    source = ModelFile(*map(pathlib.Path, sys.argv[1:]), trust_pickle=True)
    pool = Pool({"m": source}, workers=2, key=b"", keep_rows=False)
    await pool.start()
    print(*(one.process.pid for one in pool._staff.processes), flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def test_workers_end_with_the_front_however_it_ends(source: ModelFile, tmp_path: Path) -> None:
    command = [sys.executable, "-c", FRONT, str(source.path), str(source.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as front:
        try:
            assert front.stdout is not None
            pids = [int(pid) for pid in front.stdout.readline().split()]
            assert len(pids) == 2
            os.kill(pids[0], signal.SIGTERM)  # as a service manager may do: the front decides
            os.kill(pids[0], 0)
        finally:
            front.kill()
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            break
        time.sleep(0.05)
    else:
        pytest.fail("workers are still there")


def test_the_log_says_where_an_error_was_raised_and_no_value() -> None:
    with pytest.raises(Refused) as caught, refused():
        raise KeyError("a value of a row")
    assert re.fullmatch(r"KeyError in test_faults\.py:\d+", place_of(caught.value))
