"""Worker processes that answer requests, and the queue before them.

Requests wait in the front. A worker that becomes free takes all that waits for one model, up to a
limit, and answers it as one batch where the options are equal. What a worker had when it died is
asked again, alone if it had begun: no request is lost, and a request that ends its workers harms no
other for long.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import defaultdict, deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ifonly.contract import Refused
from ifonly.errors import ModelError
from ifonly.serve.exchange import Ask, Said, Source
from ifonly.serve.pool.process import Item, Process, killed
from ifonly.serve.pool.wire import receive

log = logging.getLogger(__name__)

DEATHS = 4
"""A request is not asked again once the deaths of its workers count so much: four by a signal from
outside, two of another kind."""
PAUSES = 0.05, 5.0
"""The seconds before a worker is started again, the first time and the most."""
ATTEMPTS = 3
"""How often a worker may end before it is ready, when the pool starts."""


class Pool:
    """Worker processes that answer requests about models.

    Parameters
    ----------
    sources
        Where the models come from, by name.
    workers
        How many processes answer.
    window
        The seconds that a request waits for others to be answered with, if there are others.
    together
        The most rows of requests that are answered together.
    key
        The secret of the keyed hash of rows in records.
    keep_rows
        Whether records hold the rows.
    every
        The seconds between two looks at whether a model has changed.
    patience
        The seconds beyond its deadline after which a request that is still not answered gets a
        problem, and after which a worker that answers nobody is ended.

    Examples
    --------
    ``pool = Pool({"loans": ModelFile(...)}, workers=2, key=secret, keep_rows=False)``, then
    ``await pool.start()`` and ``said = await pool.ask(Ask("loans", "explain", body))``.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        *,
        workers: int,
        window: float = 0.003,
        together: int = 64,
        key: bytes,
        keep_rows: bool,
        every: float = 1.0,
        patience: float = 5.0,
    ) -> None:
        self.sources = dict(sources)
        self.workers, self.window, self.together = workers, window, together
        self.every, self.patience = every, patience
        self.failing: dict[str, str] = {}
        """Why a model whose files have changed is not opened again, by name."""
        self._options: dict[str, Any] = {"key": key, "keep_rows": keep_rows}
        self._processes: list[Process] = []
        self._waiting: dict[str, deque[Item]] = defaultdict(deque)
        self._behind: dict[str, deque[Item]] = defaultdict(deque)
        self._again: deque[Item] = deque()
        self._asked: set[Item] = set()
        self._crowds: dict[str, int] = defaultdict(lambda: 1)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models; the first is the default."""
        return tuple(self.sources)

    @property
    def queued(self) -> int:
        """How many requests wait for a worker."""
        return sum(item.process is None for item in self._asked)

    def ready(self, model: str) -> bool:
        """Whether requests about a model are answered."""
        return not self._closing and any(one.has(model) for one in self._processes)

    async def start(self) -> None:
        """Start the workers, each with all models.

        Raises
        ------
        IfonlyError
            A model cannot be opened.
        """
        try:
            started = [self._hire(ATTEMPTS) for _ in range(self.workers)]
            for process in await asyncio.gather(*started):
                self._take_on(process)
                for _, error in process.opened.values():
                    if error is not None:
                        raise error
        except BaseException:
            await self.stop(0.0)
            raise

    async def ask(self, ask: Ask) -> Said:
        """The reply to a request; if the task is cancelled, its search ends.

        Parameters
        ----------
        ask
            The request, about one of the models.

        Returns
        -------
        Said
        """
        if self._closing:
            return _problem("The server is stopping.", "Ask another one, or later.")
        loop, now, left = asyncio.get_running_loop(), time.monotonic(), None
        rows = max(1, ask.body.count(b"{") - 1) if ask.form in ("contract", "kserve") else math.inf
        item = Item(ask, loop.create_future(), int(min(rows, self.together)), now)
        if ask.deadline is not None:
            left = ask.deadline - now
            expiry = loop.call_later(left, self._expire, item)
        self._asked.add(item)
        self._queue(item)
        self._dispatch()
        try:
            async with asyncio.timeout(None if left is None else left + self.patience):
                return await item.reply
        except TimeoutError:
            hint = "Ask for fewer rows, or allow more time."
            return _problem("The model did not answer in time.", hint, kind="timeout")
        finally:
            self._asked.discard(item)
            if left is not None:
                expiry.cancel()
            if item.reply.cancelled():
                self._leave(item)

    async def stop(self, grace: float) -> None:
        """Take no more requests, answer those that were taken, and end the workers.

        Parameters
        ----------
        grace
            The seconds that requests may still take; then they get a problem.
        """
        self._closing = True
        replies = [item.reply for item in self._asked]
        if replies:
            await asyncio.wait(replies, timeout=grace)
        for item in self._asked:
            _reply(item, _problem("The server is stopping.", "Ask another one, or later."))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(
            *self._tasks, *map(Process.end, self._processes), return_exceptions=True
        )
        self._processes.clear()

    # -- the queue

    def _queue(self, item: Item, *, first: bool = False) -> None:
        """Let a request wait for a worker."""
        item.process = None
        queues = self._behind if item.ask.background else self._waiting
        queue = self._again if item.deaths else queues[item.ask.model]
        (queue.appendleft if first else queue.append)(item)

    def _expire(self, item: Item) -> None:
        """A request whose deadline passes while it waits is not searched."""
        if item.process is None and not item.reply.done():
            self._leave(item)
            hint = "Ask again later, or allow more time."
            _reply(item, _problem("The time was over before a worker was free.", hint))

    def _leave(self, item: Item) -> None:
        """Nobody waits for a request any longer."""
        process = item.process
        if process is None:
            for queue in (*self._waiting.values(), *self._behind.values(), self._again):
                with suppress(ValueError):
                    queue.remove(item)
        elif item.number in process.items:
            process.drop([item.number])
            loop = asyncio.get_running_loop()
            loop.call_later(self.patience, self._give_up, process, process.batch)

    def _give_up(self, process: Process, batch: int) -> None:
        """End a worker that nobody waits for, and that does not stop."""
        begun = [process.items[number] for number in process.begun & process.items.keys()]
        if process.batch == batch and begun and all(item.reply.done() for item in begun):
            log.warning("A worker that did not stop is ended.")
            process.process.kill()

    def _dispatch(self) -> None:
        """Give what waits to workers that are free."""
        for process in self._processes:
            if process.free:
                items, rest = self._next(process)
                if items:
                    process.give(items, rest=rest)
        for model in {item.ask.model for item in self._asked if item.process is None}:
            if not any(one.has(model) for one in self._processes) and model in self.failing:
                for item in [*self._waiting.pop(model, ()), *self._behind.pop(model, ())]:
                    text = f"The model cannot be opened: {self.failing[model]}"
                    _reply(item, _problem(text, "Ask again later."))

    def _next(self, process: Process) -> tuple[list[Item], bool]:
        """What a free worker is to answer next, and whether others come before it.

        A request that a worker has died of, and a part of a job, never have all workers at once.
        """
        count, busy = (
            len(self._processes),
            sum(one.rest and not one.free for one in self._processes),
        )
        if busy < count - 1 or self.workers == 1:
            for item in self._again:
                if process.has(item.ask.model):
                    self._again.remove(item)
                    return [item], True
        waiting = [queue for name, queue in self._waiting.items() if queue and process.has(name)]
        if waiting:
            return self._batch(min(waiting, key=lambda queue: queue[0].since)), False
        behind = [queue for name, queue in self._behind.items() if queue and process.has(name)]
        if behind and (busy < count - 1 or count == 1):
            return [min(behind, key=lambda queue: queue[0].since).popleft()], True
        return [], False

    def _batch(self, queue: deque[Item]) -> list[Item]:
        """The first requests of a queue; none, where more are waited for.

        Somebody who asks alone is answered at once.
        """
        model, wait = queue[0].ask.model, queue[0].since + self.window - time.monotonic()
        rows = sum(item.rows for item in queue)
        if wait > 0 and rows < self.together and (len(self._asked) > 1 or self._crowds[model] > 1):
            asyncio.get_running_loop().call_later(wait, self._dispatch)
            return []
        free = sum(one.free and one.has(model) for one in self._processes)
        most = min(self.together, -(-rows // free))
        batch = [queue.popleft()]
        rows = batch[0].rows
        while queue and rows + queue[0].rows <= most:
            rows += queue[0].rows
            batch.append(queue.popleft())
        self._crowds[model] = len(batch)
        return batch

    # -- the processes

    async def _hire(self, attempts: float = math.inf) -> Process:
        """A new process that is ready."""
        pause, most = PAUSES
        while True:
            try:
                return await Process.start(self.sources, **self._options)
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
        self._processes.append(process)
        self._run(self._follow(process))
        self._dispatch()

    def _run(self, coroutine: Any) -> None:
        """Run something until it ends, or the pool is stopped."""
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, process: Process) -> None:
        """Take what a worker says; when it has died, another one takes its place."""
        with suppress(EOFError, OSError):
            while True:
                kind, *content = await receive(process.stream)
                if kind == "begun":
                    process.begun = set(content[0])
                elif kind == "said":
                    item = process.items.pop(content[0], None)
                    if item is not None:
                        _reply(item, content[1])
                else:
                    process.items, process.free = {}, True
                    self._dispatch()
        self._processes.remove(process)
        code = await process.end()
        log.warning("A worker has died (exit code %s); another one is started.", code)
        self._ask_again(process, 1 if killed(code) else 2)
        self._take_on(await self._hire())

    def _ask_again(self, process: Process, deaths: int) -> None:
        """Queue what a worker had when it died."""
        for number, item in reversed(process.items.items()):
            item.deaths += deaths if number in process.begun else 0
            if item.deaths >= DEATHS:
                text = "The process that answers this request ends, whenever it is asked."
                _reply(item, _problem(text, kind="internal"))
            elif not item.reply.done():
                self._queue(item, first=True)
        self._dispatch()


def _reply(item: Item, said: Said) -> None:
    if not item.reply.done():
        item.reply.set_result(said)


def _problem(message: str, hint: str = "", *, kind: str = "busy") -> Said:
    problem = Refused(message, hint, kind=kind).problem
    return Said(problem.status, problem.model_dump_json().encode())
