"""CSV files: where their rows begin is found in one pass, and a range is read by its bytes.

A row ends at a newline with as many quotes before it as make pairs. The place of every `STEP`-th
row is kept: a span begins at one of them, and the rows before its own are dropped.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from ifonly.errors import FileError
from ifonly.scale.shard import Span
from ifonly.scale.sources.places import opened
from ifonly.scale.table import arrow
from ifonly.tables.files import read_words

STEP = 1000
BLOCK = 2**24
"""Bytes that are looked at together."""


@dataclass(frozen=True)
class Index:
    """Where the rows of a file are."""

    rows: int
    header: bytes
    begins: tuple[int, ...]
    """Where every `STEP`-th row begins; then where the last one ends."""

    def span(self, file: str, start: int, stop: int) -> Span:
        """The rows of a range, with the bytes to read."""
        last = min(-(-stop // STEP), len(self.begins) - 1)
        return Span(file, start, stop, self.begins[start // STEP], self.begins[last])


@contextmanager
def text(file: str) -> Iterator[Any]:
    """A file, open, and unpacked where it is packed."""
    with opened(file) as content:
        if file.lower().endswith(".gz"):
            with gzip.GzipFile(fileobj=content) as unpacked:
                yield unpacked
        else:
            yield content


def index_of(file: str) -> Index:
    """Where the rows of a file are; the file is read once, and never held."""
    header, begins, rows, end = b"", [], -1, 0
    try:
        with text(file) as content:
            for begin, stop in _records(content):
                end = stop
                if rows < 0:
                    content_of = slice(begin, stop)
                    rows = 0
                    continue
                if rows % STEP == 0:
                    begins.append(begin)
                rows += 1
            if rows < 0:
                raise FileError(f"{file!r} is empty.", "Expected a CSV file with a header.")
            content.seek(content_of.start)
            header = content.read(content_of.stop - content_of.start)
    except (OSError, EOFError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{file!r} cannot be read as a CSV file: {error}") from error
    return Index(rows, header, (*begins, end))


def columns(file: str) -> dict[str, Any]:
    """The columns of a file, all of them text."""
    with text(file) as content:
        begin, end = next(_records(content, few=True), (0, 0))
        content.seek(begin)
        words = read_words(content.read(end - begin), file, None)
    return dict.fromkeys(map(str, words.columns), arrow().string())


def read(span: Span) -> pd.DataFrame:
    """The words of the rows of a span."""
    with text(span.file) as content:
        head = next(_records(content, few=True))
        content.seek(head[0])
        header = content.read(head[1] - head[0])
        content.seek(span.begin)
        body = content.read(span.end - span.begin)
    newline = b"" if header.endswith(b"\n") else b"\n"
    words = read_words(header + newline + body, span.file, None)
    first = span.start % STEP
    rows = words.iloc[first : first + span.stop - span.start]
    if len(rows) != span.stop - span.start:
        raise FileError(
            f"{span.file!r} has other rows than were counted, near row {span.start}.",
            "A quote may stand inside a field without quotes around it. Save it as Parquet.",
        )
    return rows


def _records(content: BinaryIO, *, few: bool = False) -> Iterator[tuple[int, int]]:
    """Where each line that is not blank begins and ends, with its newline."""
    at, begin, odd = 0, 0, False
    while block := content.read(EARLY if few else BLOCK):
        found = np.frombuffer(block, dtype=np.uint8)
        quotes = np.cumsum(found == ord('"')) + odd
        ends = np.flatnonzero((found == ord("\n")) & (quotes % 2 == 0)) + at + 1
        odd = bool(quotes[-1] % 2)
        for end in ends.tolist():
            if not _blank(block, begin - at, end - at):
                yield begin, end
            begin = end
        at += len(block)
        tail = block[max(0, begin - at + len(block)) :]
    if begin < at and tail.strip(b"\r\n"):
        yield begin, at


EARLY = 2**16


def _blank(block: bytes, begin: int, end: int) -> bool:
    """Whether a line has nothing but its end; one that began in an earlier block has."""
    return begin >= 0 and end - begin <= 2 and not block[begin:end].strip(b"\r\n")
