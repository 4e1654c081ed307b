"""2,000 rows in shuffled order, their answers by one process, and what every engine must show.

Dask is tested with everything else. Ray and Spark are large and need Java: `make test-cluster` sets
IFONLY_CLUSTER, and then what is missing is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ifonly
from ifonly import scale
from ifonly.search import Engine

CLUSTER = bool(os.environ.get("IFONLY_CLUSTER"))
LARGE = ["test_delta.py", "test_ray.py", "test_spark.py"]
collect_ignore = ["test_dask.py", "test_parcel.py"] if CLUSTER else LARGE

ROWS = 2000
SHARDS = (1, 3, 16)
QUESTION: dict[str, Any] = {"id": "customer", "k": 2, "plausible": False}


def people(n: int) -> pd.DataFrame:
    """So many people, whose numbers as customers are not in order."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "customer": rng.permutation(n) + 1000,
            "income": rng.integers(10, 100, n),
            "debt": rng.integers(0, 500, n) / 10,
            "job": rng.choice(["clerk", "nurse", "10"], n),
        }
    )


def sorted_table(tables: Any) -> pa.Table:
    """Tables of answers as one, in the order of the customers, without what else a schema says."""
    whole = pa.concat_tables(tables).sort_by([("customer", "ascending"), ("answer", "ascending")])
    return pa.table(whole.columns, names=whole.column_names)


@pytest.fixture(scope="session")
def lender() -> ifonly.Explainer:
    data = people(400).drop(columns="customer")
    columns = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    granted = data["income"] - data["debt"] + 5 * (data["job"] == "nurse") > 25
    model = make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(data, granted)
    return ifonly.Explainer(model, data=data, method=Engine(effort="small"))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of unequal size."""
    folder, frame = tmp_path_factory.mktemp("people"), people(ROWS)
    frame[:300].to_parquet(folder / "a.parquet", index=False)
    frame[300:].to_parquet(folder / "b.parquet", index=False)
    return folder


@pytest.fixture(scope="session")
def expected(
    lender: ifonly.Explainer, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> pa.Table:
    """The answers by one process and one shard."""
    out = tmp_path_factory.mktemp("expected") / "out"
    run = scale.explain(lender, folder, out=out, workers=1, shard_rows=ROWS, **QUESTION)
    return sorted_table(run.tables())


@pytest.fixture
def sharded(lender: Any, folder: Path, tmp_path: Path) -> Callable[[Any, int], pa.Table]:
    """The answers by an engine and so many shards."""

    def run(on: Any, shards: int) -> pa.Table:
        rows = -(-ROWS // shards)
        out = tmp_path / "out"
        made = scale.explain(lender, folder, out=out, on=on, shard_rows=rows, **QUESTION)
        assert made.plan.shards == shards
        return sorted_table(made.tables())

    return run


@pytest.fixture(scope="session")
def deadly(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Any], None]:
    """A check that an engine whose worker is killed in a shard makes the parts of a calm run."""
    place = tmp_path_factory.mktemp("deadly")
    rows, trap = place / "rows.parquet", place / "trap"
    people(120).to_parquet(rows, index=False)
    driver = os.getpid()

    def score(frame: pd.DataFrame) -> Any:
        import os
        import signal

        if os.getpid() != driver and len(frame) > 10 and trap.exists():
            trap.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return frame["income"] - frame["debt"] > 25

    model = ifonly.as_model(score, classes=["no", "yes"])
    data = people(100).drop(columns="customer")
    mortal = ifonly.Explainer(model, data=data, method=Engine(effort="small"))

    def ask(out: Path, **options: Any) -> dict[str, bytes]:
        run = scale.explain(mortal, rows, out=out, shard_rows=30, **QUESTION, **options)
        assert run.complete
        return {part.name: part.read_bytes() for part in out.glob("*.parquet")}

    calm = ask(place / "calm", workers=1)

    def check(on: Any) -> None:
        trap.touch()
        found = ask(place / f"killed-by-{len(list(place.iterdir()))}", on=on)
        assert not trap.exists(), "no worker was killed"
        assert len(calm) == 4
        assert found == calm

    return check
