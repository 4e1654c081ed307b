"""Ray: the same answers by any number of shards, as datasets, and when a worker is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
import ray

from ifonly import scale
from ifonly.errors import DataError, ModelError
from ifonly.scale.on.ray import Ray

from .conftest import QUESTION, SHARDS, people, sorted_table

# Ray speaks of its own options, and leaves sockets to the garbage collector.
NOISE = ("DeprecationWarning", "FutureWarning", "ResourceWarning")
pytestmark = pytest.mark.filterwarnings(*(f"ignore::{one}" for one in NOISE))


@pytest.fixture(scope="module", autouse=True)
def started() -> Iterator[None]:
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init(num_cpus=2, num_gpus=2, object_store_memory=2**28, **quiet)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def test_the_answers_are_those_of_one_process(
    sharded: Callable[..., pa.Table], expected: pa.Table
) -> None:
    for shards in SHARDS:
        assert sharded(ray, shards).equals(expected)


def test_a_dataset_becomes_the_dataset_of_the_same_answers_and_ray_writes_it(
    lender: Any, folder: Path, expected: pa.Table, tmp_path: Path
) -> None:
    made = scale.ray(ray.data.read_parquet(str(folder)), lender, **QUESTION)
    made.write_parquet(str(tmp_path / "written"))
    stated = scale.schema(lender, {"customer": "int64"})
    parts = [pa.parquet.read_table(one) for one in (tmp_path / "written").glob("*.parquet")]
    assert len(parts) > 1
    assert sorted_table([part.cast(stated) for part in parts]).equals(expected)


def test_a_killed_worker_changes_nothing(deadly: Callable[..., None]) -> None:
    deadly(ray)


def test_a_shard_that_kills_every_worker_ends_the_run(poisoned: Callable[..., None]) -> None:
    poisoned(ray, "3 times")


def test_each_task_has_a_device_to_itself() -> None:
    """Ray counts two devices that are not there; a task sees one of them."""

    def seen(shard: Any) -> Any:
        import os
        import time

        time.sleep(1.0)
        return os.environ["CUDA_VISIBLE_DEVICES"]

    found = list(Ray(gpus=1).run(seen, [0, 1, 2, 3]))  # type: ignore[arg-type]
    assert set(found) == {"0", "1"}
    assert len(found) == 4


def test_ids_that_repeat_and_other_versions_are_refused(
    lender: Any, sharded: Any, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = people(20)
    twice = ray.data.from_pandas(pd.concat([frame, frame[:1]]))
    number = str(frame["customer"][0])
    ask = lambda: scale.ray(twice, lender, **QUESTION)  # noqa: E731
    refused(DataError, "repeat", number, hint="twice", ask=ask)
    monkeypatch.setattr("ifonly.scale.on.parcel.versions", lambda: {"ifonly": "0.0.1"})
    refused(ModelError, "not 0.0.1", hint="environment", ask=lambda: sharded(ray, 1))
