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
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ifonly.contract import Refused
from ifonly.errors import nearest
from ifonly.serve.exchange import Ask, Said, Source
from ifonly.serve.pool.process import Item, Process
from ifonly.serve.pool.queue import Queue
from ifonly.serve.pool.staff import Staff

log = logging.getLogger(__name__)

LARGE = 64
"""A request with more rows lets others go first and never has all workers: as a part of a job."""
DEATHS = 4
"""A request is not asked again once the deaths of its workers count so much: four by a signal from
outside, two of another kind."""


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
        self.patience = patience
        options = {"key": key, "keep_rows": keep_rows}
        calls = self._heard, self._lost, self._dispatch
        self._staff = Staff(dict(sources), workers, every, options, *calls)
        self._queue = Queue(workers, window, together)
        self._asked: set[Item] = set()
        self._closing = False

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models; the first is the default."""
        return tuple(self._staff.sources)

    @property
    def failing(self) -> Mapping[str, str]:
        """Why models cannot be opened as their files are now; a former state may answer."""
        return self._staff.failing

    @property
    def queued(self) -> int:
        """How many requests wait for a worker."""
        return sum(1 for _ in self._queue)

    def ready(self, model: str) -> bool:
        """Whether requests about a model are answered."""
        return not self._closing and self._staff.has(model)

    async def start(self) -> None:
        """Start the workers, each with all models.

        Raises
        ------
        IfonlyError
            A model cannot be opened.
        """
        try:
            await self._staff.start()
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
        if ask.model not in self.models:
            message = f"There is no model {ask.model!r:.60}."
            return _problem(message, nearest(ask.model, self.models), kind="route")
        loop, now, left = asyncio.get_running_loop(), time.monotonic(), None
        rows = max(1, ask.body.count(b"{") - 1) if ask.form in ("contract", "kserve") else math.inf
        ask = replace(ask, background=ask.background or rows > LARGE)
        item = Item(ask, loop.create_future(), int(min(rows, self._queue.together)), now)
        if ask.deadline is not None:
            left = ask.deadline - now
            expiry = loop.call_later(left, self._expire, item)
        self._asked.add(item)
        self._queue.put(item)
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
        await self._staff.end()

    def _expire(self, item: Item) -> None:
        """A request whose deadline passes while it waits is not searched."""
        if item.process is None:
            self._queue.remove(item)
            hint = "Ask again later, or allow more time."
            _reply(item, _problem("The time was over before a worker was free.", hint))

    def _leave(self, item: Item) -> None:
        """Nobody waits for a request any longer."""
        process = item.process
        if process is None:
            self._queue.remove(item)
            return
        numbers = [number for number, one in process.items.items() if one is item]
        if numbers:
            process.drop(numbers)
            later = asyncio.get_running_loop().call_later
            later(self.patience, self._give_up, process, process.given)

    def _give_up(self, process: Process, given: int) -> None:
        """End a worker that nobody waits for, and that does not stop."""
        begun = [process.items[number] for number in process.begun & process.items.keys()]
        if process.given == given and begun and all(item.reply.done() for item in begun):
            log.warning("A worker that did not stop is ended.")
            process.process.kill()

    def _dispatch(self) -> None:
        """Give what waits to workers that are free."""
        for process in self._staff.processes:
            if process.free:
                items, wait = self._queue.next(process, self._staff.processes)
                if items:
                    process.give(items)
                elif wait:
                    asyncio.get_running_loop().call_later(wait, self._dispatch)
        for name in self.failing.keys() & {item.ask.model for item in self._queue}:
            if not self._staff.has(name):
                text = f"The model cannot be opened: {self.failing[name]}"
                for item in [one for one in self._queue if one.ask.model == name]:
                    self._queue.remove(item)
                    _reply(item, _problem(text, "Ask again later."))

    def _heard(self, process: Process, kind: str, content: Any) -> None:
        """Take what a worker says."""
        if kind == "begun":
            process.begun = set(content[0])
        elif kind == "said" and content[0] in process.items:
            _reply(process.items.pop(content[0]), content[1])
        elif kind == "free":
            process.items, process.free = {}, not process.leaving
            self._dispatch()

    def _lost(self, process: Process, deaths: int) -> None:
        """Queue what a worker had when it died."""
        for number, item in reversed(process.items.items()):
            item.deaths += deaths if number in process.begun else 0
            if item.deaths >= DEATHS:
                text = "The process that answers this request ends, whenever it is asked."
                _reply(item, _problem(text, kind="internal"))
            elif not item.reply.done():
                self._queue.put(item, first=True)
        self._dispatch()


def _reply(item: Item, said: Said) -> None:
    if not item.reply.done():
        item.reply.set_result(said)


def _problem(message: str, hint: str = "", *, kind: str = "busy") -> Said:
    problem = Refused(message, hint, kind=kind).problem
    return Said(problem.status, problem.model_dump_json().encode())
