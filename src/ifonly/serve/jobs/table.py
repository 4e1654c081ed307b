"""The result of a job as a table: a line per answer, and one for each row without any.

A part is a Parquet file of these lines; its metadata have the statuses of its rows and their
decision records, so that one file holds all that answering these rows has led to.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ifonly.space.table.frame import free_name

OWN = {
    "row": "int64",
    "answer": "int64",
    "status": "string",
    "note": "string",
    "sentence": "string",
    "prediction": "",
    "score": "float64",
    "distance": "float64",
    "price": "float64",
    "extra": "bool",
    "answers": "string",
}
"""The columns before those of the row, with their types; a name that a row has gets an underscore
before it. 'answers' is null, or what Python makes `Answers` of, in the first line of a part."""
TYPES = {"integer": "int64", "number": "float64", "string": "string", "boolean": "bool"}
"""The types of values in JSON; of others, such as dates, the result has the text."""
FAILED = "failed"


def columns_of(model: Any) -> tuple[dict[str, str], str]:
    """The columns of rows, as a reply of the route `model` has them; and the type of outcomes."""
    columns = {one["name"]: TYPES.get(one["type"], "string") for one in model["features"]}
    columns |= dict.fromkeys(model["carried"], "string")
    kinds = {type(one["value"]) for one in model["classes"]}
    named = {int: "int64", str: "string", bool: "bool", float: "float64"}
    outcome = named.get(kinds.pop(), "string") if len(kinds) == 1 else "string"
    return columns, outcome if model["classes"] else "float64"


def part_of(
    columns: dict[str, str],
    prediction: str,
    start: int,
    rows: Sequence[Any],
    explained: dict[int, Any],
    failed: dict[int, str],
    *,
    records: Sequence[Any] = (),
    answers: Any = None,
) -> tuple[bytes, dict[str, int]]:
    """The file of the answers to some rows, and how many rows have each status.

    `explained` and `failed` have, by the position of a row, its entry of a reply or what is wrong
    with it.
    """
    lines: list[dict[str, Any]] = []
    for place, row in enumerate(rows):
        if place in failed:
            lines.append({"row": start + place, "status": FAILED, "note": failed[place]})
            continue
        one = explained[place]
        own = {"row": start + place, "status": one["status"], "note": one["note"]}
        found = [
            {**own, "answer": a, **{name: way[name] for name in way.keys() & OWN}, **_of(way)}
            for a, way in enumerate(one["answers"])
        ]
        lines += found or [{**own, "sentence": one["sentence"], VALUES: row}]
    if answers is not None:
        lines[0]["answers"] = json.dumps(answers)
    statuses = Counter(line["status"] for line in lines if not line.get("answer"))
    metadata = {"statuses": json.dumps(statuses), "records": json.dumps(list(records))}
    return _written(_table(columns, prediction, lines), metadata), dict(statuses)


VALUES = "values of the row"


def _of(way: Any) -> dict[str, Any]:
    return {VALUES: way["values"]}


def _table(columns: dict[str, str], prediction: str, lines: Sequence[dict[str, Any]]) -> Any:
    import pyarrow as pa

    schema = _schema(columns, prediction)
    arrays = [
        pa.array([_as(kind, line.get(name)) for line in lines], kind)
        for name, kind in zip(OWN, schema.types, strict=False)
    ]
    for name, kind in list(zip(schema.names, schema.types, strict=True))[len(OWN) :]:
        values = [_as(kind, line.get(VALUES, {}).get(name)) for line in lines]
        arrays.append(pa.array(values, kind))
    return pa.Table.from_arrays(arrays, schema=schema)


def _schema(columns: dict[str, str], prediction: str) -> Any:
    import pyarrow as pa

    types = {"string": pa.string(), "bool": pa.bool_(), "int64": pa.int64()}
    own = {free_name(name, columns): kind or prediction for name, kind in OWN.items()}
    return pa.schema(
        [(name, types.get(kind, pa.float64())) for name, kind in {**own, **columns}.items()]
    )


def _as(kind: Any, value: Any) -> Any:
    """A value as a column has it: whatever is not text is the text of its JSON in one of text."""
    text = str(kind) == "string" and value is not None and not isinstance(value, str)
    return json.dumps(value) if text else value


def _written(table: Any, metadata: dict[str, str]) -> bytes:
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), buffer)
    return buffer.getvalue()


def read_part(content: bytes) -> tuple[list[str], dict[str, int]]:
    """The decision records of a part, each as JSON, and the statuses of its rows."""
    import pyarrow.parquet as pq

    metadata = pq.read_schema(io.BytesIO(content)).metadata
    return json.loads(metadata[b"records"]), json.loads(metadata[b"statuses"])


def write_result(
    parts: Iterable[bytes], columns: dict[str, str], prediction: str, path: Path
) -> None:
    """The lines of all parts as one Parquet file."""
    import pyarrow.parquet as pq

    schema = _schema(columns, prediction)
    with pq.ParquetWriter(path, schema) as writer:
        for part in parts:
            table = pq.read_table(io.BytesIO(part))
            writer.write_table(table.replace_schema_metadata(None))
