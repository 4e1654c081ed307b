"""Who runs the jobs: part by part, each on disk with its decision records before the next.

A part is answered, written to disk together with its decision records, and then these are appended
to the store under a key of the part. Whoever is killed on the way goes on with what is on disk: a
part that is there is not asked again, and its records are appended unless the store has its key.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ifonly.contract import DecisionRecord
from ifonly.errors import IfonlyError
from ifonly.scale.stores.whole import marked, publish
from ifonly.serve.exchange import Ask, Said, Sight
from ifonly.serve.jobs.job import OPEN, Damaged, Job, Part
from ifonly.serve.jobs.said import refused_of, wrong_rows
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
        self._stopping = False

    def start(self) -> None:
        """Go on with the jobs."""
        self._tasks = [asyncio.create_task(self._lane()) for _ in range(self.lanes)]

    def wake(self) -> None:
        """Look for something to do."""
        self._wake.set()

    async def stop(self) -> None:
        """End the parts that are asked now; they are asked again later."""
        self._stopping = True
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
        if self._kept(job, part.start) is None:
            written, _ = read_part(part.path.read_bytes())
            records = [DecisionRecord.model_validate_json(one) for one in written]
            own = (_key(job, part.start), job.stated.token, _mark(job))
            self.store.append(records, reply=Kept(*own, 200, b"%d" % part.end))

    def _kept(self, job: Job, start: int) -> Kept | None:
        """What the store has of the part that starts there: its end; None where it has nothing."""
        if self.store is None:
            return None
        kept: Kept | None = self.store.replay(job.stated.token, _key(job, start), _mark(job))
        return kept

    def _catch_up(self, job: Job) -> None:
        """Append the records that could not be appended before."""
        for start in sorted(job.unrecorded - set(job.asked)):
            self.record(job, job.parts[start])
            job.unrecorded.discard(start)

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
        start = None
        try:
            # What is kept of rows may reach farther than they do: nobody else may claim these then.
            async with job.claiming:
                span = job.claim()
                if span is None:
                    return
                start, end = span
                job.asked[start] = end
                await asyncio.to_thread(self._catch_up, job)
                if job.stated.state == "queued":
                    await asyncio.to_thread(job.state, only_from=("queued",), state="running")
                kept = await asyncio.to_thread(self._kept, job, start)
                if kept is not None:  # their records are there, and their answers were lost
                    end = job.asked[start] = int(kept.body)
            await self._answer(job, start, end)
            job.pause, job.waits_for = 0.0, ""
        except asyncio.CancelledError:
            if job.going or self._stopping:
                raise
        except (OSError, IfonlyError, Again) as error:
            self._wait(job, _message(error))
        except Exception as error:
            await self.end(job, "failed", f"Answering failed with {type(error).__name__}.")
        finally:
            if start is not None:
                job.asked.pop(start, None)
            self.wake()
        await self.finish(job)

    async def _answer(self, job: Job, start: int, end: int) -> None:
        lines = await asyncio.to_thread(job.lines, start, end)
        began = time.monotonic()
        found = await self._asked(job, start, lines)
        if found is None:
            return
        content, statuses = await asyncio.to_thread(_content, job, start, lines, *found)
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
        return sum(job.on_disk for job in self.jobs.values())

    async def _asked(
        self, job: Job, start: int, lines: list[bytes]
    ) -> tuple[Any, Sequence[DecisionRecord], dict[int, str]] | None:
        """The reply about some rows and its records, and why single rows cannot be read.

        None where the job has failed.
        """
        failed: dict[int, str] = {}
        while len(failed) < len(lines):
            places = [place for place in range(len(lines)) if place not in failed]
            said = await self._ask(job, start, places, lines)
            if said.status in AGAIN:
                raise Again(refused_of(said).message)
            reply = json.loads(said.body)
            if said.status == 200:
                if reply["fingerprints"] == job.stated.fingerprints:
                    return reply, said.records, failed
                reason = "The model, its data or its rules were replaced while the job was running."
                await self.end(job, "failed", reason)
                return None
            wrong = wrong_rows(reply)
            if not wrong or job.stated.options.get("as_answers"):
                await self.end(job, "failed", refused_of(said).message)
                return None
            failed |= {places[place]: why for place, why in wrong.items()}
        return {"rows": []}, (), failed

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


def _content(
    job: Job,
    start: int,
    lines: list[bytes],
    reply: Any,
    records: Sequence[DecisionRecord],
    failed: dict[int, str],
) -> tuple[bytes, dict[str, int]]:
    """The file of a part, and how many of its rows have each status."""
    stated = job.stated
    places = (place for place in range(len(lines)) if place not in failed)
    return part_of(
        stated.columns,
        stated.prediction,
        start,
        [json.loads(line) for line in lines],
        dict(zip(places, reply["rows"], strict=True)),
        failed,
        records=[one.model_dump_json() for one in records],
        answers=reply.get("answers"),
    )


def _key(job: Job, start: int) -> str:
    return f"job:{job.stated.id}:{start}"


def _mark(job: Job) -> str:
    return marked(job.stated.id.encode())
