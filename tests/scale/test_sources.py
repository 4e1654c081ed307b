"""The same rows give the same answers, whatever files they come in."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ifonly
from ifonly import scale
from ifonly.scale.shard import cut
from ifonly.scale.sources import csv
from ifonly.scale.sources.places import found_files

from .conftest import asked, lender


def table_of(run: scale.Run) -> pd.DataFrame:
    table = pa.concat_tables(run.tables())
    return table.drop(["file", "row"]).to_pandas()


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return lender(40, seed=5)


@pytest.fixture(scope="module")
def wanted(explainer: Any, frame: pd.DataFrame, tmp_path_factory: Any) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("wanted")
    frame.to_parquet(folder / "rows.parquet")
    return table_of(asked(explainer, folder / "rows.parquet", folder / "out", id=None))


def write_csv(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path / "rows.csv", index=False)
    return path / "rows.csv"


def write_odd_csv(frame: pd.DataFrame, path: Path) -> Path:
    """With a byte order mark, \\r\\n, newlines inside quotes, blank lines, other columns."""
    other = frame.assign(text=['a "quoted"\r\nword, and more'] * len(frame))[["text", *frame]]
    lines = other.to_csv(index=False, quoting=1, lineterminator="\r\n")
    (path / "rows.csv").write_bytes("\ufeff".encode() + lines.encode() + b"\r\n\r\n")
    return path / "rows.csv"


def write_packed_csv(frame: pd.DataFrame, path: Path) -> Path:
    (path / "rows.csv.gz").write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    return path / "rows.csv.gz"


def write_groups(frame: pd.DataFrame, path: Path) -> Path:
    """Many row groups, columns in another order, one column more, words as a dictionary."""
    table = pa.Table.from_pandas(frame.assign(other=1)[["job", "other", "debt", "income"]])
    pq.write_table(table, path / "rows.parquet", row_group_size=7, use_dictionary=True)
    return path / "rows.parquet"


def write_folder(frame: pd.DataFrame, path: Path) -> Path:
    """Files of several kinds and sizes, in folders, beside what is hidden."""
    (path / "rows" / "c").mkdir(parents=True)
    frame[:3].to_csv(path / "rows" / "a.csv", index=False)
    frame[3:4].to_parquet(path / "rows" / "b.parquet")
    frame[4:].to_parquet(path / "rows" / "c" / "d.parquet")
    (path / "rows" / "_SUCCESS").write_text("")
    (path / "rows" / ".hidden.parquet").write_text("no table")
    return path / "rows"


def write_glob(frame: pd.DataFrame, path: Path) -> str:
    frame[:20].to_parquet(path / "x1.parquet")
    frame[20:].to_parquet(path / "x2.parquet")
    return str(path / "x?.parquet")


@pytest.mark.parametrize(
    "write",
    [write_csv, write_odd_csv, write_packed_csv, write_groups, write_folder, write_glob],
)
def test_files_of_every_kind_give_the_same_answers(
    write: Any,
    explainer: Any,
    frame: pd.DataFrame,
    wanted: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(csv, "STEP", 4)
    monkeypatch.setattr(csv, "BLOCK", 50)
    source = write(frame, tmp_path)
    run = asked(explainer, source, tmp_path / "out", id=None, shard_rows=9)
    pd.testing.assert_frame_equal(table_of(run), wanted)


class Points:
    """A model of codes, which needs no frame."""

    classes = ("no", "yes")

    def scores(self, codes: np.ndarray) -> np.ndarray:
        yes = 1 / (1 + np.exp(25 + codes[:, 1] - codes[:, 0]))
        return np.stack([1 - yes, yes], axis=1)

    def decide(self, codes: np.ndarray) -> None:
        return None


def test_codes_in_array_files_give_the_same_answers(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machines with a GPU need not have pyarrow, and no frame is made."""
    explainer = ifonly.Explainer(Points(), data=lender(100))
    codes, fresh = explainer.setting.space.codes(frame), explainer.explain(frame, k=2)
    for package in ("pyarrow", "pyarrow.parquet", "fsspec"):
        monkeypatch.setitem(sys.modules, package, None)
    np.save(tmp_path / "a.npy", codes[:11])
    np.save(tmp_path / "b.npy", codes[11:])
    files = [tmp_path / "a.npy", tmp_path / "b.npy"]
    run = asked(explainer, files, tmp_path / "out", id=None, shard_rows=16)
    found = np.concatenate(list(run.arrays()))
    np.testing.assert_array_equal(found["points"], fresh.points)
    np.testing.assert_array_equal(found["filled"], fresh.filled)
    assert run.summary.means["distance"] == pytest.approx(fresh.metrics()["distance"].mean())
    mapped = np.load(sorted((tmp_path / "out").glob("*.npy"))[0], mmap_mode="r")
    assert len(mapped) == 16


def test_codes_that_the_space_does_not_have_are_refused(
    explainer: ifonly.Explainer, frame: pd.DataFrame, tmp_path: Path, refused: Any
) -> None:
    codes = explainer.setting.space.codes(frame)
    for place, (value, told) in enumerate([(np.nan, "nan"), (7.0, "7.0"), (0.5, "0.5")]):
        wrong = codes.copy()
        wrong[3, 2] = value
        np.save(tmp_path / "a.npy", wrong)
        out = tmp_path / f"out-{place}"
        ask = lambda out=out: asked(explainer, tmp_path / "a.npy", out, id=None)  # noqa: E731
        refused(ifonly.errors.DataError, "Row 3", told, "job", hint="space.codes", ask=ask)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=8), st.integers(1, 12))
def test_shards_have_every_row_once_and_equal_sizes(counts: list[int], size: int) -> None:
    files = [(f"f{place}", rows) for place, rows in enumerate(counts)]
    shards = cut(files, size)
    rows = [(s.file, row) for shard in shards for s in shard for row in range(s.start, s.stop)]
    assert rows == [(file, row) for file, n in files for row in range(n)]
    sizes = [sum(span.stop - span.start for span in shard) for shard in shards]
    assert sizes[:-1] == [size] * (len(sizes) - 1)


CELLS = st.lists(st.text('ab"\n\r,', max_size=5), min_size=1, max_size=12)


@settings(max_examples=20, deadline=None)
@given(cells=CELLS, step=st.integers(1, 5), block=st.integers(1, 9))
def test_the_rows_of_a_csv_file_are_found_by_their_bytes(
    cells: list[str], step: int, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = str(tmp_path_factory.mktemp("csv") / "rows.csv")
    frame = pd.DataFrame({"n": range(len(cells)), "text": cells})
    frame.to_csv(path, index=False, quoting=2)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv, "STEP", step)
        patched.setattr(csv, "BLOCK", block)
        index = csv.index_of(path)
        assert index.rows == len(cells)
        for start in range(len(cells)):
            stop = start + 1 + start % (len(cells) - start)
            read = csv.read(index.span(path, start, stop))
            assert read["n"].astype(int).tolist() == list(range(start, stop))


def test_files_are_in_order_and_each_is_named_as_it_was_asked(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        (tmp_path / name).write_text("x\n1\n")
    assert [Path(one).name for one in found_files(tmp_path)] == ["a.csv", "b.csv"]
    assert found_files([tmp_path / "b.csv", tmp_path / "a.csv"])[0].endswith("b.csv")
