"""The requests that wait for a worker, and which of them one gets next."""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ifonly.serve.pool.process import Item, Process


@dataclass
class Queue:
    """What waits: for each model and token, what a worker has died of, and parts of jobs.

    Next is the token of which the fewest workers have requests: whoever asks much does not keep
    others waiting behind all of it.
    """

    workers: int
    window: float
    together: int
    waiting: dict[tuple[str, str], deque[Item]] = field(default_factory=lambda: defaultdict(deque))
    behind: dict[str, deque[Item]] = field(default_factory=lambda: defaultdict(deque))
    """Parts of jobs, which others go before."""
    again: deque[Item] = field(default_factory=deque)
    """What a worker has died of, to be asked alone."""
    crowds: dict[str, int] = field(default_factory=dict)
    """The requests of the last batch of each model."""

    def __iter__(self) -> Iterator[Item]:
        for queue in (self.again, *self.waiting.values(), *self.behind.values()):
            yield from queue

    def put(self, item: Item, *, first: bool = False) -> None:
        """Let a request wait, behind the others or before them."""
        model, who = item.ask.model, item.ask.who
        queue = self.behind[model] if item.ask.background else self.waiting[model, who]
        queue = self.again if item.deaths else queue
        item.process = None
        (queue.appendleft if first else queue.append)(item)

    def remove(self, item: Item) -> None:
        """Let a request wait no longer."""
        for queue in (self.again, *self.waiting.values(), *self.behind.values()):
            with suppress(ValueError):
                queue.remove(item)

    def next(self, process: Process, processes: Sequence[Process]) -> tuple[list[Item], float]:
        """What a free worker is to answer next; or nothing, and the seconds until there may be.

        What a worker has died of, and parts of jobs, never have all workers at once.
        """
        careful = sum(one.careful and not one.free for one in processes) < len(processes) - 1
        if careful or self.workers == 1:
            for item in self.again:
                if process.has(item.ask.model):
                    self.again.remove(item)
                    return [item], 0.0
        queues = self.waiting.items()
        waiting = [queue for (name, _), queue in queues if queue and process.has(name)]
        if waiting:
            tokens = [{item.ask.who for item in one.items.values()} for one in processes]
            held = Counter(who for some in tokens for who in some)
            first = min(waiting, key=lambda one: (held[one[0].ask.who], one[0].since))
            return self._batch(first, processes)
        behind = [queue for name, queue in self.behind.items() if queue and process.has(name)]
        if behind and (careful or len(processes) == 1):
            return [min(behind, key=lambda queue: queue[0].since).popleft()], 0.0
        return _unbegun(process, processes), 0.0

    def _batch(self, queue: deque[Item], processes: Sequence[Process]) -> tuple[list[Item], float]:
        """The first requests of a queue, of which each free worker gets its share.

        Where others ask too, a request waits a moment for them.
        """
        model, rows = queue[0].ask.model, sum(item.rows for item in queue)
        wait = queue[0].since + self.window - time.monotonic()
        crowd = len(queue) > 1 or any(one.items for one in processes)
        if wait > 0 and rows < self.together and (crowd or self.crowds.get(model, 1) > 1):
            return [], wait
        free = sum(one.free and one.has(model) for one in processes)
        most = min(self.together, -(-rows // free))
        batch = [queue.popleft()]
        rows = batch[0].rows
        while queue and rows + queue[0].rows <= most:
            rows += queue[0].rows
            batch.append(queue.popleft())
        self.crowds[model] = len(batch)
        return batch, 0.0


def _unbegun(process: Process, processes: Sequence[Process]) -> list[Item]:
    """Half of the requests that another worker has and has not begun, for one without any."""
    for other in processes:
        left = {
            number: item
            for number, item in other.items.items()
            if number not in other.begun and not item.reply.done() and process.has(item.ask.model)
        }
        if left:
            taken = list(left)[len(left) // 2 :]
            other.drop(taken)
            return [other.items.pop(number) for number in taken]
    return []
