"""What a run over shards refuses, with what to do in its place."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ifonly
from ifonly import scale
from ifonly.errors import DataError, FileError, ModelError, OptionError
from ifonly.scale.driver import planned
from ifonly.scale.parts.forms import ParquetForm
from ifonly.scale.stores.folder import Folder

from .conftest import asked, explainer_of, lender


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"budget": 2.0}, ("seconds=2.0", "model_rows_per_row")),
        ({"budget": {"model_rows": 100}}, ("model_rows=100", "model_rows_per_row")),
        ({"certify": True}, ("certify", "single rows")),
        ({"row_rules": {0: ["job fixed"]}}, ("row_rules", "by position")),
        ({"target": ["yes"] * 60}, ("one entry per row", "one target")),
        ({"diversty": 0.5}, ("diversty", "diversity")),
        ({"shard_rows": 0}, ("shard_rows", "1 or more")),
        ({"id": "income"}, ("income", "none")),
        ({"id": "client"}, ("client", "customer")),
        ({"on": "moon"}, ("moon", "")),
        ({"k": 0}, ("k is 0", "")),
    ],
)
def test_what_shards_cannot_have_is_refused(
    options: Any, words: tuple[str, str], explainer: Any, rows: Path, tmp_path: Path, refused: Any
) -> None:
    ask = lambda: asked(explainer, rows, tmp_path / "out", **options)  # noqa: E731
    refused(OptionError, words[0], hint=words[1], ask=ask)
    assert not list(tmp_path.glob("out/*.parquet"))


def test_an_allowance_of_each_row_is_taken(explainer: Any, rows: Path, tmp_path: Path) -> None:
    ask = {"budget": {"model_rows_per_row": 300}, "k": 1}
    one = asked(explainer, rows / "a.parquet", tmp_path / "one", shard_rows=50, **ask)
    many = asked(explainer, rows / "a.parquet", tmp_path / "many", shard_rows=7, **ask)
    points = [run.answers().points.tolist() for run in (one, many)]
    assert points[0] == points[1]


def test_ids_that_repeat_are_named_across_files(
    explainer: Any, tmp_path: Path, refused: Any
) -> None:
    for place, name in enumerate("ab"):
        lender(3, place).assign(customer=[1, 7 + place, 8]).to_parquet(tmp_path / f"{name}.parquet")
    ask = lambda: asked(explainer, tmp_path, tmp_path / "out")  # noqa: E731
    refused(DataError, "8 in row 2 of", "a.parquet", "b.parquet", hint="leave `id` out", ask=ask)


@pytest.mark.parametrize("bucket", [1, 10**6])
def test_ids_are_compared_some_at_a_time(
    bucket: int, explainer: Any, tmp_path: Path, refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ifonly.scale.sources.ids.AT_A_TIME", bucket)
    lender(5).assign(customer=list("abcda")).to_csv(tmp_path / "a.csv", index=False)
    ask = lambda: asked(explainer, tmp_path / "a.csv", tmp_path / "out")  # noqa: E731
    refused(DataError, "'a' in row 0 of", "row 4 of", hint="leave `id` out", ask=ask)


def test_a_row_without_an_id_is_refused(explainer: Any, tmp_path: Path, refused: Any) -> None:
    lender(3).assign(customer=[1, None, 3]).to_parquet(tmp_path / "a.parquet")
    ask = lambda: asked(explainer, tmp_path / "a.parquet", tmp_path / "out")  # noqa: E731
    refused(DataError, "has no value", hint="leave `id` out", ask=ask)


def test_an_explainer_that_cannot_travel_says_what_to_give(
    rows: Path, tmp_path: Path, refused: Any
) -> None:
    def model(frame: pd.DataFrame) -> Any:
        assert opened is not None
        return frame["income"] > 40

    opened = (one for one in ())  # a generator cannot be pickled
    own = ifonly.Explainer(ifonly.as_model(model, classes=["no", "yes"]), data=lender(50))
    ask = lambda: asked(own, rows, tmp_path / "out", workers=2)  # noqa: E731
    refused(OptionError, "cannot be sent", hint="function without parameters", ask=ask)
    made = threading.Event()

    def make() -> ifonly.Explainer:
        made.set()
        return own

    assert asked(make, rows / "a.parquet", tmp_path / "one").complete
    assert made.is_set()


def test_a_worker_with_another_model_refuses(
    explainer: Any, rows: Path, tmp_path: Path, refused: Any
) -> None:
    plan, shards, source = planned(explainer, rows, {"k": 1})
    task = scale.Task(
        lambda: explainer_of(1),
        {"k": 1},
        plan.fingerprint,
        source,
        Folder(str(tmp_path)),
        ParquetForm(),
    )
    refused(ModelError, plan.fingerprint, hint="Give the workers", ask=lambda: task(shards[0]))
    older = replace(task, versions={**task.versions, "ifonly": "0.0.1"})
    refused(ModelError, "and not 0.0.1", hint="environment", ask=lambda: older(shards[0]))


def test_a_row_that_the_model_raises_for_fails_alone(tmp_path: Path) -> None:
    def model(frame: pd.DataFrame) -> Any:
        if (frame["debt"] == 13.7).any():
            raise RuntimeError("thirteen")
        return frame["income"] > 40

    own = ifonly.Explainer(ifonly.as_model(model, classes=["no", "yes"]), data=lender(50))
    frame = lender(60, seed=4)
    frame.loc[[3, *range(20, 40)], "debt"] = 13.7  # one shard of them all, and more than 16
    frame.to_parquet(tmp_path / "rows.parquet")
    ask = {"id": None, "shard_rows": 20, "k": 1, "rules": ["debt fixed"]}
    run = asked(own, tmp_path / "rows.parquet", tmp_path / "out", **ask)
    failing = frame.index[frame["debt"] == 13.7].tolist()
    assert run.summary.statuses["failed"] == len(failing) < 40
    assert sum(n for why, n in run.summary.failures.items() if "thirteen" in why) == len(failing)
    status = run.answers().status
    assert [place for place, one in enumerate(status) if one == "failed"] == failing


def test_rows_that_cannot_be_found_or_read_are_named(
    explainer: Any, tmp_path: Path, refused: Any
) -> None:
    out = tmp_path / "out"
    (tmp_path / "a.parquet").write_bytes(b"no table")
    (tmp_path / "b.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    for source, told, hint in (
        (tmp_path / "c.parquet", "c.parquet", "a.parquet"),
        (tmp_path / "b.txt", "b.txt", "Known"),
        (tmp_path / "empty", "empty", "Known"),
        (str(tmp_path / "*.csv"), "*.csv", "Known"),
    ):
        refused(FileError, told, hint=hint, ask=lambda one=source: asked(explainer, one, out))
    with pytest.raises(FileError, match=r"a\.parquet"):
        asked(explainer, tmp_path / "a.parquet", out)
    pq.write_table(pa.table({"income": [1], "customer": [1]}), tmp_path / "d.parquet")
    with pytest.raises(DataError, match="debt"):
        asked(explainer, tmp_path / "d.parquet", out)
