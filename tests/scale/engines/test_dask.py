"""Dask: the same answers by any number of shards, frame to frame, and when a worker is killed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster

import ifonly
from ifonly import scale
from ifonly.errors import DataError, ModelError, OptionError
from ifonly.scale.on.dask import Dask, _evened

from .conftest import QUESTION, SHARDS, people, sorted_table


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    quiet = {"dashboard_address": None, "silence_logs": 50}
    with Client(n_workers=2, threads_per_worker=1, **quiet) as client:
        yield client


def test_the_answers_are_those_of_one_process(
    client: Client, sharded: Callable[..., pa.Table], expected: pa.Table
) -> None:
    for shards in SHARDS:
        assert sharded(client, shards).equals(expected)


def test_a_frame_becomes_the_frame_of_the_same_answers(
    client: Client, lender: Any, folder: Path, expected: pa.Table
) -> None:
    made = scale.dask(dd.read_parquet(folder), lender, **QUESTION)
    stated = scale.schema(lender, {"customer": "int64"})
    assert list(made.columns) == stated.names
    found = pa.Table.from_pandas(made.compute(), schema=stated, preserve_index=False)
    assert sorted_table([found]).equals(expected)


def test_a_killed_worker_changes_nothing(client: Client, deadly: Callable[..., None]) -> None:
    deadly(client)


def test_a_shard_that_kills_every_worker_ends_the_run(poisoned: Callable[..., None]) -> None:
    """Dask gives up on a task after four workers; where none comes back, the run does."""
    poisoned(Dask(workers=2, patience=10))


def test_a_cluster_that_is_not_there_is_said(
    client: Client, sharded: Any, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}):
        ask = lambda: sharded("tcp://127.0.0.1:9", 1)  # noqa: E731
        refused(OptionError, "tcp://127.0.0.1:9", hint="running", ask=ask)
    monkeypatch.setattr("ifonly.scale.on.dask.EVERY", 0.1)
    empty = LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50)
    with empty, Client(empty) as lonely:
        ask = lambda: sharded(Dask(lonely, patience=0.5), 1)  # noqa: E731
        refused(ModelError, "no workers for", hint="patience", ask=ask)


def test_workers_with_another_version_refuse(
    client: Client, sharded: Any, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {**ifonly.scale.fingerprint.versions(), "ifonly": "0.0.1"}
    monkeypatch.setattr("ifonly.scale.on.parcel.versions", lambda: other)
    refused(ModelError, "not 0.0.1", hint="environment", ask=lambda: sharded(client, 1))


def test_a_model_that_cannot_be_sent_is_refused_before_anything_runs(
    client: Client, tmp_path: Path, refused: Any
) -> None:
    lines = (line for line in "held open")  # a generator, as a cursor or a connection would be
    score = ifonly.as_model(lambda frame: (frame["income"] > 40, lines)[0], classes=["no", "yes"])
    data = people(50)
    data.to_parquet(tmp_path / "rows.parquet", index=False)
    held = ifonly.Explainer(score, data=data[["income"]])

    def ask() -> Any:
        rows, out = tmp_path / "rows.parquet", tmp_path / "out"
        return scale.explain(held, rows, out=out, on=client, id="customer")

    refused(OptionError, "cannot be sent", "generator", hint="path", ask=ask)


def test_partitions_that_are_far_larger_than_others_are_cut() -> None:
    parts = [people(900), people(50), people(50)]
    frame = dd.from_map(lambda place: parts[place], range(3), meta=parts[0][:0])
    evened = _evened(frame)
    counts = evened.map_partitions(len).compute(scheduler="sync").tolist()
    assert max(counts) <= 334
    whole = evened.compute(scheduler="sync")
    pd.testing.assert_frame_equal(whole, pd.concat(parts), check_dtype=False)
    even = dd.from_pandas(people(90), npartitions=3)
    assert _evened(even) is even


def test_what_a_frame_lacks_is_said_before_anything_runs(lender: Any, refused: Any) -> None:
    frame = people(20)
    twice = dd.from_pandas(pd.concat([frame, frame[:1]]), npartitions=2)
    known = dd.from_pandas(frame, npartitions=2)
    number = int(frame["customer"][0])
    ask = scale.dask
    for kind, told, hint, call in (
        (DataError, f"repeat, such as {number}", "twice", lambda: ask(twice, lender, **QUESTION)),
        (DataError, "'custom'", "customer", lambda: ask(known, lender, id="custom")),
        (DataError, "'debt'", "Known", lambda: ask(known.drop(columns="debt"), lender, **QUESTION)),
        (OptionError, "pandas", "dask", lambda: ask(frame, lender, **QUESTION)),
        (OptionError, "seconds", "row", lambda: ask(known, lender, budget=3, **QUESTION)),
    ):
        refused(kind, told, hint=hint, ask=call)


def test_a_row_without_an_id_is_refused(lender: Any, refused: Any) -> None:
    frame = people(20).astype({"customer": "object"})
    frame.loc[3, "customer"] = None
    made = scale.dask(
        dd.from_pandas(frame.astype({"customer": "str"}), npartitions=1), lender, **QUESTION
    )
    refused(
        DataError, "'customer'", "1 rows", hint="own", ask=lambda: made.compute(scheduler="sync")
    )


def test_what_dask_sets_in_this_process_is_taken_back(sharded: Callable[..., pa.Table]) -> None:
    before = dict(os.environ)
    sharded(Dask("", 1), 2)
    assert dict(os.environ) == before
