"""A run that is done, or half done: its plan, its manifest, and its answers, some at a time."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from ifonly.answers import Answers
from ifonly.errors import FileError
from ifonly.scale.manifest import Line, Manifest
from ifonly.scale.parts.reading import answers_of
from ifonly.scale.plan import Plan
from ifonly.scale.stores.place import store_of
from ifonly.scale.stores.store import Store
from ifonly.scale.summary import Summary
from ifonly.scale.table import FILE_AND_ROW
from ifonly.space import Space


@dataclass(frozen=True)
class Run:
    """What is in the folder of a run; nothing is loaded before it is asked for.

    Parameters
    ----------
    store
        The folder, or the object store.

    Examples
    --------
    >>> import pandas as pd, ifonly, tempfile
    >>> from ifonly import scale
    >>> data = pd.DataFrame({"income": [10, 30, 50]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data.to_parquet(f"{folder}/rows.parquet")
    ...     explainer, out = ifonly.Explainer(rich, data=data), f"{folder}/answers"
    ...     run = scale.explain(explainer, f"{folder}/rows.parquet", out=out, workers=1, k=1)
    ...     run.complete, run.answers().sentences()[0]
    (True, ['If only income were 41 (not 10): yes (1.00).'])
    """

    store: Store

    @cached_property
    def plan(self) -> Plan:
        """What it is about."""
        plan = Plan.read(self.store)
        if plan is None:
            raise FileError(
                f"There is no run at {self.store.place!r}.",
                "Name the folder that was given as `out`.",
            )
        return plan

    @cached_property
    def manifest(self) -> Manifest:
        """Its parts, as they were when this was first asked for."""
        return Manifest.load(self.store)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.plan.rows

    @property
    def done(self) -> int:
        """How many of them are answered."""
        return self.manifest.rows

    @property
    def complete(self) -> bool:
        """Whether all of them are."""
        return self.done == self.rows

    @property
    def summary(self) -> Summary:
        """Statuses, reasons and metrics of all rows, from the manifest alone."""
        return self.manifest.summary

    def parts(self) -> Iterator[tuple[Line, bytes]]:
        """The content of each part, in the order of the rows, checked against its line.

        Returns
        -------
        iterator of tuple of Line and bytes

        Raises
        ------
        FileError
            A part is gone or damaged.
        """
        for index in sorted(self.manifest.lines):
            line = self.manifest.lines[index]
            content = self.store.read(line.done.name)
            if content is None or hashlib.sha256(content).hexdigest() != line.done.sha256:
                raise FileError(
                    f"The part {line.done.name} of {self.store.place!r} is gone or damaged.",
                    "Start the run again: it makes this part anew.",
                )
            yield line, content

    def tables(self) -> Iterator[Any]:
        """The Arrow table of each part, in the order of the rows.

        Returns
        -------
        iterator of pyarrow.Table

        Raises
        ------
        FileError
            A part is gone or damaged, or holds arrays.
        """
        import pyarrow.parquet as pq

        self._check(".parquet")
        for _, content in self.parts():
            yield pq.read_table(io.BytesIO(content))

    def answers(self) -> Answers:
        """All answers at once, as `explain` returns them; they have no model.

        Returns
        -------
        Answers

        Raises
        ------
        FileError
            A part is gone or damaged, or holds arrays.
        """
        import pyarrow as pa

        return self._read(pa.concat_tables(self.tables()))

    def by_part(self) -> Iterator[Answers]:
        """The answers of each part, in the order of the rows.

        Returns
        -------
        iterator of Answers

        Raises
        ------
        FileError
            A part is gone or damaged, or holds arrays.
        """
        yield from map(self._read, self.tables())

    def _read(self, table: Any) -> Answers:
        plan = self.plan
        ids = tuple(FILE_AND_ROW) if plan.id is None else (plan.id,)
        return answers_of(table, Space.from_plain(plan.space), plan.record, ids)

    def arrays(self) -> Iterator[np.ndarray]:
        """The records of each part of arrays, in the order of the rows.

        Returns
        -------
        iterator of numpy.ndarray

        Raises
        ------
        FileError
            A part is gone or damaged, or holds a table.
        """
        self._check(".npy")
        for _, content in self.parts():
            yield np.load(io.BytesIO(content), allow_pickle=False)

    def _check(self, ending: str) -> None:
        if self.plan.ending != ending:
            raise FileError(
                f"The parts of {self.store.place!r} are {self.plan.ending} files.",
                "Tables and answers are in .parquet, arrays in .npy.",
            )

    def __repr__(self) -> str:
        return f"<Run: {self.done} of {self.rows} rows>"


def open_run(out: str | PathLike[str] | Store) -> Run:
    """The run in a folder or an object store.

    Parameters
    ----------
    out
        What was given as `out`.

    Returns
    -------
    Run

    Raises
    ------
    FileError
        There is none.

    Examples
    --------
    >>> open_run("nowhere")
    Traceback (most recent call last):
    ...
    ifonly.errors.FileError: There is no run at 'nowhere'.
    <BLANKLINE>
    Hint: Name the folder that was given as `out`.
    """
    run = Run(store_of(out))
    _ = run.plan
    return run
