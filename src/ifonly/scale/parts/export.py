"""The tables of many parts as one file, of which one part is held at a time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from ifonly.scale.stores.store import writing
from ifonly.scale.stores.whole import publish


def write_table(tables: Iterable[Any], path: Path | None, stream: TextIO) -> None:
    """Write tables one after the other, to a .parquet or .csv file, or as CSV to a stream."""
    if path is None:
        _csv(tables, stream)
        return
    with writing(str(path)), publish(path) as aside:
        if path.suffix.lower() == ".parquet":
            _parquet(tables, aside)
        else:
            with aside.open("w", encoding="utf-8", newline="") as file:
                _csv(tables, file)


def _parquet(tables: Iterable[Any], path: Path) -> None:
    import pyarrow.parquet as pq

    writer = None
    try:
        for table in tables:
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _csv(tables: Iterable[Any], file: TextIO) -> None:
    for place, table in enumerate(tables):
        frame = table.to_pandas()
        for name in ("acted", "odd"):  # lists, which CSV does not have
            own = next(one for one in reversed(frame.columns) if one.lstrip("_") == name)
            frame[own] = [None if one is None else ", ".join(one) for one in frame[own]]
        frame.to_csv(file, index=False, header=not place, lineterminator="\n")
