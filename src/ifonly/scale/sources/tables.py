"""Parquet and CSV files as the source of a run; files of both kinds may stand side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ifonly.errors import DataError, OptionError, nearest
from ifonly.explainer import Explainer
from ifonly.scale.shard import Span
from ifonly.scale.sources import csv, parquet
from ifonly.scale.table import FILE_AND_ROW, arrow
from ifonly.scale.task import Rows
from ifonly.solve.probe import middle
from ifonly.tables.columns import Words
from ifonly.tables.files import typed

SAMPLE = 1000
"""So many training rows say how words are read."""


@dataclass(frozen=True)
class TableFiles:
    """Tables, of which the columns of the space and the id are read.

    Parameters
    ----------
    files
        Their names, in the order of their rows.
    columns
        What is read of them.
    id
        The column that tells rows apart; without one, the file and the number of the row do.
    like
        Some rows of the training table: the words of a CSV file are read as its values are.
    words
        What else is known of these words.
    id_kind
        'int64' where the ids of all files are whole numbers, else 'string'.
    """

    files: tuple[str, ...]
    columns: tuple[str, ...]
    id: str | None = None
    like: pd.DataFrame | None = field(default=None, repr=False)
    words: Words = field(default_factory=Words)
    id_kind: str = "string"

    def ids(self) -> dict[str, Any]:
        """The id columns, with the Arrow types that they have in every part."""
        stated = FILE_AND_ROW if self.id is None else {self.id: self.id_kind}
        return {name: arrow().type_for_alias(kind) for name, kind in stated.items()}

    def read(self, spans: tuple[Span, ...]) -> Rows:
        """The rows of some spans, one after the other."""
        parts = [self._read(span) for span in spans]
        if len(parts) == 1:
            return parts[0]
        pa = arrow()
        frame = pd.concat([part.rows for part in parts], ignore_index=True)
        names = parts[0].ids
        return Rows(frame, {n: pa.concat_arrays([part.ids[n] for part in parts]) for n in names})

    def _read(self, span: Span) -> Rows:
        wanted = [*self.columns, *([self.id] if self.id and self.id not in self.columns else [])]
        if _is_parquet(span.file):
            table = parquet.read(span.file, span.start, span.stop, wanted)
            own = table.column(self.id) if self.id in table.column_names else None
            frame = parquet.frame_of(table)
        else:
            words = csv.read(span)
            own = words[self.id] if self.id in words.columns else None
            frame, _ = typed(
                words[[n for n in wanted if n in words.columns]], self.like, self.words
            )
        frame = frame[[name for name in self.columns if name in frame.columns]]
        return Rows(frame.reset_index(drop=True), self._ids(own, span))

    def _ids(self, own: Any, span: Span) -> dict[str, Any]:
        """The ids of the rows of a span; an id is text, or a whole number."""
        pa = arrow()
        if self.id is None:
            rows = pa.array(np.arange(span.start, span.stop))
            return {"file": pa.array([span.file] * len(rows), pa.string()), "row": rows}
        if own is None:
            raise OptionError(f"{span.file!r} has no id column {self.id!r}.", "Name one it has.")
        values = plain(own).cast(self.ids()[self.id])
        if values.null_count or (pa.types.is_string(values.type) and "" in values.to_pylist()):
            raise DataError(
                f"The id column {self.id!r} of {span.file!r} has no value in a row from "
                f"{span.start} on.",
                "Give every row an id, or leave `id` out: the file and the number of a row tell.",
            )
        return {self.id: values}

    def id_values(self) -> Iterator[tuple[str, int, Any]]:
        """The ids of all rows, some at a time, with their file and the number of the first."""
        assert self.id is not None
        for file in self.files:
            place = 0
            for some in (
                parquet.batches(file, self.id) if _is_parquet(file) else _words(file, self.id)
            ):
                yield file, place, plain(some)
                place += len(some)


def id_kind(files: Iterable[str], column: str) -> str:
    """The type of an id column: 'int64' where all files have whole numbers there, else 'string'."""
    pa, kinds = arrow(), set()
    for file in files:
        known = parquet.columns(file) if _is_parquet(file) else csv.columns(file)
        if column not in known:
            raise OptionError(f"{file!r} has no id column {column!r}.", nearest(column, known))
        kinds.add(known[column])
    return "int64" if all(map(pa.types.is_integer, kinds)) else "string"


def counted(files: Iterable[str]) -> dict[str, csv.Index | int]:
    """How many rows each file has; of a CSV file, also where they are."""
    return {
        file: parquet.count(file) if _is_parquet(file) else csv.index_of(file) for file in files
    }


def _is_parquet(file: str) -> bool:
    return file.lower().endswith(".parquet")


def plain(values: Any) -> Any:
    """Values as one Arrow array without a dictionary."""
    pa = arrow()
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        return pa.array(list(values), pa.string())
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def _words(file: str, column: str) -> Iterator[Any]:
    """The words of one column of a CSV file."""
    with csv.text(file) as content:
        chunks = pd.read_csv(
            content,
            usecols=[column],
            dtype="str",
            keep_default_na=False,
            chunksize=parquet.BATCH,
            encoding="utf-8-sig",
        )
        for chunk in chunks:
            yield chunk[column]


def training(explainer: Explainer) -> pd.DataFrame:
    """Some training rows, which the words of CSV files are read like; one where none are kept."""
    space, known = explainer.setting.space, explainer.setting.reference.codes
    codes = known[:SAMPLE] if len(known) else middle(space)[None]
    frame: pd.DataFrame = space.rows(codes, "pandas")
    return frame
