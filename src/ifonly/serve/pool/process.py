"""A worker as the front sees it: a process, a socket to it, and the requests that it has.

Processes are forked off a server that has imported what they need, and nothing else: a new one is
there in a moment, and no thread of the front is copied.
"""

from __future__ import annotations

import asyncio
import atexit
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ifonly.serve.exchange import Ask, Said, Source
from ifonly.serve.pool.wire import packed, receive
from ifonly.serve.pool.worker import Opened, work
from ifonly.solve.workers.worker import ONE_THREAD, environment_kept

IMPORTED = [
    "__main__",
    "ifonly.serve.pool.worker",
    "ifonly.serve.open",
    "sklearn.ensemble",
    "sklearn.pipeline",
]
"""What the server of processes has imported, as far as it is there."""
ENDING = 1.0
"""The seconds in which a process that is to end may do so itself."""
_starting = threading.Lock()
"""Held while the environment is that of a worker."""


@dataclass(eq=False)
class Item:
    """A request on its way."""

    ask: Ask
    reply: asyncio.Future[Said]
    rows: int
    """About how many it has: never fewer."""
    since: float
    """When it came."""
    deaths: int = 0
    """What the deaths of workers that had begun to answer it count."""
    process: Process | None = None
    """The one that has it."""


@dataclass(eq=False)
class Process:
    """A worker process that is ready."""

    process: Any
    stream: asyncio.StreamReader
    writer: asyncio.StreamWriter
    opened: Mapping[str, Opened]
    """Its models."""
    items: dict[int, Item] = field(default_factory=dict)
    """The requests that it has, by the numbers that it knows them by."""
    free: bool = True
    """Whether it can get requests."""
    begun: set[int] = field(default_factory=set)
    """Those that it answers now; all that it has, before it says which."""
    given: int = 0
    """How many requests it has got so far."""
    leaving: bool = False
    """Whether another one has taken its place, and it ends after this batch."""

    @classmethod
    async def start(cls, sources: Mapping[str, Source], **options: Any) -> Process:
        """A process that has opened the models; raises EOFError or OSError where it ended."""
        here, there = socket.socketpair()
        ours: Any = here
        process = _context().Process(
            target=work, args=(there, sources), kwargs=options, daemon=True, name="ifonly-worker"
        )
        try:
            await asyncio.to_thread(_start, process, there)
            stream, ours = await asyncio.open_connection(sock=here)
            _, opened = await receive(stream)
        except BaseException:
            ours.close()  # whereupon it ends
            if process.pid is not None:
                process.kill()
            raise
        atexit.register(process.kill)
        return cls(process, stream, ours, opened)

    def has(self, model: str) -> bool:
        """Whether it can answer for a model."""
        return model in self.opened and self.opened[model][1] is None

    @property
    def careful(self) -> bool:
        """Whether it has what a worker has died of, or a part of a job."""
        return any(item.deaths or item.ask.background for item in self.items.values())

    def give(self, items: Sequence[Item]) -> None:
        """Send it requests, which it answers in this order."""
        numbers = range(self.given, self.given + len(items))
        self.items = dict(zip(numbers, items, strict=True))
        self.given, self.begun, self.free = numbers.stop, set(numbers), False
        for item in items:
            item.process = self
        self._send("ask", {number: item.ask for number, item in self.items.items()})

    def drop(self, numbers: Sequence[int]) -> None:
        """Say that nobody waits for some requests any longer."""
        self._send("drop", numbers)

    def _send(self, *message: Any) -> None:
        if not self.writer.is_closing():
            self.writer.write(packed(message))

    async def end(self) -> int | None:
        """Let it end, or end it; its exit code."""
        self.free = False
        self.writer.close()
        await asyncio.to_thread(self.process.join, ENDING)
        if self.process.is_alive():
            self.process.kill()
            await asyncio.to_thread(self.process.join, ENDING)
        atexit.unregister(self.process.kill)
        code: int | None = self.process.exitcode
        return code


def _context() -> Any:
    """How processes are started."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    return context


def _start(process: Any, end: socket.socket) -> None:
    """Start a process, which gets its end of a socket."""
    with end, _starting, _one_thread():
        process.start()


@contextmanager
def _one_thread() -> Iterator[None]:
    """What is started inside uses one thread for its numbers."""
    with environment_kept(ONE_THREAD):
        os.environ.update(ONE_THREAD)
        yield


def killed(code: int | None) -> bool:
    """Whether somebody has ended a process from outside: the system may, where memory is short."""
    return code is None or code == -signal.SIGKILL
