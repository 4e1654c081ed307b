"""What runs in a worker: a process of its own that opens the models and answers requests.

One thread listens: a request that nobody waits for any longer ends the search, and so does the end
of the front, however that came. The other one answers.
"""

from __future__ import annotations

import gc
import json
import math
import os
import pickle
import signal
import socket
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeAlias

from ifonly.answers import Answers
from ifonly.answers.reasons.reason import Reasons
from ifonly.contract import DecisionRecord, Handler, Refused, Reply
from ifonly.contract.handler import refused
from ifonly.contract.question import Budget, Question
from ifonly.contract.together import Answered, answer_together, key_of_group
from ifonly.errors import IfonlyError, ModelError
from ifonly.models.adapters.table import TableModel
from ifonly.models.pace import Watch
from ifonly.serve.exchange import SCHEMAS, Ask, Said, Source
from ifonly.serve.forms import reply_of, request_of
from ifonly.serve.pool.wire import packed, read
from ifonly.serve.sight import shown_rows
from ifonly.solve.chunks import ROWS_FOR_A_ROW
from ifonly.solve.watched import new_watch
from ifonly.solve.workers.worker import ONE_THREAD, use_one_thread

SPARE = 0.1
"""The share of the time until a deadline, and the least seconds, that are kept for the reply."""
LONGEST = 1.0
"""The most seconds that are kept for it."""
SURE = 2.0
"""A search that takes so much less than its time needs no budget: it is ended where it is late."""

Opened: TypeAlias = tuple[str, IfonlyError | None]
"""The stamp of a model, and why it could not be opened."""


def work(end: socket.socket, sources: Mapping[str, Source], *, key: bytes, keep_rows: bool) -> None:
    """Open the models, say so, and answer until the front is gone."""
    gc.freeze()  # what the server of processes has imported stays
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the front decides when a worker ends
    os.environ.update(ONE_THREAD)
    handlers: dict[str, Handler] = {}
    opened: dict[str, Opened] = {}
    worker = Worker(end, handlers, key, keep_rows)
    threading.Thread(target=worker.listen, daemon=True).start()
    for name, source in sources.items():
        opened[name] = "", None
        try:
            opened[name] = source.stamp(), None
            handlers[name] = use_one_thread(source.load())
        except IfonlyError as error:
            opened[name] = opened[name][0], sendable(error)
        except Exception as error:
            message = f"Opening the model failed with {type(error).__name__}: {error}"
            opened[name] = opened[name][0], ModelError(message)
    gc.freeze()
    worker.tell("ready", opened)
    worker.answer_all()


@dataclass
class Search:
    """The search for some requests, for whoever may end it."""

    numbers: frozenset[int] = frozenset()
    """The requests."""
    ended: float | None = None
    running: Watch = field(default_factory=Watch)

    def watch(self) -> Watch:
        """The watch of the next question."""
        self.running = Watch()
        if self.ended is not None:  # or `end` finds the new watch
            self.running.ended = self.ended
        return self.running

    def end(self) -> None:
        """Let the search return what it has found."""
        self.ended = self.running.ended = time.monotonic()

    @contextmanager
    def until(self, deadline: float | None) -> Iterator[None]:
        """Searches inside are this one, and end so early that there is time for the reply."""
        left = math.inf if deadline is None else deadline - time.monotonic()
        timer = threading.Timer(max(0.0, left - spare(left)), self.end)
        timer.daemon = True
        token = new_watch.set(self.watch)
        try:
            if deadline is not None:
                timer.start()
            yield
        finally:
            timer.cancel()
            new_watch.reset(token)


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
                        search = self.search
                        if search.numbers <= self.dropped:
                            search.end()
        finally:
            os._exit(0)

    def tell(self, kind: str, *content: Any) -> None:
        """Send a message to the front; without one, the process ends."""
        try:
            self.end.sendall(packed((kind, *content)))
        except OSError:
            os._exit(0)

    def answer_all(self) -> None:
        """Answer batch after batch."""
        while True:
            asks = self.batches.get()
            self.dropped.intersection_update(asks)  # another worker may have had the others
            for group in self._groups(asks):
                self._answer_group(group)
            self.tell("free")

    def _groups(self, asks: dict[int, Ask]) -> list[dict[int, tuple[Ask, Any]]]:
        """Requests that can be answered as one, each read; what cannot be read is refused."""
        groups: dict[Any, dict[int, tuple[Ask, Any]]] = {}
        for number, ask in asks.items():
            handler, key = self.handlers[ask.model], None
            try:
                with refused():
                    request = None
                    if ask.route != SCHEMAS:
                        request = handler.read(ask.route, request_of(ask, handler.limits))
                        request = limited(handler, request, ask.deadline)
                        key = key_of_group(handler, ask.route, request)
            except Refused as error:
                self._say(number, ask, Answered(error))
                continue
            groups.setdefault(number if key is None else key, {})[number] = ask, request
        return list(groups.values())

    def _answer_group(self, group: dict[int, tuple[Ask, Any]]) -> None:
        """Answer requests as one; whoever has more time than the first is asked again."""
        group = {number: one for number, one in group.items() if number not in self.dropped}
        if not group:
            return
        asks, requests = zip(*group.values(), strict=True)
        handler, began = self.handlers[asks[0].model], time.monotonic()
        deadline = min((one.deadline for one in asks if one.deadline is not None), default=None)
        self.search = search = Search(frozenset(group))
        self.tell("begun", search.numbers)
        with search.until(deadline):
            if search.numbers <= self.dropped:
                search.end()
            if asks[0].route == SCHEMAS:
                answered = [Answered(handler.schemas())]
            else:
                answered = answer_together(handler, asks[0].route, requests)
        again = {}
        for (number, (ask, request)), one in zip(group.items(), answered, strict=True):
            ended = one.answers is not None and one.answers.record["interrupted"]
            if ended and deadline is not None and (ask.deadline or math.inf) > deadline + SPARE:
                again[number] = ask, request
            else:
                self._say(number, ask, one, request, time.monotonic() - began)
        self._answer_group(again)

    def _say(
        self, number: int, ask: Ask, one: Answered, request: Any = None, seconds: float = 0.0
    ) -> None:
        """Send the reply to one request."""
        answers = one.answers
        reply: Any = one.reply
        records: tuple[DecisionRecord, ...] = ()
        try:
            with refused(request):
                if isinstance(reply, Refused):
                    raise reply
                whole = isinstance(reply, Reply)
                status, body = 200, reply_of(ask, reply) if whole else json.dumps(reply).encode()
                records = (
                    self._records(answers, request, one.reasons) if answers and ask.record else ()
                )
        except Refused as error:
            status, body = error.problem.status, error.problem.model_dump_json().encode()
            reply = error
        facts = {
            "rows": shown_rows(request, reply),
            "statuses": {} if answers is None else dict(Counter(map(str, answers.status))),
            "model_rows": one.model_rows,
            "together": one.together,
            "seconds": seconds,
        }
        if status == 500:
            facts["error"] = place_of(reply)
        self.tell("said", number, Said(status, body, records, facts))

    def _records(
        self, answers: Answers, request: Question, reasons: Sequence[Reasons]
    ) -> tuple[DecisionRecord, ...]:
        """A record for each row that was explained, with its reasons where they were asked."""
        rest: Any = {"time": datetime.now(UTC), "key": self.key, "keep": self.keep_rows}
        told: Sequence[Reasons | None] = reasons or [None] * len(answers)
        each = zip(answers, request.rows, told, strict=True)
        return tuple(DecisionRecord.of(own, row, reasons=why, **rest) for own, row, why in each)


def place_of(error: Any) -> str:
    """The kind of the error behind one and where it was raised, for the log: no value of a row."""
    while error.__cause__ is not None:
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def limited(handler: Handler, request: Any, deadline: float | None) -> Any:
    """The request, with the time left as its budget where the search may well take that long.

    A budget lets calls of the model be as large as the time allows, but takes a fifth more time,
    and nobody can derive the answers again.
    """
    model = handler.setting.model
    if deadline is None or not isinstance(request, Question) or not isinstance(model, TableModel):
        return request
    each = getattr(handler.explainer.method.searcher, "model_rows", ROWS_FOR_A_ROW)
    left = deadline - time.monotonic()
    left = max(left - spare(left), SPARE)
    if SURE * model.meter.pace.seconds(each * len(request.rows)) < left:
        return request
    budget = request.budget or Budget()
    seconds = min(left, budget.seconds or left)
    return request.model_copy(update={"budget": budget.model_copy(update={"seconds": seconds})})


def sendable(error: IfonlyError) -> IfonlyError:
    """An error as the front can read it: pickle does not know what some are made of."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return ModelError(error.message, error.hint)
    return error
