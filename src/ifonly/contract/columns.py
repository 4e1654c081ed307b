"""The columns of tables that come as bytes of Arrow or Parquet, as JSON has their values."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ifonly.contract.problem import Refused
from ifonly.contract.values import plain
from ifonly.errors import MissingExtra

ROOM = 2**30
"""The most bytes of memory, beside its file, that reading a table may take."""


def read_columns(body: bytes, form: str, most: int) -> dict[str, list[Any]]:
    """The columns of an Arrow stream or a Parquet file of at most `most` rows.

    Raises
    ------
    Refused
        The bytes are no such table, or one that is too large.
    """
    try:
        with _little_memory():
            return _columns(body, form, most)
    except Refused:
        raise
    except ImportError:
        raise MissingExtra("pyarrow", "parquet") from None
    except MemoryError:
        message = "The table takes too much memory when it is unpacked."
        raise Refused(message, "Send it in parts.", kind="limit") from None
    except Exception as error:  # whatever pyarrow says of bytes that are no table
        name = form.capitalize()
        message = f"The body cannot be read as a table of {name}: {type(error).__name__}."
        raise Refused(message, "Write it again with pyarrow.", kind="json") from None


def _columns(body: bytes, form: str, most: int) -> dict[str, list[Any]]:
    """The values of each column, as JSON has them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pa.BufferReader(body)
    if form == "parquet":
        opened: Any = pq.ParquetFile(file)
        schema, batches = opened.schema_arrow, opened.iter_batches(batch_size=10_000)
    else:
        opened = pa.ipc.open_stream(file)
        schema, batches = opened.schema, iter(opened)
    names = schema.names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise Refused(f"There are two columns {twice!r:.60}.", "Give each a name.", kind="json")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    count = 0
    for batch in batches:
        count += batch.num_rows
        if count > most:
            hint = f"At most {most} are accepted."
            raise Refused(f"There are {count} rows or more.", hint, field="rows", kind="limit")
        for name, column in zip(names, batch.columns, strict=True):
            columns[name] += _values(column, pa)
    return columns


def _values(column: Any, pa: Any) -> list[Any]:
    values: list[Any] = column.to_pylist()
    if pa.types.is_floating(column.type):
        return [None if one is None or math.isnan(one) else one for one in values]
    kinds = (pa.types.is_integer, pa.types.is_boolean, pa.types.is_string, pa.types.is_large_string)
    return values if any(kind(column.type) for kind in kinds) else [plain(one) for one in values]


@contextmanager
def _little_memory() -> Iterator[None]:
    """What is inside gets `ROOM` bytes of memory: a small file can unpack to any size."""
    if sys.platform != "linux":
        yield
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    room = pages * resource.getpagesize() + ROOM
    if soft != resource.RLIM_INFINITY:
        room = min(room, soft)
    resource.setrlimit(resource.RLIMIT_AS, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
