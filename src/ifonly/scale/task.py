"""What a worker does with a shard: read its rows, answer them, write one part, say what was done.

A task holds all that this needs and knows no engine. It travels to workers whole, once.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ifonly.answers import Answers
from ifonly.errors import IfonlyError, ModelError, PredictionError
from ifonly.explainer import Explainer
from ifonly.scale.fingerprint import check_versions, fingerprint_of, record_of, versions
from ifonly.scale.parts.settle import settled
from ifonly.scale.shard import Shard, Span
from ifonly.scale.stores.store import Store
from ifonly.scale.summary import Summary, total
from ifonly.solve.predict import FEW
from ifonly.space.table.coded import Coded
from ifonly.space.table.frame import Frame


@dataclass(frozen=True)
class Rows:
    """Rows of a source, with what tells them apart: the columns of their ids [q], by name."""

    rows: Frame | Coded
    ids: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.rows.codes if isinstance(self.rows, Coded) else self.rows)

    def part(self, start: int, stop: int) -> Rows:
        """Some of the rows, by position."""
        rows = self.rows
        some = Coded(rows.codes[start:stop]) if isinstance(rows, Coded) else rows[start:stop]
        return Rows(some, {name: one[start:stop] for name, one in self.ids.items()})


class Source(Protocol):
    """What rows are read from, in a worker."""

    def read(self, spans: tuple[Span, ...]) -> Rows:
        """The rows of some spans, one after the other."""
        ...


class Form(Protocol):
    """What a part looks like."""

    @property
    def ending(self) -> str:
        """Of the name of a part."""
        ...

    def content(self, answers: list[tuple[Answers, Mapping[str, Any]]], fingerprint: str) -> bytes:
        """The bytes of the part of some answers, each with the ids of their rows."""
        ...


@dataclass(frozen=True)
class Done:
    """What was done of a shard; small."""

    shard: int
    name: str
    """Of the part."""
    rows: int
    sha256: str
    seconds: float
    summary: Summary

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many rows ended so."""
        return self.summary.statuses


@dataclass(frozen=True)
class Asking:
    """How rows are answered in a worker, wherever they come from.

    Parameters
    ----------
    explainer
        What answers, or a function that makes it where a worker is.
    question
        The options of `Explainer.explain`, the same for every row.
    fingerprint
        Of the run: a worker whose explainer has another one refuses.
    versions
        Of the driver's packages.
    """

    explainer: Explainer | Callable[[], Explainer]
    question: Mapping[str, Any]
    fingerprint: str
    versions: Mapping[str, str] = field(default_factory=versions, kw_only=True)

    def answer(self, rows: Frame | Coded) -> Answers:
        """The answers to rows, with scores that do not depend on the rows beside them."""
        answers = self.opened().explain(rows, progress=False, **self.question)
        return answers if isinstance(rows, Coded) else settled(answers)

    def answered(self, rows: Rows) -> Iterator[tuple[Answers, Mapping[str, Any]]]:
        """The answers to rows; where the model fails for all that are tried, each fails alone."""
        try:
            yield self.answer(rows.rows), rows.ids
        except PredictionError:
            if len(rows) < FEW:
                raise
            for start in range(0, len(rows), FEW - 1):
                part = rows.part(start, start + FEW - 1)
                yield self.answer(part.rows), part.ids

    def opened(self) -> Explainer:
        """The explainer, checked once in each process to be that of the run."""
        known = _opened.get(self.fingerprint)
        if known is None or known[0] is not self.explainer:
            check_versions(self.versions)
            own = self.explainer if isinstance(self.explainer, Explainer) else self.explainer()
            found = fingerprint_of(record_of(own, self.question))
            if found != self.fingerprint:
                raise ModelError(
                    f"A worker has a model or options with the fingerprint {found}, and the run "
                    f"has {self.fingerprint}.",
                    "Give the workers the model, the data and the packages of the driver.",
                )
            _opened.clear()
            known = _opened[self.fingerprint] = self.explainer, own
        return known[1]


@dataclass(frozen=True)
class Task(Asking):
    """How a run answers each of its shards.

    Parameters
    ----------
    explainer, question, fingerprint, versions
        As of `Asking`.
    source
        What rows are read from.
    store
        Where parts are written.
    form
        What a part looks like.
    """

    source: Source
    store: Store
    form: Form

    def __call__(self, shard: Shard) -> Done:
        """Answer a shard and write its part.

        Raises
        ------
        IfonlyError
            The rows cannot be read, the part cannot be written, or this worker has another model
            or other packages than the driver.
        """
        began = time.perf_counter()
        self.opened()
        try:
            parts = list(self.answered(self.source.read(shard.sources)))
        except IfonlyError as error:
            error.message = f"In {shard}: {error.message}"
            raise
        content = self.form.content(parts, self.fingerprint)
        self.store.write(shard.name, content)
        return Done(
            shard.index,
            shard.name,
            shard.rows,
            hashlib.sha256(content).hexdigest(),
            time.perf_counter() - began,
            total(Summary.of(one, sets=self.form.ending != ".npy") for one, _ in parts),
        )


_opened: dict[str, tuple[Any, Explainer]] = {}
"""The explainer of this process and what it was made of, by the fingerprint of its run."""
