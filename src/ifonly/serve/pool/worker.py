"""What runs in a worker: a process of its own that opens the models and answers requests.

One thread listens: a request that nobody waits for any longer ends the search, and so does the end
of the front, however that came. The other one answers.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any

from ifonly.contract import DecisionRecord, Handler, Refused
from ifonly.contract.handler import refused
from ifonly.contract.question import Budget, Question
from ifonly.contract.together import Answered, answer_together, key_of_group
from ifonly.errors import IfonlyError, ModelError
from ifonly.models.pace import Watch
from ifonly.serve.exchange import Ask, Said, Source
from ifonly.serve.pool.wire import packed, read
from ifonly.solve.chunks import ROWS_FOR_A_ROW
from ifonly.solve.watched import new_watch
from ifonly.solve.workers.worker import ONE_THREAD, use_one_thread

SPARE = 0.1
"""The share of the time until a deadline, and the least seconds, that are kept for the reply."""
LONGEST = 1.0
"""The most seconds that are kept for it."""
SURE = 4.0
"""A search that takes so much less than its time needs no budget: it is ended where it is late."""


def work(
    end: socket.socket, sources: Mapping[str, Source], *, key: bytes, keep_rows: bool
) -> None:
    """Open the models, say so, and answer until the front is gone."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the front decides when a worker ends
    os.environ.update(ONE_THREAD)
    handlers: dict[str, Handler] = {}
    opened: dict[str, tuple[str, IfonlyError | None]] = {}
    worker = Worker(end, handlers, key, keep_rows)
    threading.Thread(target=worker.listen, daemon=True).start()
    new_watch.set(worker.search.watch)
    for name, source in sources.items():
        stamp = ""
        try:
            stamp = source.stamp()
            handlers[name] = source.load()
            use_one_thread(handlers[name])
            opened[name] = stamp, None
        except IfonlyError as error:
            opened[name] = stamp, error
        except Exception as error:
            message = f"Opening the model failed with {type(error).__name__}: {error}"
            opened[name] = stamp, ModelError(message)
    worker.tell("ready", opened)
    worker.answer_all()


@dataclass
class Search:
    """The search that runs, for whoever may end it."""

    ended: float | None = None
    running: Watch = field(default_factory=Watch)

    def watch(self) -> Watch:
        """The watch of the next question."""
        self.running = Watch(ended=self.ended)
        return self.running

    def end(self) -> None:
        """Let the search return what it has found."""
        self.ended = self.running.ended = time.monotonic()

    @contextmanager
    def until(self, deadline: float | None) -> Iterator[None]:
        """A search inside ends so early that there is time for the reply."""
        self.ended, self.running = None, Watch()
        if deadline is None:
            yield
            return
        left = deadline - time.monotonic()
        timer = threading.Timer(max(0.0, left - spare(left)), self.end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def spare(left: float) -> float:
    """The seconds of those left that are kept for judging and sending what was found."""
    return min(LONGEST, max(SPARE, SPARE * left))


@dataclass
class Worker:
    """The models of a process, and the batch that it answers."""

    end: socket.socket
    handlers: Mapping[str, Handler]
    key: bytes
    keep_rows: bool
    search: Search = field(default_factory=Search)
    batches: SimpleQueue[dict[int, Ask]] = field(default_factory=SimpleQueue)
    dropped: set[int] = field(default_factory=set)
    """The numbers of the requests that nobody waits for."""
    begun: tuple[int, ...] = ()
    """Those that are answered now."""

    def listen(self) -> None:
        """Take what the front sends, as long as there is one."""
        try:
            with self.end.makefile("rb") as file:
                while True:
                    kind, content = read(file)
                    if kind == "ask":
                        self.batches.put(content)
                    else:
                        self.dropped.update(content)
                        if self.dropped.issuperset(begun := self.begun) and begun:
                            self.search.end()
        finally:
            os._exit(0)

    def tell(self, kind: str, *content: Any) -> None:
        """Send a message to the front."""
        self.end.sendall(packed((kind, *content)))

    def answer_all(self) -> None:
        """Answer batch after batch."""
        while True:
            asks = self.batches.get()
            for group in self._groups(asks):
                self._answer_group(group)
            self.dropped.difference_update(asks)
            self.tell("free")

    def _groups(self, asks: dict[int, Ask]) -> list[dict[int, tuple[Ask, Any]]]:
        """Requests that can be answered as one, each read; what cannot be read is refused."""
        groups: dict[Any, dict[int, tuple[Ask, Any]]] = {}
        for number, ask in asks.items():
            handler = self.handlers[ask.model]
            try:
                with refused():
                    request = limited(handler, ask, handler.read(ask.route, ask.body))
                    key = key_of_group(handler, ask.route, request)
            except Refused as error:
                self._say(number, ask, Answered(error), time.monotonic())
                continue
            groups.setdefault(number if key is None else key, {})[number] = ask, request
        return list(groups.values())

    def _answer_group(self, group: dict[int, tuple[Ask, Any]]) -> None:
        """Answer requests as one; a later deadline than that of the first is used."""
        group = {number: one for number, one in group.items() if number not in self.dropped}
        if not group:
            return
        asks, requests = zip(*group.values(), strict=True)
        first, began = asks[0], time.monotonic()
        deadline = min((one.deadline for one in asks if one.deadline is not None), default=None)
        self.begun = tuple(group)
        self.tell("begun", self.begun)
        with self.search.until(deadline):
            if self.dropped.issuperset(self.begun):
                self.search.end()
            answered = answer_together(self.handlers[first.model], first.route, requests)
        self.begun, again = (), {}
        for (number, (ask, request)), one in zip(group.items(), answered, strict=True):
            ended = one.answers is not None and one.answers.record["interrupted"]
            later = deadline is not None and (ask.deadline is None or ask.deadline > deadline + 0.1)
            if ended and later:
                again[number] = ask, request
            else:
                self._say(number, ask, one, began)
        self._answer_group(again)

    def _say(self, number: int, ask: Ask, answered: Answered, began: float) -> None:
        """Send the reply to one request."""
        reply, answers, records = answered.reply, answered.answers, ()
        if ask.record and answers is not None:
            now, rows = datetime.now(UTC), Handler.read
            records = ()
        facts = {
            "rows": 0 if answers is None else len(answers),
            "statuses": {} if answers is None else dict(Counter(map(str, answers.status))),
            "model_rows": answered.model_rows,
            "together": answered.together,
            "seconds": time.monotonic() - began,
        }
        if isinstance(reply, Refused):
            status, body = reply.problem.status, reply.problem.model_dump_json()
        else:
            status, body = 200, reply.model_dump_json()
        self.tell("said", number, Said(status, body.encode(), records, facts))
