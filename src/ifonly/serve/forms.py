"""Requests that are not JSON of the contract, and replies to them: tables, and KServe's JSON.

A worker reads them, so that the front of the service never reads a large body.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ifonly.contract import Limits, Refused, Reply
from ifonly.contract.strict_json import read_json
from ifonly.contract.values import plain
from ifonly.serve.exchange import Ask
from ifonly.serve.sight import seen

MEDIA = {
    "application/vnd.apache.arrow.stream": "arrow",
    "application/vnd.apache.parquet": "parquet",
}
"""The media types of tables."""
ROOM = 2**30
"""The most bytes of memory, beside its file, that reading a table may take."""
KSERVE = {"explain": "explanations", "predict": "predictions"}
"""What KServe calls the rows of a reply."""


def request_of(ask: Ask, limits: Limits) -> dict[str, Any]:
    """The request of the contract that somebody means.

    Raises
    ------
    Refused
        The body cannot be read, or is too large.
    """
    given = _read(ask, limits)
    if ask.sight.scores != "full":
        # Whoever may set the score that decides can find every score, by halving.
        for name in ("threshold", "margin"):
            if given.get(name):
                message = "Your token does not show scores, so it cannot set the one that decides."
                raise Refused(message, "Leave it out.", field=name, kind="option")
    return given


def _read(ask: Ask, limits: Limits) -> dict[str, Any]:
    """What a body holds, with its rows where the contract has them."""
    if ask.form == "contract":
        return read_json(ask.body, limits.body)
    if ask.form == "kserve":
        given = read_json(ask.body, limits.body)
        if "instances" not in given or "rows" in given:
            hint = "Send {'instances': [...]}, a list of rows, and options beside it."
            raise Refused("This field is absent.", hint, field="instances")
        return {"rows": given.pop("instances"), **given}
    given = read_json(ask.options, limits.body)
    if "rows" in given:
        raise Refused("The rows are in the body.", "Leave them out here.", field="rows")
    most = limits.batch_rows if ask.route == "score_batch" else limits.rows
    return {"rows": rows_of(ask.body, ask.form, most), **given}


def reply_of(ask: Ask, reply: Reply) -> bytes:
    """The JSON of a reply, as far as the one who asks may see it, in the form of the request."""
    shown = seen(reply, ask.sight)
    if ask.form != "kserve":
        return shown.model_dump_json().encode()
    fields = shown.model_dump(mode="json")
    fields[KSERVE[ask.route]] = fields.pop("rows")
    return json.dumps(fields, allow_nan=False).encode()


def rows_of(body: bytes, form: str, most: int) -> list[dict[str, Any]]:
    """The rows of an Arrow stream or a Parquet file, of which there are at most `most`.

    >>> import pandas as pd
    >>> rows_of(pd.DataFrame({"a": [1, 2], "b": ["x", None]}).to_parquet(), "parquet", 10)
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': None}]
    """
    try:
        with _little_memory():
            columns = _columns(body, form, most)
    except Refused:
        raise
    except MemoryError:
        message = "The table takes too much memory when it is unpacked."
        raise Refused(message, "Send it in parts.", kind="limit") from None
    except Exception as error:  # whatever pyarrow says of bytes that are no table
        name = form.capitalize()
        message = f"The body cannot be read as a table of {name}: {type(error).__name__}."
        raise Refused(message, "Write it again with pyarrow.", kind="json") from None
    names = list(columns)
    return [dict(zip(names, line, strict=True)) for line in zip(*columns.values(), strict=True)]


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
