"""Jobs whose disk, store, model or client fails: nothing is lost, and nothing is there twice."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from ifonly.errors import FileError, StoreError
from ifonly.serve.jobs import Jobs

from .asking import asynchronous, living
from .standing import MARKS, StandIn, problem, rows_of


@asynchronous
async def test_a_result_is_never_of_two_models(tmp_path: Path) -> None:
    pool = StandIn()
    async with living(tmp_path, pool, records=True) as asking:
        pool.replies = [None, problem("service", "The model is being loaded.")]
        name = await asking.submit(40)
        while not (await asking.state(name))["reason"]:
            await asyncio.sleep(0.01)
        waiting = await asking.state(name)
        assert (waiting["state"], waiting["reason"]) == ("running", "The model is being loaded.")
        pool.marks = {**MARKS, "model": "d" * 16}
        failed = await asking.until(name, "failed")
        assert (failed["done"], "were replaced" in failed["reason"]) == (10, True)
        assert set((await asking.result(name))["row"].to_pylist()) == set(range(10))
        assert asking.app.state.store.head().count == 10


@asynchronous
async def test_what_the_pool_refuses_or_breaks_ends_the_job_with_the_reason(tmp_path: Path) -> None:
    pool = StandIn()
    async with living(tmp_path, pool) as asking:
        refused = await asking.post("/v1/jobs", json={"rows": rows_of(3), "k": 20})
        assert (refused.status_code, refused.json()["field"]) == (422, "k")
        pool.replies = [ZeroDivisionError()]
        failed = await asking.until(await asking.submit(3), "failed")
        assert failed["reason"] == "Answering failed with ZeroDivisionError."
        assert len(await asking.result(failed["id"])) == 0


@asynchronous
async def test_a_full_disk_refuses_jobs_and_delays_those_that_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, write = True, Path.write_bytes

    def writing(path: Path, content: Any) -> int:
        if full and (".part" in path.name or "rows" in path.name):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, content)

    async with living(tmp_path, records=True) as asking:
        monkeypatch.setattr(Path, "write_bytes", writing)
        assert (await asking.post("/v1/jobs", json={"rows": rows_of(2)})).status_code == 507
        assert [path.name for path in (tmp_path / "jobs").iterdir()] == ["lock"]
        full = False
        name = await asking.submit(20)
        full = True
        while not (found := await asking.state(name))["reason"]:
            await asyncio.sleep(0.01)
        assert (found["state"], found["reason"]) == ("running", "No space left on device")
        full = False
        assert (await asking.until(name, "done"))["reason"] == ""
        assert len(set((await asking.result(name))["row"].to_pylist())) == 20
        assert asking.app.state.store.head().count == 20


@asynchronous
async def test_a_store_that_fails_loses_no_record(tmp_path: Path, monkeypatch: Any) -> None:
    async with living(tmp_path, records=True) as asking:
        store, broken = asking.app.state.store, [StoreError("The store is full.")] * 2
        append = store.append

        def appending(*args: Any, **options: Any) -> Any:
            if broken:
                raise broken.pop()
            return append(*args, **options)

        monkeypatch.setattr(store, "append", appending)
        name = await asking.submit(15)
        await asking.until(name, "done")
        assert store.head().count == 15


@asynchronous
async def test_one_server_owns_the_folder(tmp_path: Path) -> None:
    async with living(tmp_path):
        with pytest.raises(FileError, match=f"process {os.getpid()}"):
            Jobs(tmp_path / "jobs", StandIn())
    async with living(tmp_path):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot be used"):
        Jobs(tmp_path / "file" / "jobs", StandIn())


@asynchronous
async def test_a_damaged_or_lost_part_is_answered_again_and_recorded_once(tmp_path: Path) -> None:
    async with living(tmp_path, StandIn(0.002), records=True) as asking:
        name = await asking.submit(150)
        while (await asking.state(name))["done"] < 60:
            await asyncio.sleep(0.01)
    first, second, *_ = sorted((tmp_path / "jobs" / name).glob("*.part"))
    first.write_bytes(first.read_bytes()[:-1] + b"?")
    second.unlink()
    (tmp_path / "jobs" / "never-accepted").mkdir()
    (tmp_path / "jobs" / "damaged").mkdir()
    (tmp_path / "jobs" / "damaged" / "job.json").write_text("{}")
    pool = StandIn()
    async with living(tmp_path, pool, records=True) as asking:
        await asking.until(name, "done")
        rows = (await asking.result(name))["row"].to_pylist()
        assert sorted(set(rows)) == list(range(150))
        assert len(pool.asked) < 150  # what was there is not asked again
        assert asking.app.state.store.head().count == 150
    assert not (tmp_path / "jobs" / "never-accepted").exists()


@asynchronous
async def test_a_part_that_is_damaged_while_the_server_runs_is_answered_again(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, StandIn(0.002)) as asking:
        name = await asking.submit(60)
        while not (parts := list((tmp_path / "jobs" / name).glob("*.part"))):
            await asyncio.sleep(0.001)
        parts[0].write_bytes(b"?")
        await asking.until(name, "done")
        assert sorted(set((await asking.result(name))["row"].to_pylist())) == list(range(60))


@asynchronous
async def test_a_client_that_leaves_while_fetching_may_fetch_again(tmp_path: Path) -> None:
    async with living(tmp_path) as asking:
        name = await asking.submit(3)
        await asking.until(name, "done")
        jobs: Jobs = asking.app.state.jobs
        job = jobs.find(name, "ann")

        async def stays() -> bool:
            return False

        half: Any = jobs.fetch(job, stays)
        await anext(half)
        assert (await asking.get(f"/v1/jobs/{name}/result")).status_code == 409
        await half.aclose()
        del half
        assert len(await asking.result(name)) == 5


@asynchronous
async def test_jobs_wait_for_room_that_others_take(tmp_path: Path) -> None:
    async with living(tmp_path) as asking:
        first = await asking.submit(30)
        await asking.until(first, "done")
        runner = asking.app.state.jobs._runner
        runner.disk = runner.taken + 3000
        name = await asking.submit(20)
        while not (found := await asking.state(name))["reason"]:
            await asyncio.sleep(0.01)
        assert (found["state"], "no room" in found["reason"]) == ("running", True)
        await asking.result(first)
        await asking.until(name, "done")


@asynchronous
async def test_a_server_that_stops_writes_nothing_any_more(tmp_path: Path) -> None:
    async with living(tmp_path, StandIn(0.001), records=True) as asking:
        name = await asking.submit(400)
        while (await asking.state(name))["done"] < 20:
            await asyncio.sleep(0.01)
    files = sorted((tmp_path / "jobs" / name).iterdir())
    await asyncio.sleep(0.1)
    assert sorted((tmp_path / "jobs" / name).iterdir()) == files
    async with living(tmp_path, StandIn(), records=True) as asking:
        await asking.until(name, "done")
        assert asking.app.state.store.head().count == 400
