"""A small lender, her rows in files, and an undisturbed run over them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly
from ifonly import scale
from ifonly.scale.manifest import NAME, plain_lines
from ifonly.search import Engine
from ifonly.solve.workers.worker import packed

Content = dict[str, bytes]


def lender(n: int, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "income": random.integers(10, 90, n),
            "debt": random.integers(0, 500, n) / 10,
            "job": random.choice(["clerk", "nurse", "10"], n),
        }
    )


def fitted(seed: int = 0) -> Any:
    data = lender(400)
    columns = make_column_transformer(
        (OneHotEncoder(), ["job"]), (StandardScaler(), ["income", "debt"])
    )
    granted = data["income"] - data["debt"] + 5 * (data["job"] == "nurse") > 25
    network = MLPClassifier((8,), max_iter=60, random_state=seed)
    return make_pipeline(columns, network).fit(data, np.where(granted, "yes", "no"))


@pytest.fixture(scope="session")
def explainer() -> ifonly.Explainer:
    return explainer_of(0)


def explainer_of(seed: int) -> ifonly.Explainer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged
        model = fitted(seed)
    return ifonly.Explainer(model, data=lender(400), method=Engine(effort="small"))


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 60 rows in two files."""
    folder = tmp_path_factory.mktemp("rows")
    frame = lender(60, seed=1).assign(customer=np.arange(60) + 1000)
    frame[:23].to_parquet(folder / "a.parquet")
    frame[23:].to_parquet(folder / "b.parquet")
    return folder


def asked(explainer: Any, rows: Any, out: Any, **options: Any) -> scale.Run:
    stated = {"id": "customer", "shard_rows": 12, "workers": 1, "k": 2, **options}
    return scale.explain(explainer, rows, out=out, **stated)


@pytest.fixture(scope="session")
def calm(
    explainer: ifonly.Explainer, rows: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Content]:
    """The folder of an undisturbed run, and what is in it."""
    folder = tmp_path_factory.mktemp("calm") / "out"
    asked(explainer, rows, folder)
    return folder, content(folder)


def content(folder: Path) -> Content:
    """The parts of a run, and its manifest without times."""
    found = {path.name: path.read_bytes() for path in folder.glob("*.parquet")}
    lines = plain_lines((folder / NAME).read_bytes())
    assert [line["shard"] for line in lines] == list(range(len(found)))
    return {**found, NAME: repr(lines).encode()}


Drive = Callable[..., int]


@pytest.fixture(scope="session")
def drive(
    explainer: ifonly.Explainer, rows: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Drive]:
    """Starts drivers in processes of their own, which have all loaded: the id of each."""
    saved = tmp_path_factory.mktemp("explainer") / "explainer.pkl"
    saved.write_bytes(packed(explainer))
    here = Path(__file__).with_name("zygote.py")
    zygote = subprocess.Popen(
        [sys.executable, str(here), str(saved)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    asked, said = zygote.stdin, zygote.stdout
    assert asked is not None
    assert said is not None

    def start(out: Path, most: int = 0, **question: Any) -> int:
        stated = {"id": "customer", "shard_rows": 12, "k": 2, **question}
        asked.write(json.dumps({"rows": str(rows), "out": str(out), "most": most, **stated}) + "\n")
        asked.flush()
        return int(said.readline())

    yield start
    zygote.kill()
    zygote.communicate()


def ended(pid: int) -> None:
    """Wait until a process is gone, and its locks with it."""
    try:
        while True:
            os.kill(pid, 0)
            time.sleep(0.002)
    except ProcessLookupError:
        pass


@pytest.fixture
def copied(calm: tuple[Path, Content], tmp_path: Path) -> Path:
    """A copy of the undisturbed run, to be damaged."""
    return Path(shutil.copytree(calm[0], tmp_path / "copy"))
