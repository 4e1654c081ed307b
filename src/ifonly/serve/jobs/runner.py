"""Who runs the jobs: part by part, each on disk with its decision records before the next.

A part is answered, written to disk together with its decision records, and then these are appended
to the store under a key of the part. Whoever is killed on the way goes on with what is on disk: a
part that is there is not asked again, and its records are appended unless the store has its key.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from ifonly.contract import DecisionRecord, Refused
from ifonly.contract.problem import KINDS
from ifonly.errors import IfonlyError
from ifonly.serve.exchange import Ask, Said, Sight
from ifonly.serve.jobs.job import OPEN, Damaged, Job, Part, marked, publish
from ifonly.serve.jobs.table import part_of, read_part, write_result
from ifonly.serve.store import Kept

AGAIN = (429, 502, 503, 504)
"""Replies after which the same part is asked again."""
LONGEST = 30.0
"""The most seconds between two tries."""
EACH = ("target", "row_rules")
"""What a request has one of for all rows, or a list with one per row."""


class Runner:
    """Asks a pool about the rows of jobs, several parts at a time."""

    def __init__(self, pool: Any, store: Any, lanes: int, disk: int) -> None:
        self.pool, self.store, self.lanes, self.disk = pool, store, lanes, disk
        self.jobs: dict[str, Job] = {}
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Go on with the jobs."""
        self._tasks = [asyncio.create_task(self._lane()) for _ in range(self.lanes)]

    def wake(self) -> None:
        """Look for something to do."""
        self._wake.set()

    async def stop(self) -> None:
        """End the parts that are asked now; they are asked again later."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def end(self, job: Job, state: str, reason: str = "") -> None:
        """End a job that goes on; what is answered is its result."""
        if await asyncio.to_thread(job.state, only_from=OPEN, state=state, reason=reason):
            for task in list(job.asks):
                task.cancel()
            self.wake()

    async def finish(self, job: Job) -> None:
        """Make the result of a job of which all is answered that will be."""
        if job.asked or job.finishing or not job.overdue:
            return
        job.finishing = True
        try:
            await asyncio.to_thread(self._publish, job)
        except Damaged:
            pass  # where it goes on, its rows are asked again
        except (OSError, IfonlyError) as error:
            self._wait(job, f"The result cannot be written: {_message(error)}")
        finally:
            job.finishing = False

    def _publish(self, job: Job) -> None:
        self._catch_up(job)
        stated = job.stated
        with publish(job.folder / "result.parquet") as path:
            write_result(job.bodies(), stated.columns, stated.prediction, path)
        job.state(done=job.done, statuses=job.progress()["statuses"])
        job.state(only_from=OPEN, state="done")
        job.forget(result=False)

    def record(self, job: Job, part: Part) -> None:
        """Append the decision records of a part to the store, unless that was done before."""
        if self.store is None:
            return
        written, _ = read_part(part.path.read_bytes())
        records = [DecisionRecord.model_validate_json(one) for one in written]
        kept = Kept(self._key(job, part.start), job.stated.token, _mark(job), 200, b"%d" % part.end)
        self.store.append(records, reply=kept)

    def _catch_up(self, job: Job) -> None:
        """Append the records that could not be appended before."""
        for start in sorted(job.unrecorded - set(job.asked)):
            self.record(job, job.parts[start])
            job.unrecorded.discard(start)

    def _key(self, job: Job, start: int) -> str:
        return f"job:{job.stated.id}:{start}"

    async def _lane(self) -> None:
        turn = 0
        while True:
            now = time.monotonic()
            able = [job for job in self.jobs.values() if job.waits_until <= now]
            for job in able:
                await self.finish(job)
            ready = [job for job in able if job.going and job.claim()]
            if ready:
                turn += 1
                await self._part(ready[turn % len(ready)])
                continue
            self._wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), 0.5)

    async def _part(self, job: Job) -> None:
        """Answer the next rows of a job."""
        span = job.claim()
        assert span is not None
        start, end = span
        job.asked[start] = end
        try:
            await asyncio.to_thread(self._catch_up, job)
            if job.stated.state == "queued":
                await asyncio.to_thread(job.state, only_from=("queued",), state="running")
            if self.store is not None:  # rows whose records are there, and whose answers were lost
                kept = await asyncio.to_thread(
                    self.store.replay, job.stated.token, self._key(job, start), _mark(job)
                )
                end = job.asked[start] = end if kept is None else int(kept.body)
            await self._answer(job, start, end)
            job.pause, job.waits_for = 0.0, ""
        except asyncio.CancelledError:
            if job.going:
                raise
        except (OSError, IfonlyError, Again) as error:
            self._wait(job, _message(error))
        except Exception as error:
            await self.end(job, "failed", f"Answering failed with {type(error).__name__}.")
        finally:
            job.asked.pop(start, None)
            self.wake()
        await self.finish(job)

    async def _answer(self, job: Job, start: int, end: int) -> None:
        lines = await asyncio.to_thread(job.lines, start, end)
        began = time.monotonic()
        said, failed = await self._asked(job, start, lines)
        if said is None:
            return
        content, statuses = await asyncio.to_thread(_content, job, start, lines, said, failed)
        if self.taken + len(content) > self.disk:
            raise Again("The jobs of this server have no room left on its disk.")
        saving = asyncio.ensure_future(
            asyncio.to_thread(self._save, job, Part(Path(), start, end, statuses), content)
        )
        try:
            await asyncio.shield(saving)
        finally:  # who leaves the folder to another server writes nothing any more
            with suppress(OSError, IfonlyError):
                await saving
        job.measure(end - start, time.monotonic() - began)

    def _save(self, job: Job, part: Part, content: bytes) -> None:
        """Have a part on disk, and its records in the store."""
        kept = job.keep(part, content)
        job.unrecorded.add(part.start)
        self.record(job, kept)
        job.unrecorded.discard(part.start)

    @property
    def taken(self) -> int:
        """The bytes of all jobs on disk."""
        return sum(job.bytes for job in self.jobs.values())

    async def _asked(
        self, job: Job, start: int, lines: list[bytes]
    ) -> tuple[Said | None, dict[int, str]]:
        """The reply about some rows, without those that cannot be read; and why, by position."""
        failed: dict[int, str] = {}
        while True:
            places = [place for place in range(len(lines)) if place not in failed]
            said = await self._ask(job, start, places, lines)
            if said.status in AGAIN:
                raise Again(refused_of(said).message)
            if said.status == 200:
                mark = json.loads(said.body)["fingerprints"]
                if mark["model"] == job.stated.fingerprints["model"]:
                    return said, failed
                await self.end(job, "failed", "The model was replaced while the job was running.")
                return None, {}
            wrong = _wrong_rows(said)
            if not wrong or job.stated.options.get("as_answers"):
                await self.end(job, "failed", refused_of(said).message)
                return None, {}
            failed |= {places[place]: why for place, why in wrong.items()}
            if len(failed) == len(lines):
                return Said(200, b'{"rows": []}'), failed

    async def _ask(self, job: Job, start: int, places: list[int], lines: list[bytes]) -> Said:
        options = dict(job.stated.options)
        for name in EACH:
            if isinstance(one := options.get(name), list) and one:
                options[name] = [one[start + place] for place in places]
        rows = b'{"rows": [' + b",".join(lines[place] for place in places) + b"]"
        rest = json.dumps(options).encode()[1:]
        ask = Ask(
            job.stated.model,
            "explain",
            rows + (b", " if options else b"") + rest,
            sight=Sight(**job.stated.sight),
            record=self.store is not None,
            background=True,
        )
        task = asyncio.ensure_future(self.pool.ask(ask))
        job.asks.add(task)
        try:
            return await task  # type: ignore[no-any-return]  # pools are anything that answers
        finally:
            job.asks.discard(task)
            task.cancel()

    def _wait(self, job: Job, reason: str) -> None:
        """Leave a job alone for a while; what it waits for may be a disk with room in it."""
        job.pause = min(LONGEST, 2 * job.pause or 0.5)
        job.waits_until = time.monotonic() + job.pause
        job.waits_for = reason


class Again(Exception):
    """What was asked can be asked again later."""


def _message(error: Exception) -> str:
    return str(getattr(error, "message", "") or getattr(error, "strerror", "") or error)


def refused_of(said: Said) -> Refused:
    """The problem of a reply."""
    problem = json.loads(said.body)
    kind = str(problem.get("type", "")).rpartition(":")[2]
    return Refused(
        str(problem.get("detail", "The request could not be answered.")),
        str(problem.get("hint", "")),
        field=str(problem.get("field", "")),
        kind=kind if kind in KINDS else "internal",
        place=problem.get("place"),
    )


def _wrong_rows(said: Said) -> dict[int, str]:
    """What is wrong with single rows, by position, where a reply says that it is rows."""
    problem = json.loads(said.body)
    if not str(problem.get("type", "")).endswith(":data"):
        return {}
    wrong: dict[int, str] = {}
    for one in problem.get("errors") or [problem]:
        found = re.match(r"rows\[(\d+)\]\.?(.*)", str(one.get("field", "")))
        if found:
            message = f"{found[2]}: {one['detail']}" if found[2] else str(one["detail"])
            wrong.setdefault(int(found[1]), message)
    return wrong


def _content(
    job: Job, start: int, lines: list[bytes], said: Said, failed: dict[int, str]
) -> tuple[bytes, dict[str, int]]:
    """The file of a part, and how many of its rows have each status."""
    reply, stated = json.loads(said.body), job.stated
    places = (place for place in range(len(lines)) if place not in failed)
    return part_of(
        stated.columns,
        stated.prediction,
        start,
        [json.loads(line) for line in lines],
        dict(zip(places, reply["rows"], strict=True)),
        failed,
        records=[one.model_dump_json() for one in said.records],
        answers=reply.get("answers"),
    )


def _mark(job: Job) -> str:
    return marked(job.stated.id.encode())
