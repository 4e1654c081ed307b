"""The same rows in any number of shards, in any order, have the same answers, digit for digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ifonly
from ifonly.answers import Answers
from ifonly.scale.parts.settle import in_batches

from .conftest import asked, lender

ROWS = 2000


@pytest.fixture(scope="module")
def whole(explainer: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return answered(explainer, tmp_path_factory.mktemp("whole"), shards=1)


def answered(explainer: Any, folder: Path, *, shards: int) -> Any:
    """The table of all answers, sorted by id; the rows are shuffled where there are shards."""
    order = np.arange(ROWS) if shards == 1 else np.random.default_rng(shards).permutation(ROWS)
    frame = lender(ROWS, seed=2).assign(customer=np.arange(ROWS)).iloc[order]
    for place, some in enumerate(np.array_split(np.arange(ROWS), min(shards, 4))):
        frame.iloc[some].to_parquet(folder / f"{place}.parquet")
    run = asked(explainer, folder, folder / "out", shard_rows=-(-ROWS // shards))
    assert len(run.manifest.lines) == shards
    table = pa.concat_tables(run.tables())
    return table.sort_by([("customer", "ascending"), ("answer", "ascending")])


@pytest.mark.sample(2)
@pytest.mark.parametrize("shards", [16, 3])
def test_shards_and_their_order_change_no_digit(
    shards: int, explainer: Any, whole: Any, tmp_path: Path
) -> None:
    assert answered(explainer, tmp_path, shards=shards).equals(whole)


def test_last_digits_do_depend_on_the_batch_and_batches_of_one_size_settle_them() -> None:
    """Why scores are asked for again: without it, the law above would not hold."""
    weights = np.random.default_rng(0).normal(size=(24, 40))

    class Network:
        classes = ("no", "yes")

        def scores(self, codes: np.ndarray) -> np.ndarray:
            hidden = np.maximum(codes @ weights, 0) @ weights.T @ weights[:, :2]
            return np.asarray(1 / (1 + np.exp(-hidden / 100)))

        def decide(self, codes: np.ndarray) -> None:
            return None

    model: Any = Network()
    codes = np.random.default_rng(1).normal(size=(3000, 24))
    each = in_batches(model, codes)
    parts = np.array_split(np.random.default_rng(2).permutation(3000), 17)
    assert all((in_batches(model, codes[part]) == each[part]).all() for part in parts)


def test_what_is_read_back_is_what_was_answered(
    explainer: ifonly.Explainer, tmp_path: Path
) -> None:
    frame = lender(30, seed=3)
    frame.to_parquet(tmp_path / "rows.parquet")
    run = asked(explainer, tmp_path / "rows.parquet", tmp_path / "out", id=None, shard_rows=25)
    read, fresh = run.answers(), explainer.explain(frame, k=2)
    check_same(read, fresh)
    assert [len(part) for part in run.by_part()] == [25, 5]
    assert read.frame().equals(fresh.frame().assign(score=read.frame()["score"]))
    assert Answers.from_json(read.to_json()).sentences() == fresh.sentences()
    summary = run.summary
    assert summary.means["distance"] == pytest.approx(fresh.metrics()["distance"].mean())


def check_same(read: Answers, fresh: Answers) -> None:
    for name in ("status", "notes", "predicted", "wanted"):
        assert getattr(read, name) == getattr(fresh, name), name
    for name in ("x", "points", "filled", "extra", "acted", "bound", "reached", "usual", "odd"):
        one, other = getattr(read, name), getattr(fresh, name)
        assert (one is None) == (other is None) or not np.any(other), name
        if one is not None:
            np.testing.assert_array_equal(one, other, name)
    np.testing.assert_allclose(read.score, fresh.score, rtol=1e-12)
    np.testing.assert_allclose(read.row_score, fresh.row_score, rtol=1e-12)
