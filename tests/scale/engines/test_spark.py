"""Spark: the same answers by any number of shards, as frames, and when a worker is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from ifonly import scale
from ifonly.errors import DataError, ModelError, OptionError
from ifonly.scale.on.spark import started
from ifonly.solve.workers.worker import packed

from .conftest import QUESTION, SHARDS, people, sorted_table

# Spark speaks of pandas 3, and leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """A session of two cores that tries a task again; without Java, an error of ours fails it."""
    session = started("local[2,4]")
    session.sparkContext.setLogLevel("OFF")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    yield session
    session.stop()


def test_the_answers_are_those_of_one_process(
    session: Any, sharded: Callable[..., pa.Table], expected: pa.Table
) -> None:
    for shards in SHARDS:
        assert sharded(session, shards).equals(expected)


def test_a_frame_becomes_the_frame_of_the_same_answers_and_spark_writes_it(
    session: Any, lender: Any, folder: Path, expected: pa.Table, tmp_path: Path
) -> None:
    made = scale.spark(session.read.parquet(str(folder)), lender, **QUESTION)
    made.write.parquet(str(tmp_path / "written"))
    stated = scale.schema(lender, {"customer": "int64"})
    assert made.columns == stated.names
    parts = [pa.parquet.read_table(one) for one in (tmp_path / "written").glob("*.parquet")]
    assert len(parts) == 8, "four partitions for each of two cores"
    assert sorted_table([part.cast(stated) for part in parts]).equals(expected)


def test_a_killed_worker_changes_nothing(session: Any, deadly: Callable[..., None]) -> None:
    deadly(session)


def test_a_shard_that_kills_every_worker_ends_the_run(
    session: Any, poisoned: Callable[..., None]
) -> None:
    poisoned(session, "4 times")


def test_ids_that_repeat_and_other_versions_are_refused(
    session: Any, lender: Any, sharded: Any, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = people(20)
    twice = session.createDataFrame(pd.concat([frame, frame[:1]]))
    number = str(frame["customer"][0])
    ask = lambda: scale.spark(twice, lender, **QUESTION)  # noqa: E731
    refused(DataError, "repeat", number, hint="twice", ask=ask)
    monkeypatch.setattr("ifonly.scale.on.parcel.versions", lambda: {"ifonly": "0.0.1"})
    refused(ModelError, "not 0.0.1", hint="environment", ask=lambda: sharded(session, 1))
    refused(ModelError, "not 0.0.1", hint="environment", ask=ask)


def test_workers_with_another_python_are_told_how_to_get_this_one(
    session: Any, lender: Any, sharded: Any, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = getattr(sys, "_base_executable", "")  # the same without the environment's packages
    assert other
    assert other != sys.executable
    monkeypatch.setattr(session.sparkContext, "pythonExec", other)
    frame = session.createDataFrame(people(20))
    for ask in (lambda: sharded(session, 1), lambda: scale.spark(frame, lender, **QUESTION)):
        refused(OptionError, "another Python", "no module", hint="PYSPARK_PYTHON", ask=ask)


def test_without_java_the_error_says_what_to_install() -> None:
    code = "from ifonly.scale.on.spark import started; started('local[1]')"
    bare = {"PATH": str(Path(sys.executable).parent), "JAVA_HOME": "nowhere", "HOME": os.curdir}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "OptionError: Spark could not start its Java" in done.stderr
    assert "Hint: Install Java 17" in done.stderr


CONNECT = """
import sys

import pyarrow as pa
from pyspark.sql import SparkSession

from ifonly import scale
from ifonly.errors import OptionError
from ifonly.solve.workers.worker import unpacked

lender = unpacked(open(sys.argv[1], "rb").read())
settings = {"spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false"}
session = SparkSession.builder.remote("local[2]").config(map=settings).getOrCreate()
try:
    scale.explain(lender, sys.argv[2], out=sys.argv[3], on=session, id="customer", k=2)
except OptionError as error:
    print(error)
frame = session.read.parquet(sys.argv[2])
made = scale.spark(frame, lender, id="customer", k=2, plausible=False)
made.write.parquet(sys.argv[4])
session.stop()
"""


def test_spark_connect_answers_frames_and_refuses_shards(
    lender: Any, folder: Path, expected: pa.Table, tmp_path: Path
) -> None:
    """In a process of its own: one has sessions of one kind."""
    (tmp_path / "lender").write_bytes(packed(lender))
    places = [tmp_path / "lender", folder, tmp_path / "out", tmp_path / "written"]
    command = [sys.executable, "-c", CONNECT, *map(str, places)]
    own = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(command, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "is Spark Connect, which has no Spark context" in done.stdout
    assert "ifonly.scale.spark(" in done.stdout
    stated = scale.schema(lender, {"customer": "int64"})
    parts = [pa.parquet.read_table(one) for one in (tmp_path / "written").glob("*.parquet")]
    assert sorted_table([part.cast(stated) for part in parts]).equals(expected)
