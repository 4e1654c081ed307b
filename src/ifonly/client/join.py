"""The answers of several requests about one batch of rows as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ifonly.answers import Answers
from ifonly.answers.save import from_plain
from ifonly.errors import ServiceError
from ifonly.space.table.carry import Carried
from ifonly.space.table.frame import Frame, as_frame, library_of
from ifonly.space.table.index import index_names, index_of

SUMS = ("model_rows", "model_calls", "other_model_rows")
EACH = ("target", "row_rules", "finished_by")
"""What a record has a list of, with an entry per row, or says once."""


def answers_of(parts: Sequence[Any], rows: Frame, starts: Sequence[int] = ()) -> Answers:
    """The answers that replies hold, in the library and with the index of the rows asked.

    Of each part it is known where in the rows it starts; without that, they follow each other.
    """
    fields = [from_plain(part) for part in parts]
    joined = fields[0] if len(fields) == 1 else _joined(fields)
    frame = as_frame(rows, empty=True)
    sizes = [len(one["x"]) for one in fields]
    starts = starts or [sum(sizes[:place]) for place in range(len(sizes))]
    spans = [np.arange(start, start + size) for start, size in zip(starts, sizes, strict=True)]
    places, index = np.concatenate(spans), index_of(rows, len(frame))
    joined["record"] = {**joined["record"], "index_names": index_names(rows)}
    joined |= {"library": library_of(rows), "index": tuple(index[place] for place in places)}
    if carry := joined["space"].carry:
        whole = Carried.of(frame, carry, joined["carried"], "rows")
        joined["carried"] = whole.take(places)
    return Answers(**joined)


def _joined(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The fields of answers about rows that follow each other."""
    fields = dict(parts[0])
    fields["record"] = _record([part["record"] for part in parts], [len(p["x"]) for p in parts])
    for name in {name for part in parts for name in part}:
        values = [part.get(name) for part in parts]
        known = next((value for value in values if value is not None), None)
        if isinstance(known, np.ndarray):
            fields[name] = np.concatenate(
                [_filled(known, one, part) for one, part in zip(values, parts, strict=True)]
            )
        elif isinstance(known, tuple):
            fields[name] = tuple(one for value in values for one in value or ())
    return fields


def _filled(known: np.ndarray, values: np.ndarray | None, part: dict[str, Any]) -> np.ndarray:
    """An array of a part; where only others have one, that of no answer."""
    if values is not None:
        return values
    empty = False if known.dtype == bool else -1 if known.dtype.kind == "i" else np.nan
    return np.full((len(part["x"]), *known.shape[1:]), empty, dtype=known.dtype)


def _record(records: Sequence[Any], sizes: Sequence[int]) -> dict[str, Any]:
    """What produced all of them."""
    first = records[0]
    for name in ("model_fingerprint", "space_fingerprint"):
        if any(one[name] != first[name] for one in records):
            raise ServiceError(
                "The server replaced its model between two parts of these rows.", "Ask again."
            )
    joined = dict(first)
    for name in SUMS:  # None where the server answered others as well in one go
        counts = [one[name] for one in records]
        joined[name] = None if None in counts else sum(counts)
    for name in ("interrupted", "contradicted"):
        joined[name] = any(one[name] for one in records)
    for name in EACH:
        if any(isinstance(one[name], list) and one[name] for one in records):
            pairs = zip(records, sizes, strict=True)
            joined[name] = [entry for one, q in pairs for entry in one[name] or [""] * q]
    return joined
