"""All jobs of a server: a folder that one server owns, with a folder for each of them."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import secrets
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ifonly.contract import Limits, Refused
from ifonly.errors import FileError
from ifonly.scale.stores.whole import Owned, marked, own, sync, write
from ifonly.serve.exchange import Ask
from ifonly.serve.jobs.job import ENDED, Job, Stated
from ifonly.serve.jobs.reading import Given, read
from ifonly.serve.jobs.runner import EACH, Runner
from ifonly.serve.jobs.said import refused_of
from ifonly.serve.jobs.table import columns_of
from ifonly.serve.store import KeyReused

log = logging.getLogger(__name__)

CLEANING = 60.0
"""How often results that nobody has fetched are looked for, in seconds."""
GONE = ("fetched", "deleted")
"""The states of a job of which nothing is left but that it was there."""


@dataclass(frozen=True)
class JobLimits:
    """What jobs may take."""

    rows: int = 200_000
    """Rows of a job."""
    body: int = 256 * 2**20
    """Bytes of a request for one."""
    jobs: int = 10
    """Jobs of a token whose result it has not fetched."""
    disk: int = 4 * 2**30
    """Bytes of all jobs on disk."""
    keep_days: float = 7.0
    """How long a result waits to be fetched."""
    lanes: int | None = None
    """How many parts are asked at a time; by default, one worker is left to others."""


class Jobs:
    """The jobs of a folder, which one server owns at a time.

    Parameters
    ----------
    folder
        Where they are kept; it is made where it is not there.
    pool
        Who answers: `pool.ask(Ask)` and `pool.models`.
    store
        Where decision records are appended; None: they are not recorded.
    limits
        What jobs may take.

    Raises
    ------
    FileError
        Another server uses the folder, or it cannot be used.
    """

    def __init__(
        self, folder: str | Path, pool: Any, store: Any = None, limits: JobLimits | None = None
    ) -> None:
        self.folder, self.pool, self.limits = Path(folder), pool, limits or JobLimits()
        lanes = self.limits.lanes or max(1, getattr(pool, "workers", 1) - 1)
        self._runner = Runner(pool, store, lanes, self.limits.disk)
        self._jobs = self._runner.jobs
        self._cleaner: asyncio.Task[None] | None = None
        self._submitting = asyncio.Lock()
        self._lock = _own(self.folder)

    async def start(self) -> None:
        """Read what is on disk, and go on with it."""
        for job in await asyncio.to_thread(lambda: list(self._load())):
            self._jobs[job.stated.id] = job
        self._runner.start()
        self._cleaner = asyncio.create_task(self._clean())

    def _load(self) -> Iterator[Job]:
        for folder in sorted(path for path in self.folder.iterdir() if path.is_dir()):
            if not (folder / "job.json").exists():  # it was never accepted
                Job.remove(folder)
                continue
            try:
                job = Job.load(folder)
            except (ValueError, TypeError, KeyError):
                log.exception("The job %s is damaged, and cannot go on.", folder.name)
                continue
            if job.stated.state in GONE:
                job.forget(result=True)
            elif job.stated.state in ENDED and (folder / "result.parquet").exists():
                job.forget(result=False)
            for part in job.parts.values():
                self._runner.record(job, part)
            yield job

    async def stop(self) -> None:
        """End the parts that are asked now, which are asked again later; leave the folder."""
        if self._cleaner is not None:
            self._cleaner.cancel()
        await self._runner.stop()
        os.close(self._lock)

    async def submit(self, ask: Ask, token: str, key: str = "") -> Job:
        """Accept a job for the one who has a token; it is on disk when this returns.

        Raises
        ------
        Refused
            The request cannot be used, or there is no room for it.
        KeyReused
            The key was used before, for another request.
        """
        if ask.model not in self.pool.models:
            raise Refused(f"There is no model {ask.model!r:.60}.", kind="route")
        mark = marked(b"\0".join([ask.model.encode(), ask.form.encode(), ask.options, ask.body]))
        limits = Limits(rows=self.limits.rows, body=self.limits.body)
        if known := self._known(token, key, mark):
            return known
        given = await asyncio.to_thread(read, ask, limits)
        async with self._submitting:
            if known := self._known(token, key, mark):
                return known
            job = await self._new(ask, given, token=token, key=key, request_hash=mark)
            self._jobs[job.stated.id] = job
        self._runner.wake()
        return job

    def _known(self, token: str, key: str, mark: str) -> Job | None:
        """The job of the same request; where there is none, a token may have too many others."""
        own = self.of(token)
        for job in (job for job in own if key and job.stated.key == key):
            if job.stated.request_hash == mark:
                return job
            raise KeyReused(
                f"The Idempotency-Key {key!r:.60} was used for another request.",
                "Give each request a key of its own.",
            )
        if sum(job.stated.state not in GONE for job in own) >= self.limits.jobs:
            hint = "Fetch the result of another one, or delete it."
            raise Refused(f"You have {self.limits.jobs} jobs already.", hint, kind="quota")
        return None

    async def _new(self, ask: Ask, given: Given, **own: Any) -> Job:
        """A job of what was given, on disk; its options are tried on no rows first."""
        options = given.options
        each = {name: one for name in EACH if isinstance(one := options.get(name), list)}
        for name, one in each.items():
            if len(one) not in (0 if name == "row_rules" else given.count, given.count):
                message = f"There are {len(one)} entries for {given.count} rows."
                raise Refused(message, "Give one per row.", field=name)
        common = {name: one for name, one in options.items() if name not in each}
        tried = await self._said(ask, "explain", {**common, "rows": []})
        model = await self._said(ask, "model", {})
        columns, prediction = columns_of(model)
        name = secrets.token_hex(16)
        stated = Stated(
            id=name,
            model=ask.model,
            options=options,
            sight=asdict(ask.sight),
            rows=given.count,
            columns=columns,
            prediction=prediction,
            most=max(1, model["limits"]["rows"]),
            fingerprints=tried["fingerprints"],
            created=time.time(),
            **own,
        )
        job = Job(self.folder / name, stated)
        with self._room(len(given.lines)):
            await asyncio.to_thread(self._begin, job, given.lines)
        return job

    def _begin(self, job: Job, lines: bytes) -> None:
        try:
            job.folder.mkdir(mode=0o700)
            write(job.folder / "rows.jsonl", lines)
            job.state()
            sync(self.folder)
        except OSError:
            Job.remove(job.folder)
            raise

    @contextmanager
    def _room(self, more: int) -> Iterator[None]:
        """Refuse what the disk, or the part of it that jobs may take, cannot hold."""
        message = "There is no room for this job on the disk of the server."
        if self._runner.taken + more > self.limits.disk:
            raise Refused(message, "Fetch results, or try later.", kind="disk")
        try:
            yield
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            raise Refused(message, "Try later.", kind="disk") from error

    async def _said(self, ask: Ask, route: str, request: dict[str, Any]) -> Any:
        """The reply to a question of our own; a problem is raised."""
        body = json.dumps(request).encode()
        said = await self.pool.ask(Ask(ask.model, route, body, sight=ask.sight))
        if said.status != 200:
            raise refused_of(said)
        return json.loads(said.body)

    def of(self, token: str) -> list[Job]:
        """The jobs of a token, the oldest first."""
        own = (job for job in self._jobs.values() if job.stated.token == token)
        return sorted(own, key=lambda job: job.stated.created)

    def find(self, name: str, token: str) -> Job:
        """A job by its id; one of somebody else is as unknown as one that there is not.

        Raises
        ------
        Refused
            There is none.
        """
        job = self._jobs.get(name)
        if job is None or job.stated.token != token:
            raise Refused("There is no such job.", "GET /v1/jobs lists yours.", kind="job")
        return job

    async def end(self, job: Job, state: str = "stopped") -> None:
        """Stop a job that goes on; what is answered is its result."""
        await self._runner.end(job, state)
        while job.asked or job.finishing:
            await asyncio.sleep(0.01)
        await self._runner.finish(job)

    async def delete(self, job: Job, state: str = "deleted") -> None:
        """Delete the rows and the answers of a job; only that it was there is kept."""
        await self.end(job, state)
        await asyncio.to_thread(job.state, state=state, options={}, columns={})
        await asyncio.to_thread(job.forget, result=True)

    def fetch(self, job: Job, gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[bytes]:
        """The Parquet file of a result, which is deleted when all of it was taken."""
        content = self._content(job, gone)
        job.stream = weakref.ref(content)
        return content

    async def _content(self, job: Job, gone: Callable[[], Awaitable[bool]]) -> AsyncIterator[bytes]:
        with (job.folder / "result.parquet").open("rb") as file:
            while chunk := await asyncio.to_thread(file.read, 2**18):
                yield chunk
        if not await gone():
            await self.delete(job, "fetched")

    async def _clean(self) -> None:
        """Delete what nobody has fetched in time."""
        while True:
            limit = time.time() - self.limits.keep_days * 86400
            old = [job for job in self._jobs.values() if job.ended_at < limit and not job.going]
            for job in (job for job in old if not job.fetching):
                await asyncio.to_thread(Job.remove, job.folder)
                del self._jobs[job.stated.id]
            await asyncio.sleep(CLEANING)


def _own(folder: Path) -> int:
    """The lock of a folder, which ends with the process."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return own(folder)
    except OSError as error:
        raise FileError(
            f"The folder of jobs {str(folder)!r} cannot be used: {error.strerror}.",
            "Name a folder that the server may write to.",
        ) from error
    except Owned as error:
        raise FileError(
            f"Another server (process {error}) uses the folder of jobs {str(folder)!r}.",
            "Give each server a folder of its own.",
        ) from error
