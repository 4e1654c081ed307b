"""What cells gave, one Parquet file each, written whole or not at all.

A file's name holds the cell's stamp, so that a result is found only by the options that it was made
with; its metadata hold when, where and how long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ifonly.answers.save import write_parquet
from ifonly.errors import FileError, MissingExtra
from ifonly.paper.runs.cells import Cell

FOLDER = "cells"


@dataclass(frozen=True)
class Store:
    """The results in a folder."""

    folder: Path

    def has(self, cell: Cell, mark: str) -> bool:
        """Whether a cell's result is kept under its stamp."""
        return self.load(cell, mark) is not None

    def load(self, cell: Cell, mark: str) -> pd.DataFrame | None:
        """What a cell gave, or None; a file that cannot be read counts as none."""
        return _read(self._path(cell, mark))[0]

    def facts(self, cell: Cell, mark: str) -> dict[str, Any]:
        """When and where a kept cell was run, and how long it took."""
        return _read(self._path(cell, mark))[1]

    def save(self, cell: Cell, mark: str, frame: pd.DataFrame, facts: Mapping[str, Any]) -> None:
        """Keep what a cell gave."""
        path = self._path(cell, mark)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{str(path.parent)!r} cannot be made: {error.strerror}.") from error
        write_parquet(frame, json.dumps({"cell": cell.name, **facts}), path)

    def _path(self, cell: Cell, mark: str) -> Path:
        plain = re.sub(r"[^\w.=-]+", "-", cell.name)
        return self.folder / FOLDER / f"{plain}-{mark}.parquet"


def _read(path: Path) -> tuple[pd.DataFrame | None, dict[str, Any]]:
    """The frame and the facts in a file; neither where it is absent or damaged."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "parquet") from None
    try:
        table = pyarrow.parquet.read_table(path)
        return table.to_pandas(), dict(json.loads(table.schema.metadata[b"ifonly"]))
    except (OSError, pyarrow.ArrowException, KeyError, TypeError, ValueError, RecursionError):
        return None, {}
