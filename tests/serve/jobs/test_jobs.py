"""Jobs over their routes: what is submitted is answered, fetched once, and then gone."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ifonly.contract import Limits, Refused
from ifonly.errors import FileError, StoreError
from ifonly.serve.exchange import Ask
from ifonly.serve.jobs import JobLimits, Jobs, reading

from .standing import MARKS, StandIn, app_of, problem, rows_of


class Asking(httpx.AsyncClient):
    """Asks an app about its jobs."""

    def __init__(self, app: Any) -> None:
        super().__init__(transport=httpx.ASGITransport(app), base_url="http://here")
        self.app = app

    async def submit(self, count: int = 30, **more: Any) -> str:
        reply = await self.post("/v1/jobs", json={"rows": rows_of(count), **more})
        assert reply.status_code == 202, reply.text
        return str(reply.json()["id"])

    async def state(self, name: str) -> Any:
        return (await self.get(f"/v1/jobs/{name}")).json()

    async def until(self, name: str, *states: str) -> Any:
        end = time.monotonic() + 20
        while (found := await self.state(name))["state"] not in states:
            assert time.monotonic() < end, found
            await asyncio.sleep(0.01)
        return found

    async def result(self, name: str) -> pa.Table:
        reply = await self.get(f"/v1/jobs/{name}/result")
        assert reply.status_code == 200, reply.text
        return pq.read_table(io.BytesIO(reply.content))


@asynccontextmanager
async def living(folder: Path, pool: Any = None, **options: Any) -> AsyncIterator[Asking]:
    app = app_of(folder, StandIn() if pool is None else pool, **options)
    async with app.router.lifespan_context(app), Asking(app) as asking:
        yield asking


def asynchronous(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """A test that asyncio runs."""

    def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        needed = {"tmp_path": tmp_path, "monkeypatch": monkeypatch}
        names = test.__code__.co_varnames[: test.__code__.co_argcount]
        asyncio.run(test(**{name: needed[name] for name in names}))  # type: ignore[arg-type]

    run.__name__, run.__doc__ = test.__name__, test.__doc__  # type: ignore[attr-defined]
    return run


@asynchronous
async def test_a_result_is_fetched_once_by_its_owner(tmp_path: Path) -> None:
    async with living(tmp_path, records=True) as asking:
        name = await asking.submit(30)
        done = await asking.until(name, "done")
        assert (done["rows"], done["done"], done["statuses"]) == (
            30,
            30,
            {"found": 25, "not_found": 5},
        )
        for path in (f"/v1/jobs/{name}", f"/v1/jobs/{name}/result"):
            assert (await asking.get(path, headers={"who": "bob"})).status_code == 404
        assert (await asking.get("/v1/jobs", headers={"who": "bob"})).json()["jobs"] == []
        table = (await asking.result(name)).to_pandas()
        assert table.columns.tolist() == [
            *("row", "answer", "status", "note", "sentence", "prediction", "score", "distance"),
            *("price", "extra", "answers", "age", "job", "id"),
        ]
        assert table["row"].tolist()[:4] == [0, 0, 1, 2]
        assert table["age"].tolist()[:4] == [30, 30, 21, 32]  # a row without answers as it is
        assert table["id"].tolist()[-1] == "29"
        assert (await asking.get(f"/v1/jobs/{name}/result")).status_code == 410
        assert (await asking.state(name))["state"] == "fetched"
        folder = tmp_path / "jobs" / name
        assert [path.name for path in folder.iterdir()] == ["job.json"]
        assert b"age" not in (folder / "job.json").read_bytes()
        assert asking.app.state.store.head().count == 30


@asynchronous
async def test_a_stopped_job_keeps_what_is_done(tmp_path: Path) -> None:
    async with living(tmp_path, StandIn(0.005)) as asking:
        name = await asking.submit(300)
        while not (await asking.state(name))["done"]:
            await asyncio.sleep(0.01)
        early = await asking.get(f"/v1/jobs/{name}/result")
        assert (early.status_code, early.json()["type"][-9:]) == (409, "not-ready")
        stopped = (await asking.post(f"/v1/jobs/{name}/stop")).json()
        assert stopped["state"] == "stopped"
        assert 0 < stopped["done"] < 300
        assert (await asking.result(name))["row"].to_pylist()[-1] == stopped["done"] - 1
        other = await asking.submit(300)
        assert (await asking.delete(f"/v1/jobs/{other}")).json()["state"] == "deleted"
        assert (await asking.get(f"/v1/jobs/{other}/result")).status_code == 410
        assert [path.name for path in (tmp_path / "jobs" / other).iterdir()] == ["job.json"]


@asynchronous
async def test_a_repeated_submission_is_the_same_job(tmp_path: Path) -> None:
    async with living(tmp_path) as asking:
        key = {"Idempotency-Key": "k"}
        first, again = [
            (await asking.post("/v1/jobs", json={"rows": rows_of(3)}, headers=key)).json()["id"]
            for _ in range(2)
        ]
        assert first == again
        other = await asking.post("/v1/jobs", json={"rows": rows_of(4)}, headers=key)
        assert (other.status_code, "another request" in other.json()["detail"]) == (422, True)
        bob = await asking.post(
            "/v1/jobs", json={"rows": rows_of(4)}, headers={**key, "who": "bob"}
        )
        assert bob.json()["id"] != first


@asynchronous
async def test_rows_that_cannot_be_read_fail_alone(tmp_path: Path) -> None:
    async with living(tmp_path, records=True) as asking:
        rows = [{**row, "age": "old"} if row["id"] in (3, 4) else row for row in rows_of(12)]
        reply = await asking.post("/v1/jobs", json={"rows": rows})
        done = await asking.until(reply.json()["id"], "done")
        assert done["statuses"]["failed"] == 2
        table = (await asking.result(done["id"])).to_pandas()
        wrong = table[table["status"] == "failed"]
        assert (wrong["row"].tolist(), wrong["note"].unique().tolist()) == (
            [3, 4],
            ["age: It is no number."],
        )
        assert sorted(table["row"].unique()) == list(range(12))
        assert asking.app.state.store.head().count == 10


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
        assert (failed["done"], failed["reason"][:22]) == (10, "The model was replaced")
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
async def test_limits(tmp_path: Path) -> None:
    limits = JobLimits(rows=10, jobs=2, body=2000, disk=3000)
    async with living(tmp_path, limits=limits) as asking:
        bodies = [{"rows": rows_of(11)}, {"rows": []}, {"rows": [1]}, {"row": []}, {}]
        bodies.append({"rows": rows_of(2), "row_rules": [[]]})
        said = [(await asking.post("/v1/jobs", json=body)).status_code for body in bodies]
        assert said == [413, 422, 422, 422, 422, 422]
        said = [(await asking.post("/v1/jobs", content=b)).status_code for b in (b"{", b"x" * 3000)]
        assert said == [400, 413]
        assert (
            await asking.post("/v1/models/no/jobs", json={"rows": rows_of(1)})
        ).status_code == 404
        first = await asking.submit(2)
        second = await asking.submit(2)
        many = await asking.post("/v1/jobs", json={"rows": rows_of(2)})
        assert (many.status_code, many.json()["detail"]) == (429, "You have 2 jobs already.")
        for name in (first, second):
            await asking.until(name, "done")
            await asking.result(name)
        await asking.submit(1)
        asking.app.state.jobs.limits = JobLimits(disk=100)
        assert (await asking.post("/v1/jobs", json={"rows": rows_of(2)})).status_code == 507


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
async def test_what_nobody_fetches_expires(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("ifonly.serve.jobs.jobs.CLEANING", 0.01)
    async with living(tmp_path, limits=JobLimits(keep_days=0.2 / 86400)) as asking:
        name = await asking.submit(3)
        await asking.until(name, "done")
        while (await asking.get(f"/v1/jobs/{name}")).status_code != 404:
            await asyncio.sleep(0.02)
        assert [path.name for path in (tmp_path / "jobs").iterdir()] == ["lock"]


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
async def test_rows_as_a_table(tmp_path: Path) -> None:
    buffer, table = io.BytesIO(), pa.Table.from_pylist(rows_of(5))
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table)
    async with living(tmp_path) as asking:
        reply = await asking.post(
            "/v1/jobs",
            content=buffer.getvalue(),
            headers={"Content-Type": "application/vnd.apache.arrow.stream"},
            params={"options": '{"k": 2}'},
        )
        assert reply.status_code == 202, reply.text
        job = asking.app.state.jobs.find(reply.json()["id"], "ann")
        assert (job.stated.options, job.stated.rows) == ({"k": 2}, 5)
        await asking.until(job.stated.id, "done")
        assert (await asking.result(job.stated.id))["id"].to_pylist()[-1] == "4"


def test_rows_of_large_bodies_are_read_as_those_of_small_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask = Ask("loans", "explain", json.dumps({"rows": rows_of(3), "k": 2}).encode())
    here = reading.read(ask, Limits())
    monkeypatch.setattr(reading, "SMALL", 0)
    monkeypatch.setattr(subprocess, "run", by_itself)
    assert reading.read(ask, Limits()) == here
    for body, form, status in ((b"PAR1 no", "parquet", 400), (b'{"rows": 1}', "contract", 422)):
        with pytest.raises(Refused) as caught:
            reading.read(Ask("loans", "explain", body, form), Limits())  # type: ignore[arg-type]
        assert caught.value.problem.status == status


def by_itself(command: list[str], *, input: bytes, **_: Any) -> Any:  # noqa: A002
    """What the process of a command prints, without one."""
    printed = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(input)))
        patch.setattr(sys, "stdout", SimpleNamespace(buffer=printed))
        reading.main(*command[3:])
    return SimpleNamespace(stdout=printed.getvalue())
