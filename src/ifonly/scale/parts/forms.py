"""What a part looks like: a Parquet file, or an array file that is mapped into memory.

The bytes of a part depend on its answers alone: no time, no name of a machine, no order of threads.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ifonly.answers import Answers
from ifonly.scale.table import answers_table, arrow
from ifonly.status import Status

STATUSES = tuple(Status)
"""An array file has the positions of statuses in here."""


@dataclass(frozen=True)
class ParquetForm:
    """The table of `answers_table`, in Parquet."""

    ending: str = ".parquet"

    def content(self, answers: list[tuple[Answers, Mapping[str, Any]]], fingerprint: str) -> bytes:
        """The bytes of the part of some answers, each with the ids of their rows."""
        pa = arrow()
        import pyarrow.parquet as pq

        table = pa.concat_tables(answers_table(one, ids) for one, ids in answers)
        buffer = io.BytesIO()
        pq.write_table(
            table.replace_schema_metadata({"ifonly": fingerprint}),
            buffer,
            version="2.6",
            compression="zstd",
            row_group_size=2**17,
        )
        return buffer.getvalue()


@dataclass(frozen=True)
class ArrayForm:
    """One record per row in a .npy file: codes of the answers, which are there, their scores."""

    ending: str = ".npy"

    def content(self, answers: list[tuple[Answers, Mapping[str, Any]]], fingerprint: str) -> bytes:
        """The bytes of the part of some answers."""
        parts = [records(one) for one, _ in answers]
        buffer = io.BytesIO()
        np.save(buffer, parts[0] if len(parts) == 1 else np.concatenate(parts), allow_pickle=False)
        return buffer.getvalue()


def records(answers: Answers) -> np.ndarray:
    """[q] records: status, row_score, score [k], filled [k], extra [k], points [k, d]."""
    k, d = answers.points.shape[1:]
    kind = np.dtype(
        [
            *(("status", "u1"), ("row_score", "<f8"), ("filled", "?", (k,)), ("extra", "?", (k,))),
            *(("score", "<f8", (k,)), ("points", "<f8", (k, d))),
        ]
    )
    made = np.zeros(len(answers), dtype=kind)
    places = {status: place for place, status in enumerate(STATUSES)}
    made["status"] = [places[status] for status in answers.status]
    for name in ("row_score", "filled", "extra", "score", "points"):
        made[name] = getattr(answers, name)
    return made
