"""How much a model is asked at a time, and how long that takes.

A model may limit a request to so many rows. Under a deadline, requests are besides as large as the
time that is left allows, by what the last ones took: no call ends much later than it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ifonly.errors import ModelError, PredictionError, ServiceError
from ifonly.models.protocol import Model
from ifonly.models.service import patient

FIRST = 64
"""The rows of the first request under a deadline: nothing is known yet."""
GROWTH = 4
"""How many times larger than the last a request may be."""
KEPT = 0.8
"""What a request counts once there is a later one."""
NOTHING = 2e-5
"""The seconds of a request that asks no model."""
TRIES = 3
"""How often a request is made while a model is prepared, before its error counts."""


@dataclass
class Pace:
    """The size of requests; it learns from each of them."""

    largest: int | None = None
    """The most rows of a request."""
    last: int = 0
    """The rows of the last request; 0 before the first."""
    sums: tuple[float, ...] = (0.0,) * 5
    """Of the last requests: their number, rows, seconds, squares of rows, rows times seconds."""
    call: float = 0.0
    """About how many seconds a request takes, however small it is."""
    row: float = 0.0
    """About how many seconds each of its rows adds."""

    def parts(self, n: int, until: float | None = None) -> Iterator[slice]:
        """The parts of n rows to ask about one after the other, while there is time."""
        start = 0
        while start < n:
            began = time.monotonic()
            size = n - start if until is None else min(n - start, self._fitting(until - began))
            size = size if self.largest is None else min(size, self.largest)
            if size < 1:
                return
            try:
                yield slice(start, start + size)
            finally:
                self._learn(size, time.monotonic() - began)
            start += size

    def seconds(self, n: int) -> float:
        """About how long n rows take."""
        return self.row * n + self.call * -(-n // (self.largest or n or 1))

    def rows(self, seconds: float) -> float:
        """About how many rows can be asked about in so many seconds."""
        return np.inf if not self.row else seconds / self.row

    def _fitting(self, seconds: float) -> int:
        """How many rows fit into some seconds; half of them, as nobody knows."""
        if not self.last:
            return FIRST if seconds > 0 else 0
        if seconds <= self.call + self.row:
            return 0
        return int(max(1, min(GROWTH * self.last, self.rows(max(0, seconds / 2 - self.call)))))

    def _learn(self, n: int, seconds: float) -> None:
        """A line through the rows and seconds of the last requests, the latest counting most."""
        if seconds < NOTHING:
            return  # the model was not asked
        self.last, new = n, (1.0, n, seconds, n * n, n * seconds)
        self.sums = tuple(KEPT * old + one for old, one in zip(self.sums, new, strict=True))
        count, rows, took, squares, products = self.sums
        spread = count * squares - rows * rows
        slope = took / rows / 2  # half of it, where all requests are of one size
        if spread > 1e-9 * squares:
            slope = (count * products - rows * took) / spread
        self.row = min(max(0.0, slope), took / rows)
        self.call = max(0.0, (took - self.row * rows) / count)


@dataclass
class Watch:
    """How far a question is, for somebody who watches it and may end it."""

    asked: int = 0
    """Rows asked."""
    done: int = 0
    """Rows with their answers."""
    calls: int = 0
    """Requests to the model, of all rounds."""
    searching: bool = False
    """Whether what is to be prepared is."""
    ended: float | None = None
    """When the search was interrupted, on the clock of time.monotonic."""
    lost: ServiceError | None = None
    """Why, where it was the model's service that broke off."""


class Spent(ModelError):
    """What a budget allows for preparing a model is used up; `said` has what was asked before."""

    said: Any = None


@dataclass
class Meter:
    """How many rows a model was asked about, and where that must end while it is prepared."""

    pace: Pace = field(default_factory=Pace)
    asked: int = 0
    most_rows: int | None = None
    until: float | None = None
    """On the clock of time.monotonic."""
    preparing: bool = False

    @contextmanager
    def limited(self, most_rows: int | None, until: float | None) -> Iterator[None]:
        """Limits hold inside, and a request that fails is made again.

        So a model that fails now and then can be prepared. Questions have limits of their own.
        """
        before = self.most_rows, self.until, self.preparing
        self.most_rows, self.until, self.preparing = most_rows, until, True
        try:
            yield
        finally:
            self.most_rows, self.until, self.preparing = before

    @property
    def left(self) -> float:
        """How many rows may still be asked about."""
        return np.inf if self.most_rows is None else self.most_rows - self.asked

    def ask(self, answer: Callable[[np.ndarray], Any], codes: np.ndarray) -> Any:
        """What is said of codes [n, d], in requests that are not too large.

        Where the limits do not reach for all of them, `Spent` is raised.
        """
        if not len(codes):
            return answer(codes)
        if len(codes) > self.left:
            raise Spent("The budget has no model rows left to prepare with.")
        said, done = [], 0
        for part in self.pace.parts(len(codes), self.until):
            said.append(self._answered(answer, codes[part]))
            done = part.stop
            if said[0] is None:  # it was not asked after all
                self.asked -= done
                return None
        whole = said[0] if len(said) == 1 else np.concatenate(said) if said else None
        if done == len(codes):
            return whole
        spent = Spent("The budget has no time left to prepare with.")
        spent.said = whole
        raise spent

    def _answered(self, answer: Callable[[np.ndarray], Any], codes: np.ndarray) -> Any:
        """What is said of codes [n, d] in one request, or in a few where it fails."""
        for tries in range(1, TRIES + 1):
            self.asked += len(codes)
            try:
                return (
                    patient(partial(answer, codes), self.until) if self.preparing else answer(codes)
                )
            except PredictionError:
                if not self.preparing or tries == TRIES or len(codes) > self.left:
                    raise
        raise AssertionError("the last try returns or raises")


@dataclass(frozen=True)
class Metered:
    """A model that a meter counts."""

    model: Model
    meter: Meter

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.model.classes

    def scores(self, codes: np.ndarray) -> Any:
        """[n, c]"""
        return self.meter.ask(self.model.scores, codes)

    def decide(self, codes: np.ndarray) -> Any:
        """[n] None where the scores decide."""
        return self.meter.ask(self.model.decide, codes)
