"""A model that counts what it is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ifonly.errors import IfonlyError, PredictionError, ServiceError
from ifonly.models.pace import Pace, Watch
from ifonly.models.protocol import Model
from ifonly.models.routes.fastest import Faithful, contradicts
from ifonly.models.routes.lookup import Lookup
from ifonly.models.routes.memo import Memo
from ifonly.models.service import in_parts, patient

GRACE, SHORT = 0.7, 0.2
"""The seconds in which the judge may confirm what was found before an interrupt: until so long
after it, and in any case in calls that are short."""


class Contradiction(IfonlyError):
    """The route to a model does not say what the model says; the search starts again without it."""


class Rejection(Contradiction):
    """The model fails for a row that the route gives scores for; this is about the row alone."""


@dataclass
class Counted:
    """The user's `model`, a `route` to it for the search, and how often they were asked.

    The one mutable thing in a search; each call of `explain` has its own, so threads share none.
    """

    model: Model
    route: Model
    memo: Memo | None = None
    """What the route has said, where asking again costs more than remembering."""
    rows: int = 0
    calls: int = 0
    others: int = 0  # rows that a demand asked other models about
    most_rows: int | None = None
    """No more rows than these are asked about; what is beyond has no scores (NaN)."""
    deadline: float | None = None
    """On the clock of time.monotonic. At most one request ends later."""
    judging: float = 0.0
    """The seconds before it that are kept for choosing and judging."""
    per_row: int | None = None
    """What each row asked may cost by itself: the rows are then searched one by one."""
    pace: Pace = field(default_factory=Pace)
    """How long the model itself takes."""
    route_pace: Pace = field(default_factory=Pace)
    watch: Watch = field(default_factory=Watch)
    reserved: int = 0
    """Rows of the budget that the search leaves to the judge."""
    promised: list[tuple[np.ndarray, np.ndarray | None]] = field(default_factory=list)
    """Codes [n, d] that only the route was asked about, and what they were decided to be [n], if
    the model decides itself. It confirms them when it is asked next."""
    confirmed: np.ndarray | None = None
    """[n, c] what the model itself said of them then."""

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.model.classes

    @property
    def cheap(self) -> bool:
        """Whether the search asks in tables, at next to no cost."""
        return isinstance(self.route, Lookup)

    def scores(self, codes: np.ndarray) -> np.ndarray:
        """[n, c] the scores by the search's route; no rows, no call."""
        if not len(codes):
            return np.empty((0, max(1, len(self.classes))))
        if self.memo is None:
            return self._by_route(codes)
        return self.memo.scores(self._by_route, codes)

    def promise(self, codes: np.ndarray, decided: np.ndarray | None) -> None:
        """Note what was decided by the route alone, so that the user's own model confirms it."""
        self.promised.append((codes, decided))

    def own(
        self,
        codes: np.ndarray,
        *,
        decide: bool = True,
        score: bool = True,
        strict: bool = False,
    ) -> tuple[np.ndarray | None, np.ndarray]:
        """What the user's own model says of codes [n, d]: decisions [n], and scores [n, c].

        Decisions are None where scores decide. Without `score`, scores are asked for only where
        they decide. If the route says otherwise, a `Contradiction` is raised. Codes for which the
        model fails have no score (NaN) and no class (-1), unless `strict` raises its error.
        """
        if score and self.promised:
            return self._own_and_promised(codes, decide=decide)
        decided = None
        if decide and self.classes and len(codes):
            decided = self._asked(self.model.decide, codes, -1, strict=strict)
        scores = np.full((len(codes), max(1, len(self.classes))), np.nan)
        if len(codes) and (score or decided is None):
            scores = self._asked(self.model.scores, codes, scores, strict=strict)
            self._confirm(codes, scores)
        return decided, scores

    @property
    def itself(self) -> Model:
        """The user's own model, counted and within the budget."""
        return _Itself(self)

    def without_route(self) -> Counted:
        """The model asked by itself, with what was counted so far."""
        memo = None if self.memo is None else Memo()
        return replace(self, route=self.model, memo=memo, promised=[], confirmed=None, reserved=0)

    @contextmanager
    def aside(self, model: Model, route: Model) -> Iterator[Counted]:
        """Another model, asked by another route, which adds to what is counted here."""
        other = replace(self, model=model, route=route, memo=None, promised=[])
        try:
            yield other
        finally:
            self.rows, self.calls, self.others = other.rows, other.calls, other.others

    def imagined(self, model: Model, memo: Memo | None = None) -> Counted:
        """A model that costs nothing in place of this one, in the time that the search has left."""
        return Counted(model, model, memo, deadline=self._until(search=True))

    def reserve(self, answers: int) -> None:
        """Keep back what the judge needs for some answers, and to confirm what the route said."""
        self.reserved = 2 * (answers + sum(len(codes) for codes, _ in self.promised))

    @contextmanager
    def keeping_reserve(self) -> Iterator[None]:
        """Leave the judge's rows of the budget alone inside: the model itself is asked for less."""
        before = self.most_rows, self.reserved
        if self.most_rows is not None:
            self.most_rows, self.reserved = self.most_rows - self.reserved, 0
        try:
            yield
        finally:
            self.most_rows, self.reserved = before

    def confirm(self) -> None:
        """Ask the user's own model about what only the route was asked about so far."""
        if self.promised:
            self.own(self.promised[0][0][:0])

    def count(self, rows: int, calls: int = 1) -> None:
        """Note that the model was asked, by whatever way."""
        self.rows += rows
        self.calls += calls
        self.watch.calls += calls

    @property
    def spent(self) -> bool:
        """Whether the budget is used up; strategies look before each round."""
        return self.late or (self.most_rows is not None and self.left <= 0)

    @property
    def late(self) -> bool:
        """Whether the time of the search is over."""
        until = self._until(search=True)
        return until is not None and time.monotonic() >= until

    @property
    def left(self) -> int:
        """How many rows the search may still ask about, where that is limited."""
        assert self.most_rows is not None
        return self.most_rows - self.reserved - self.rows

    @property
    def affordable(self) -> float:
        """About how many rows the search may still ask about, by rows and by time."""
        until, rows = self._until(search=True), self._pace(search=True).rows
        in_time = np.inf if until is None else rows(until - time.monotonic())
        return in_time if self.most_rows is None else min(in_time, self.left)

    def _pace(self, *, search: bool) -> Pace:
        return self.route_pace if search and self.route is not self.model else self.pace

    def _until(self, *, search: bool) -> float | None:
        """When asking ends: for the `search` so early that the judge has time."""
        ends = [] if self.deadline is None else [self.deadline]
        if search and self.reserved and ends:
            ends[0] -= max(self.judging, 2 * self.pace.call + self.pace.row * self.reserved / 2)
        if (ended := self.watch.ended) is not None:
            ends.append(ended if search else max(ended + GRACE, time.monotonic() + SHORT))
        return min(ends, default=None)

    def _own_and_promised(
        self, codes: np.ndarray, *, decide: bool
    ) -> tuple[np.ndarray | None, np.ndarray]:
        """What the model says of codes, after it has confirmed what the route promised."""
        promised, self.promised = self.promised, []
        rows = np.concatenate([one for one, _ in promised])
        decided, scores = self.own(np.concatenate([rows, codes]), decide=decide)
        if np.isnan(scores[: len(rows)]).any():
            raise Rejection("The model fails for a row that a faster route gives scores for.")
        self.confirmed = scores[: len(rows)]
        if decided is None:
            return None, scores[len(rows) :]
        before = [said for _, said in promised if said is not None]
        if before and (decided[: len(rows)] != np.concatenate(before)).any():
            raise Contradiction("A faster route to the model does not decide as it does.")
        return decided[len(rows) :], scores[len(rows) :]

    def _by_route(self, codes: np.ndarray) -> np.ndarray:
        nothing = np.full((len(codes), max(1, len(self.classes))), np.nan)
        return np.asarray(self._asked(self.route.scores, codes, nothing, search=True))

    def _asked(
        self,
        ask: Callable[[np.ndarray], Any],
        codes: np.ndarray,
        nothing: Any,
        *,
        search: bool = False,
        strict: bool = False,
    ) -> Any:
        """What is said of codes [n, d] as far as the budget reaches, and `nothing` beyond.

        The `search` leaves what is reserved to the judge. Codes for which the model fails have
        nothing either, unless `strict` raises its error.
        """
        n = len(codes)
        if self.most_rows is not None:
            reserved = self.reserved if search else 0
            n = min(n, max(0, self.most_rows - reserved - self.rows))
        said = np.array(nothing) if np.ndim(nothing) else np.full(len(codes), nothing)
        until = self._until(search=search)
        for part in self._pace(search=search).parts(n, until):
            some = codes[part]
            self.count(len(some))
            try:
                answer = patient(partial(ask, some), until)
            except PredictionError as error:
                if strict:
                    raise
                if error.scores is not None and len(error.scores) == len(some):
                    known = np.isfinite(error.scores).all(axis=1)
                    said[part] = np.where(known[:, None], error.scores, said[part])
                    continue
                again = partial(self._asked, ask, search=search, strict=True)
                said[part] = in_parts(again, some, said[part])
                continue
            except ServiceError as error:
                if strict:
                    raise
                self.watch.ended, self.watch.lost = time.monotonic(), error
                break
            if answer is None:
                self.count(-len(some), -1)  # it was not asked after all
                return None
            if len(some) == len(codes):
                return np.array(answer)  # a copy: the model may use its array again
            said[part] = answer
        return said

    def _confirm(self, codes: np.ndarray, scores: np.ndarray) -> None:
        if not isinstance(self.route, Faithful | Lookup) or self.most_rows is not None:
            return  # nothing to compare; or asking again would go beyond the budget
        known = np.isfinite(scores).all(axis=1)
        codes, scores = codes[known], scores[known]
        by_route = self.route.scores
        said = by_route(codes) if self.memo is None else self.memo.scores(by_route, codes)
        if contradicts(self.route, said, scores):
            raise Contradiction("A faster route to the model does not give its scores.")


@dataclass(frozen=True)
class _Itself:
    """The model of a `Counted`, asked past the route."""

    counted: Counted

    @property
    def classes(self) -> tuple[Any, ...]:
        return self.counted.classes

    def scores(self, codes: np.ndarray) -> Any:
        """[n, c] NaN beyond the budget."""
        nothing = np.full((len(codes), max(1, len(self.classes))), np.nan)
        return self.counted._asked(self.counted.model.scores, codes, nothing)

    def decide(self, codes: np.ndarray) -> Any:
        """[n] -1 beyond the budget."""
        return self.counted._asked(self.counted.model.decide, codes, -1)
