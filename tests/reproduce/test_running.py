"""A run keeps every cell as it ends, goes on where it was, and runs again only what changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ifonly
from ifonly.cli import main
from ifonly.paper import Cell, Plan, Store, matrix, run
from ifonly.paper.report import figures
from ifonly.paper.runs.matrix import EXPERIMENTS, mark
from ifonly.paper.runs.run import Progress, run_cell

PLAN = Plan(rows=5, ks=(1, 2), samples=50, data=("german_credit",))
ONLY = ("sets/german_credit/ann/*Random*",)
CELL = Cell("sets", "german_credit", "ann", "DiverseCF", 2)


def frames(folder: Path) -> dict[str, pd.DataFrame]:
    """What every kept cell of a folder holds, by the name of its file."""
    return {path.name: pd.read_parquet(path) for path in sorted(folder.glob("cells/*.parquet"))}


def test_a_second_run_keeps_every_cell_of_the_first_but_what_cannot_run(tmp_path: Path) -> None:
    told: list[Progress] = []
    untrained = Cell("linear", "german_credit", "linear", "DiverseCF", 1)
    cells = [untrained, *matrix(PLAN, ONLY)]
    failed, *first = run(cells, PLAN, Store(tmp_path), workers=1, report=told.append)
    assert "is not trained" in failed.why_not
    assert all(not one.kept and not one.why_not and one.seconds > 0 for one in first)
    assert [one.done for one in told] == list(range(len(cells) + 1))
    assert told[-1].share == pytest.approx(1)
    before = frames(tmp_path)
    assert all(one.kept for one in run(cells[1:], PLAN, Store(tmp_path)))
    assert list(frames(tmp_path)) == list(before)


def test_a_changed_option_runs_the_cells_that_it_matters_to() -> None:
    trained = Cell("models", "german_credit", "ann", "oversampled")
    grid = Cell("lambdas", "german_credit", "ann", "DiverseCF", 4)
    box, fewer = replace(PLAN, within="box"), replace(PLAN, rows=4)
    more = replace(PLAN, ks=(1, 2, 4))
    changed = {cell: mark(cell, PLAN) != mark(cell, box) for cell in (CELL, trained, grid)}
    assert changed == {CELL: True, trained: False, grid: False}
    changed = {cell: mark(cell, PLAN) != mark(cell, fewer) for cell in (CELL, trained, grid)}
    assert changed == {CELL: True, trained: False, grid: True}
    assert mark(CELL, PLAN) == mark(CELL, more)
    seed = replace(PLAN, seed=1)
    assert all(mark(cell, PLAN) != mark(cell, seed) for cell in (CELL, trained, grid))


def test_chosen_cells_bring_the_model_that_they_explain() -> None:
    chosen = matrix(PLAN, ["sets/*/DiverseCF/k=2"])
    assert [cell.experiment for cell in chosen] == ["models", "sets"]


def test_a_pattern_that_chooses_nothing_is_refused(refused: Callable[..., Exception]) -> None:
    refused(
        ifonly.errors.OptionError,
        "DiversCF",
        hint="DiverseCF",
        ask=lambda: matrix(PLAN, ["DiversCF"]),
    )


def test_a_mistake_in_a_cell_is_told_as_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("oh")

    monkeypatch.setitem(EXPERIMENTS, "sets", replace(EXPERIMENTS["sets"], run=fail))
    assert "ZeroDivisionError: oh" in run_cell(CELL, PLAN, Store(tmp_path)).why_not


def test_a_file_that_is_cut_short_counts_as_not_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(CELL, "0" * 20, pd.DataFrame({"a": [1.5]}), {"seconds": 1.0})
    assert store.has(CELL, "0" * 20)
    assert store.facts(CELL, "0" * 20)["seconds"] == 1.0
    (path,) = tmp_path.glob("cells/*.parquet")
    path.write_bytes(path.read_bytes()[:-10])
    assert not store.has(CELL, "0" * 20)


SETS = "sets/german_credit/*Sparse*"
WORDS = ("--quick", "--rows", "8", "--only", SETS, "--workers", "2")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    """What a run gives that nothing stops: here the same cells one by one, in this process."""
    store = Store(tmp_path_factory.mktemp("whole"))
    plan = replace(Plan().quick(), rows=8)
    for cell in matrix(plan, [SETS]):
        run_cell(cell, plan, store)
    return frames(store.folder)


@pytest.mark.sample(2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_stopped_by_a_signal_loses_no_finished_cell_and_leaves_no_worker(
    tmp_path: Path,
    whole: dict[str, pd.DataFrame],
    number: signal.Signals,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["reproduce", "--out", str(tmp_path), *WORDS]
    process = subprocess.Popen(
        [sys.executable, "-m", "ifonly", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until(lambda: len(kept_at(tmp_path)) >= 3)
    assert process.poll() is None, "it ended before it could be stopped"
    process.send_signal(number)
    assert process.wait(60) != 0
    wait_until(lambda: not group_alive(process.pid))
    kept = kept_at(tmp_path)
    assert 3 <= len(kept) < len(whole)
    assert not (tmp_path / "report.html").exists()
    monkeypatch.setattr(figures, "rendered", lambda _: {"svg": b"", "png": b""})  # slow
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    assert (tmp_path / "report.html").exists()
    assert kept.items() <= kept_at(tmp_path).items(), "a finished cell was run again"
    found = frames(tmp_path)
    assert found.keys() == whole.keys()
    for name, frame in found.items():
        pd.testing.assert_frame_equal(frame, whole[name])


def kept_at(folder: Path) -> dict[str, int]:
    """When each kept cell of a folder was written."""
    return {one.name: one.stat().st_mtime_ns for one in folder.glob("cells/[!.]*.parquet")}


def wait_until(done: Callable[[], bool], seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


def group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
