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
from ifonly.errors import ModelError
from ifonly.scale.manifest import NAME, plain_lines
from ifonly.search import Engine

CLUSTER = bool(os.environ.get("IFONLY_CLUSTER"))
LARGE = ["test_delta.py", "test_ray.py", "test_spark.py"]
collect_ignore = ["test_dask.py", "test_local.py", "test_parcel.py"] if CLUSTER else LARGE

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
def sharded(lender: Any, tmp_path: Path) -> Callable[[Any, int], pa.Table]:
    """The answers by an engine and so many shards, to rows that are in another order each time."""

    def run(on: Any, shards: int) -> pa.Table:
        rows, source = -(-ROWS // shards), tmp_path / f"rows-{shards}.parquet"
        out = tmp_path / f"out-{shards}"
        people(ROWS).sample(frac=1, random_state=shards).to_parquet(source, index=False)
        made = scale.explain(lender, source, out=out, on=on, shard_rows=rows, **QUESTION)
        assert made.plan.shards == shards
        return sorted_table(made.tables())

    return run


class Mortal:
    """A run over four shards of 30 rows, whose model may kill the worker that it is in."""

    def __init__(self, place: Path) -> None:
        self.place, self.rows = place, place / "rows.parquet"
        self.once, self.always = place / "once", place / "always"
        once, always, driver = self.once, self.always, os.getpid()
        frame = people(120)
        frame.loc[70, "debt"] = POISON
        frame.to_parquet(self.rows, index=False)

        def score(frame: pd.DataFrame) -> Any:
            import os
            import signal

            if os.getpid() != driver and len(frame) > 10 and once.exists():
                once.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
            if os.getpid() != driver and always.exists() and max(frame["debt"]) > POISON - 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return frame["income"] - frame["debt"] > 25

        model = ifonly.as_model(score, classes=["no", "yes"])
        data = people(100).drop(columns="customer")
        self.explainer = ifonly.Explainer(model, data=data, method=Engine(effort="small"))
        self.calm = self.ask(place / "calm", workers=1)

    def ask(self, out: Path, **options: Any) -> dict[str, bytes]:
        """The parts and the manifest, but for its times."""
        options |= {"shard_rows": 30, **QUESTION}
        run = scale.explain(self.explainer, self.rows, out=out, **options)
        assert run.complete
        lines = repr(plain_lines((out / NAME).read_bytes())).encode()
        return {NAME: lines} | {part.name: part.read_bytes() for part in out.glob("*.parquet")}

    def new(self) -> Path:
        """A folder that is not there yet."""
        return self.place / f"out-{len(list(self.place.glob('out-*')))}"


POISON = 77.7
"""A debt that nobody else has; no answer has it either, since the data end at 50."""


@pytest.fixture(scope="session")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Mortal:
    return Mortal(tmp_path_factory.mktemp("mortal"))


@pytest.fixture
def deadly(mortal: Mortal) -> Callable[[Any], None]:
    """A check that an engine whose worker is killed in a shard makes the parts of a calm run."""

    def check(on: Any) -> None:
        mortal.once.touch()
        found = mortal.ask(mortal.new(), on=on)
        assert not mortal.once.exists(), "no worker was killed"
        assert len(mortal.calm) == 5
        assert found == mortal.calm

    return check


@pytest.fixture
def poisoned(mortal: Mortal, refused: Any) -> Callable[..., None]:
    """A check that a shard that kills every worker ends the run, is named, and loses nothing."""

    def check(on: Any, *told: str) -> None:
        out = mortal.new()
        mortal.always.touch()
        ask = lambda: mortal.ask(out, on=on)  # noqa: E731
        try:
            said = ("shard 2 (rows 60 to 89 of", "rows.parquet", *told)
            refused(ModelError, *said, hint="memory.*shard_rows.*the same call again", ask=ask)
        finally:
            mortal.always.unlink()
        assert mortal.ask(out, workers=1) == mortal.calm

    return check
