"""Ctrl-C in a terminal: a run ends at once, says how to go on, and leaves no process behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from ifonly.scale.manifest import NAME, plain_lines

BATCH = (sys.executable, "-m", "ifonly", "batch", "many.parquet", "--data", "loan.csv")
MODEL = ("--outcome", "loan", "--model", "loan.joblib", "--trust-pickle")
CUT = ("-k", "2", "--shard-rows", "8", "--effort", "small")
ROWS = 800
PROGRESS = re.compile(r"\d\d:\d\d:\d\d \d+ of \d+ rows")
"""What a run on a busy machine says before it is interrupted."""


def content(out: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in out.glob("*.parquet")}
    return {**found, NAME: repr(plain_lines((out / NAME).read_bytes())).encode()}


def session(number: int) -> list[int]:
    """The processes of a session, which is what a terminal has."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == number and fields[0] != "Z":
            found.append(int(place.parent.name))
    return found


def wait_until(holds: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.005)


def words(out: str, on: str, workers: str) -> list[str]:
    return [*BATCH, *MODEL, *CUT, "--on", on, "--workers", workers, "--out", out]


@pytest.fixture(scope="module")
def place(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with many rows and an undisturbed run over them."""
    folder = tmp_path_factory.mktemp("interrupted")
    for name in ("loan.csv", "loan.joblib"):
        (folder / name).write_bytes((made / name).read_bytes())
    table = pd.read_csv(folder / "loan.csv").drop(columns="loan")
    table = table.sample(ROWS, replace=True, random_state=0)
    table.to_parquet(folder / "many.parquet", index=False)
    subprocess.run(words("calm", "local", "1"), cwd=folder, check=False, capture_output=True)
    return folder


@pytest.mark.parametrize("on", [("local", "1"), ("local", "2"), ("dask", "2")], ids="-".join)
def test_ctrl_c_keeps_what_is_done_and_a_second_start_ends_with_the_same(
    on: tuple[str, str], place: Path
) -> None:
    out = "-".join(on)
    process = subprocess.Popen(
        words(out, *on), cwd=place, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    manifest = place / out / NAME
    wait_until(lambda: manifest.exists() and manifest.stat().st_size > 0)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert 0 < len(list((place / out).glob("*.parquet"))) < ROWS // 8
    *before, last = said.splitlines()
    assert last.startswith("Interrupted. "), said
    assert f"of {ROWS} rows are answered and kept in {out}. Start the same command again" in last
    before = [line for line in before if not PROGRESS.match(line)]
    # Else there is Dask's own log, whose records may end with a traceback of Dask's.
    assert not before or " - distributed." in before[0], said
    assert not any("src/ifonly" in line or "ifonly." in line for line in before), said
    wait_until(lambda: not session(process.pid), 10)
    subprocess.run(words(out, "local", "1"), cwd=place, check=False, capture_output=True)
    assert content(place / out) == content(place / "calm")
