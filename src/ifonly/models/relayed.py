"""Blocks of rows that several threads finish while the thread that began them asks the model.

NumPy lets other threads work during its loops. A user's model is never asked by another thread than
the one that called: many are not made for that, and settings such as scikit-learn's belong to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from threading import Thread, current_thread
from typing import Any, TypeVar

import numpy as np

from ifonly.models.counted import Counted

BLOCK = 16384
"""The rows of a block: a device searches more at a time, a processor's cache holds no more."""
MOST = 8
"""The most threads: more wait for each other."""
T = TypeVar("T")


@dataclass
class Relayed(Counted):
    """A model that is asked by the thread `home`; others leave their questions in `asked`."""

    home: Thread = field(default_factory=current_thread)
    asked: SimpleQueue[Any] = field(default_factory=SimpleQueue)

    def scores(self, codes: np.ndarray) -> np.ndarray:
        return self._relay(partial(super().scores, codes))

    def own(self, codes: np.ndarray, **options: Any) -> tuple[np.ndarray | None, np.ndarray]:
        return self._relay(partial(super().own, codes, **options))

    def _relay(self, ask: Callable[[], T]) -> T:
        if current_thread() is self.home:
            return ask()
        answer: Future[T] = Future()
        self.asked.put((answer, ask))
        return answer.result()

    def serve(self, left: int) -> None:
        """Ask what others want to know until `left` of them have left a None: they are done."""
        broken: BaseException | None = None
        while left:
            answer: Future[Any] = Future()
            try:
                if (question := self.asked.get()) is None:
                    left -= 1
                    continue
                answer, ask = question
                if broken is not None:
                    raise broken
                answer.set_result(ask())
            except Exception as error:
                answer.set_exception(error)
            except BaseException as error:  # Ctrl-C: nobody may wait for an answer for ever
                answer.set_exception(error)
                broken = error
        if broken is not None:
            raise broken


def blocks_of(n: int) -> list[np.ndarray]:
    """The positions of n rows, in blocks."""
    return np.array_split(np.arange(n), -(-n // BLOCK) or 1)


def in_threads(
    model: Counted, finish: Callable[[Counted, np.ndarray], T], blocks: Sequence[np.ndarray]
) -> list[T]:
    """What `finish` returns for each block of rows, given a model that it may ask."""
    if len(blocks) == 1:
        return [finish(model, blocks[0])]
    shared = Relayed(**vars(model))
    with ThreadPoolExecutor(min(MOST, os.cpu_count() or 1)) as pool:
        parts = [pool.submit(finish, shared, rows) for rows in blocks]
        for part in parts:
            part.add_done_callback(lambda _: shared.asked.put(None))
        shared.serve(len(parts))
    vars(model).update({name: getattr(shared, name) for name in vars(model)})
    return [part.result() for part in parts]
