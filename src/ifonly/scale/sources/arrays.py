"""Array files: codes [n, d] in .npy, mapped into memory and read by ranges, without any frame."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ifonly.errors import FileError
from ifonly.scale.shard import Span
from ifonly.scale.task import Rows
from ifonly.space.table.coded import Coded


@dataclass(frozen=True)
class ArrayFiles:
    """Codes in .npy files of this machine, as `space.codes(frame)` returns them."""

    files: tuple[str, ...]

    def read(self, spans: tuple[Span, ...]) -> Rows:
        """The rows of some spans, one after the other."""
        parts = [_mapped(span.file)[span.start : span.stop] for span in spans]
        codes = np.concatenate(parts) if len(parts) != 1 else np.array(parts[0])
        return Rows(Coded(codes), {})

    def counts(self) -> list[tuple[str, int]]:
        """How many rows each file has."""
        return [(file, len(_mapped(file))) for file in self.files]


def _mapped(file: str) -> Any:
    try:
        found = np.load(Path(file), mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise FileError(
            f"{file!r} cannot be read as an array: {error}",
            "Write it by np.save(file, space.codes(frame)), on a disk that every worker can see.",
        ) from error
    if getattr(found, "ndim", 0) != 2:
        raise FileError(f"{file!r} does not hold codes [rows, features].", "")
    return found
