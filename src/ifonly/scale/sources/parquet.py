"""Parquet files: rows of a range, of which only the row groups are read that have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from ifonly.errors import FileError
from ifonly.scale.sources.places import opened
from ifonly.scale.table import arrow

BATCH = 65_536
"""How many rows are decoded at a time."""


@contextmanager
def _file(file: str) -> Iterator[Any]:
    pa = arrow()
    import pyarrow.parquet as pq

    try:
        with opened(file) as content:
            yield pq.ParquetFile(content)
    except pa.ArrowException as error:
        first = str(error).splitlines()[0]
        raise FileError(f"{file!r} cannot be read as a Parquet file: {first}") from error


def count(file: str) -> int:
    """How many rows a file has."""
    with _file(file) as found:
        return int(found.metadata.num_rows)


def columns(file: str) -> dict[str, Any]:
    """The columns of a file, with their types."""
    with _file(file) as found:
        schema = found.schema_arrow
        return dict(zip(schema.names, schema.types, strict=True))


def read(file: str, start: int, stop: int, wanted: Sequence[str]) -> Any:
    """The wanted columns of rows `start` to `stop`, as a table."""
    pa = arrow()
    with _file(file) as found:
        names = [name for name in wanted if name in found.schema_arrow.names]
        groups, first, place = [], None, 0
        for group in range(found.num_row_groups):
            rows = found.metadata.row_group(group).num_rows
            if place < stop and place + rows > start:
                groups.append(group)
                first = place if first is None else first
            place += rows
        if first is None:
            return found.schema_arrow.empty_table().select(names)
        kept, place = [], first
        for batch in found.iter_batches(BATCH, row_groups=groups, columns=names):
            low, high = max(start - place, 0), min(stop - place, len(batch))
            if low < high:
                kept.append(batch.slice(low, high - low))
            place += len(batch)
            if place >= stop:
                break
        return pa.Table.from_batches(kept, schema=kept[0].schema).select(names)


def frame_of(table: Any) -> pd.DataFrame:
    """A table as pandas reads it from a file."""
    frame: pd.DataFrame = table.to_pandas()
    return frame


def batches(file: str, column: str) -> Iterator[Any]:
    """The values of one column, some at a time."""
    with _file(file) as found:
        for batch in found.iter_batches(BATCH, columns=[column]):
            yield batch.column(0)
