"""The worker processes: as many as there are to be, each with the models as the files have them."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ifonly.errors import IfonlyError, ModelError
from ifonly.serve.exchange import Source
from ifonly.serve.pool.process import Process, killed
from ifonly.serve.pool.wire import receive

log = logging.getLogger(__name__)

PAUSES = 0.05, 5.0
"""The seconds before a worker is started again, the first time and the most."""
ATTEMPTS = 3
"""How often a worker may end before it is ready, where it must be ready."""


@dataclass(eq=False)
class Staff:
    """Processes that are replaced when they die, and when a model's files change."""

    sources: Mapping[str, Source]
    workers: int
    every: float
    options: Mapping[str, Any]
    """What a worker is started with."""
    heard: Callable[[Process, str, Any], None]
    """Called with what a worker says."""
    lost: Callable[[Process, int], None]
    """Called with a worker that has died, and what that counts."""
    changed: Callable[[], None]
    """Called when there is another worker."""
    processes: list[Process] = field(default_factory=list)
    failing: dict[str, str] = field(default_factory=dict)
    """Why models cannot be opened, as their files are now."""
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    async def start(self) -> None:
        """Start the processes; raises the error of a model that cannot be opened."""
        hiring = [self._hire(ATTEMPTS) for _ in range(self.workers)]
        hired = await asyncio.gather(*hiring, return_exceptions=True)
        ready = [one for one in hired if isinstance(one, Process)]
        errors = [one for one in hired if isinstance(one, BaseException)]
        errors += [error for one in ready for _, error in one.opened.values() if error is not None]
        if errors:  # whoever starts the service says it, once
            await asyncio.gather(*map(Process.end, ready))
            raise errors[0]
        for one in ready:
            self._take_on(one)
        self._run(self._renew_all())

    async def end(self) -> None:
        """End the processes."""
        for task in self.tasks:
            task.cancel()
        ending = map(Process.end, self.processes)
        await asyncio.gather(*self.tasks, *ending, return_exceptions=True)
        self.processes.clear()

    def has(self, model: str) -> bool:
        """Whether a process can answer for a model."""
        return any(one.has(model) for one in self.processes)

    async def _hire(self, attempts: float = math.inf) -> Process:
        """A new process that is ready."""
        pause, most = PAUSES
        while True:
            try:
                return await Process.start(self.sources, **self.options)
            except (EOFError, OSError) as error:
                attempts -= 1
                if attempts < 1:
                    hint = "Look at what it wrote, and whether there is enough memory."
                    raise ModelError("A worker ends while it opens the models.", hint) from error
            log.warning("A worker has ended before it was ready; another one is started.")
            await asyncio.sleep(pause)
            pause = min(2 * pause, most)

    def _take_on(self, process: Process) -> None:
        """Let a process answer."""
        self._note(process)
        self.processes.append(process)
        self._run(self._follow(process))
        self.changed()

    def _note(self, process: Process) -> None:
        """Note which models a new process cannot open."""
        self.failing = {
            name: error.message for name, (_, error) in process.opened.items() if error is not None
        }
        for name, message in self.failing.items():
            log.error("The model %s cannot be opened: %s", name, message)

    def _run(self, coroutine: Any) -> None:
        """Run something until it ends, or the pool is stopped."""
        task = asyncio.ensure_future(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _follow(self, process: Process) -> None:
        """Take what a worker says; when it has died, another one takes its place."""
        with suppress(EOFError, OSError):
            while process.items or not process.leaving:
                kind, *content = await receive(process.stream)
                self.heard(process, kind, content)
        self.processes.remove(process)
        code = await process.end()
        if process.items or not process.leaving:
            log.warning("A worker has died (exit code %s).", code)
        self.lost(process, 1 if killed(code) else 2)
        if not process.leaving:
            self._take_on(await self._hire())

    async def _renew_all(self) -> None:
        """Replace the workers one by one whenever the files of a model have changed."""
        tried: dict[str, str] = {}
        while True:
            await asyncio.sleep(self.every)
            stamps = await asyncio.to_thread(self._stamps)
            for process in list(self.processes):
                own = {name: stamp for name, (stamp, _) in process.opened.items()}
                new = {name: stamp for name, stamp in stamps.items() if own[name] != stamp}
                if not process.leaving and new.items() - tried.items():
                    tried |= {} if await self._renew(process) else new

    def _stamps(self) -> dict[str, str]:
        """The stamps of the models; a file that is not there may be on its way."""
        stamps = {}
        for name, source in self.sources.items():
            with suppress(IfonlyError, OSError):
                stamps[name] = source.stamp()
        return stamps

    async def _renew(self, process: Process) -> bool:
        """Put a new worker in the place of one, which answers until then.

        It stays, and False is returned, where the new one cannot open a model that it has.
        """
        try:
            new = await self._hire(ATTEMPTS)
        except ModelError as error:
            log.error("The models have changed, and cannot be opened: %s", error.message)
            return False
        self._note(new)
        if process not in self.processes or any(map(process.has, self.failing)):
            await new.end()
            return process not in self.processes
        log.info("A worker has opened the models again.")
        if process.free:
            process.writer.close()
        process.leaving, process.free = True, False
        self._take_on(new)
        return True
