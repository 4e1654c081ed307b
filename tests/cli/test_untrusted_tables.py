"""Tables and rules run nothing when they are read, whatever is in their files."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from ifonly.errors import RuleError
from ifonly.paper import Cell, Store
from ifonly.space import Space
from ifonly.tables.files import read_rule_file, read_table


class Command:
    """What runs `touch` when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.command = f"touch '{marker}'"

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


def write_pickled_type(path: Path, marker: Path) -> None:
    """A Parquet file with a column whose type, and whose metadata, are pickles."""
    code = pickle.dumps(Command(marker))
    kind = {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": code}
    schema = pa.schema([pa.field("a", pa.int64(), metadata=kind)], metadata={"ifonly": code})
    path.parent.mkdir(exist_ok=True)
    pyarrow.parquet.write_table(pa.table({"a": [1, 2]}, schema=schema), path)


def test_a_pickled_type_of_a_parquet_file_is_not_opened(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    write_pickled_type(tmp_path / "rows.parquet", marker)
    assert read_table(tmp_path / "rows.parquet")["a"].tolist() == [1, 2]
    assert not marker.exists()


def test_a_pickle_in_a_csv_file_is_text(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    pd.DataFrame({"a": [repr(pickle.dumps(Command(marker)))]}).to_csv(tmp_path / "rows.csv")
    assert read_table(tmp_path / "rows.csv").shape == (1, 1)
    assert not marker.exists()


@pytest.mark.parametrize("content", [b"", b"PAR1 no table", None])
def test_a_damaged_cell_counts_as_one_that_was_not_run(
    tmp_path: Path, content: bytes | None
) -> None:
    cell, store, marker = Cell("sets", "adult", "ann", "DiverseCF", 2), Store(tmp_path), "stamp"
    store.save(cell, marker, pd.DataFrame({"a": [1]}), {"seconds": 1.0})
    assert store.has(cell, marker)
    assert store.facts(cell, marker)["seconds"] == 1.0
    (path,) = (tmp_path / "cells").iterdir()
    if content is None:
        write_pickled_type(path, tmp_path / "ran")
    else:
        path.write_bytes(content)
    assert not store.has(cell, marker)
    assert store.facts(cell, marker) == {}
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("depth", [400, 900, 100_000])
def test_rules_inside_each_other_without_end_are_refused(tmp_path: Path, depth: int) -> None:
    space = Space.describe({"name": "age", "low": 0, "high": 9})
    path = tmp_path / "rules.json"
    inner = '{"rule": "fixed", "name": "age"}'
    for start, end in (("[", "]"), ('{"rule": "not", "part": ', "}")):
        path.write_text(f"[{start * depth}{inner}{end * depth}]")
        with pytest.raises(RuleError):
            read_rule_file(path, space)
