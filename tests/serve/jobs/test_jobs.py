"""Jobs over their routes: what is submitted is answered, fetched once, and then gone."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from ifonly.contract import Limits, Refused
from ifonly.serve.exchange import Ask
from ifonly.serve.jobs import JobLimits, reading

from .asking import asynchronous, living
from .standing import StandIn, rows_of


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
async def test_limits(tmp_path: Path) -> None:
    limits = JobLimits(rows=10, jobs=2, body=2000, disk=100_000)
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
async def test_what_nobody_fetches_expires(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("ifonly.serve.jobs.jobs.CLEANING", 0.01)
    async with living(tmp_path, limits=JobLimits(keep_days=0.2 / 86400)) as asking:
        name = await asking.submit(3)
        await asking.until(name, "done")
        while (await asking.get(f"/v1/jobs/{name}")).status_code != 404:
            await asyncio.sleep(0.02)
        assert [path.name for path in (tmp_path / "jobs").iterdir()] == ["lock"]


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
